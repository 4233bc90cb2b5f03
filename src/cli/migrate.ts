import { migrations } from '../../migrations/index.ts';
import type { Config } from '../config.ts';
import { schemaStatus } from '../db/migrate.ts';
import { lockData, openStorage } from '../db/open.ts';
import { createWriter } from '../db/writer.ts';
import { systemClock } from '../kernel/clock.ts';
import { createLog } from '../kernel/log.ts';
import { remakeSearch } from '../storage/rebuild-search.ts';
import { bringUpToDate } from '../upgrade.ts';
import { type CommonOptions, enterData, readConfig } from './open-data.ts';
import { printResult } from './output.ts';
import { progressBar } from './progress.ts';
import { recordCommand } from './record-command.ts';
import { rehearseMigration } from './rehearse.ts';
import type { Shell } from './shell.ts';

interface Options extends CommonOptions {
  status?: boolean;
  rehearse?: boolean;
  remakeSearch?: boolean;
}

/**
 * Runs every pending migration, alone on the data; makes the database where there is none. `--status` and `--rehearse`
 * change nothing; `--remake-search` rebuilds the search index from the tasks; it holds nothing else.
 */
export async function migrateData(shell: Shell, options: Options): Promise<void> {
  const config = readConfig(shell, options);
  enterData(shell, config);
  if (options.rehearse) return rehearseMigration(shell, config, options);
  const { path } = config.database;
  if (options.status) {
    using storage = openStorage({ ...config.database, create: false });
    const { done, pending } = schemaStatus(storage, migrations);
    const lines = [
      ...done.map((name) => `done     ${name}\n`),
      ...pending.map((name) => `pending  ${name}\n`),
    ];
    return printResult(shell, options, { database: path, done, pending }, lines.join(''));
  }
  const unlock = lockData(path);
  try {
    const ran = await migrated(shell, config, options);
    if (ran.length > 0) recordCommand(shell, config, { event: 'database-migrated', migrations: ran });
    if (options.remakeSearch) recordCommand(shell, config, { event: 'search-rebuilt' });
    const words = ran.length > 0 ? `Ran ${ran.join(', ')}` : `${path} has the newest schema`;
    const remade = options.remakeSearch ? ', and its search index was rebuilt' : '';
    printResult(shell, options, { database: path, ran }, `${words}${remade}\n`);
  } finally {
    unlock();
  }
}

/** Does what is asked, and closes the file, so that it may be opened again. Returns the migrations that ran. */
async function migrated(shell: Shell, config: Config, options: Options): Promise<string[]> {
  using storage = openStorage({ ...config.database, create: true });
  const progress = progressBar(shell, 'Migrating');
  const ran = await bringUpToDate(config, createLog(config.log), storage, systemClock, progress);
  if (options.remakeSearch) await createWriter(storage, () => {}).writeInSteps(remakeSearch);
  return ran;
}
