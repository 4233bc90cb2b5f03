import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import { restoreBackup } from '../backup/restore.ts';
import { lockData } from '../db/open.ts';
import { systemClock } from '../kernel/clock.ts';
import { OperatorError } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { MisuseError } from './failures.ts';
import { type CommonOptions, enterData, readConfig } from './open-data.ts';
import { printJson } from './output.ts';
import { progressBar } from './progress.ts';
import type { Shell } from './shell.ts';

interface Options extends CommonOptions {
  yes?: boolean;
  keepSessions?: boolean;
}

/** Puts a backup into the place of the database while no server runs; the file that was there is kept. */
export async function restore(shell: Shell, name: string, options: Options): Promise<void> {
  const config = readConfig(shell, options);
  const file = resolve(shell.workingDirectory, name);
  const { path } = config.database;
  if (!options.yes) {
    const lacking = existsSync(file) ? '' : `There is no backup at ${file}\n`;
    throw new MisuseError(`${lacking}This replaces ${path} with ${file}. Add --yes to confirm`);
  }
  enterData(shell, config);
  if (!existsSync(file)) throw new OperatorError(`There is no backup at ${file}`);
  const unlock = lockData(path);
  try {
    const restored = await restoreBackup({
      file,
      databasePath: path,
      migrations,
      at: toInstant(systemClock.now()),
      keepSessions: options.keepSessions === true,
      progress: (label) => progressBar(shell, label),
    });
    const { hasTrail, ...facts } = restored;
    if (!hasTrail)
      shell.say(
        'errand: warning: this backup is older than the audit trail, whose record starts with the next act\n',
      );
    if (options.json) return printJson(shell, { database: path, ...facts });
    shell.print(`${path} is now what ${file} holds\n`);
    if (restored.replaced) shell.print(`The file that was there is kept as ${restored.replaced}\n`);
    if (!options.keepSessions) {
      shell.print(
        'All sessions, codes, mailed links and unsent mails in it have ended: everyone signs in again\n',
      );
    }
  } finally {
    unlock();
  }
}
