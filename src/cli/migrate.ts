import { dirname } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { type SchemaStatus, schemaStatus } from '../db/migrate.ts';
import { createFolder, lockData, openStorage } from '../db/open.ts';
import { systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { bringUpToDate } from '../open.ts';
import { type CommonOptions, enterData, readConfig } from './open-data.ts';
import { printJson } from './output.ts';
import { progressBar } from './progress.ts';
import { rehearseMigration } from './rehearse.ts';
import type { Shell } from './shell.ts';

interface Options extends CommonOptions {
  status?: boolean;
  rehearse?: boolean;
}

/**
 * Runs every pending migration, alone on the data; makes the database where there is none. `--status` and `--rehearse`
 * change nothing.
 */
export async function migrateData(shell: Shell, options: Options): Promise<void> {
  const config = readConfig(shell, options);
  enterData(shell, config);
  if (options.rehearse) return rehearseMigration(shell, config, options);
  const { path } = config.database;
  if (options.status) {
    const storage = openStorage({ ...config.database, create: false });
    try {
      printStatus(shell, path, schemaStatus(storage, migrations), options);
    } finally {
      storage.close();
    }
    return;
  }
  createFolder(dirname(path));
  const unlock = lockData(path);
  try {
    const storage = openStorage({ ...config.database, create: true });
    try {
      const progress = progressBar(shell, 'Migrating');
      const ran = await bringUpToDate(config, createLog(config.log), storage, systemClock, progress);
      if (options.json) printJson(shell, { database: path, ran });
      else shell.print(ran.length > 0 ? `Ran ${ran.join(', ')}\n` : `${path} has the newest schema\n`);
    } finally {
      storage.close();
    }
  } finally {
    unlock();
  }
}

function printStatus(
  shell: Shell,
  database: string,
  { done, pending }: SchemaStatus,
  options: Options,
): void {
  if (options.json) printJson(shell, { database, done, pending });
  else {
    for (const name of done) shell.print(`done     ${name}\n`);
    for (const name of pending) shell.print(`pending  ${name}\n`);
  }
}
