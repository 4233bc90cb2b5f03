import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Backup, backUpToDirectory, writeBackup } from '../backup/backup.ts';
import { noteBackup } from '../backup/notes.ts';
import { sizeText } from '../backup/space.ts';
import { connectionDb } from '../db/connection.ts';
import { openStorage, type Storage } from '../db/open.ts';
import { StorageError } from '../db/storage-error.ts';
import { systemClock } from '../kernel/clock.ts';
import { errnoOf } from '../kernel/errors.ts';
import type { Progress } from '../kernel/progress.ts';
import { type CommonOptions, enterData, readConfig } from './open-data.ts';
import { printResult } from './output.ts';
import { progressBar } from './progress.ts';
import type { Shell } from './shell.ts';

/** Backs up to a new file; without one into the backup directory, as the schedule does, the newest ones kept. */
export async function backUp(shell: Shell, file: string | undefined, options: CommonOptions): Promise<void> {
  const config = readConfig(shell, options);
  enterData(shell, config);
  const { path } = config.database;
  using storage = openStorage({ ...config.database, create: false });
  const progress: Progress = (label) => progressBar(shell, label);
  const now = systemClock.now();
  const backup =
    file === undefined
      ? await backUpToDirectory(path, config.backup, now, progress)
      : await backUpTo(path, resolve(shell.workingDirectory, file), progress);
  note(shell, storage, backup, now);
  if (backup.oddValues.length > 0) {
    shell.say(
      `errand: warning: ${backup.oddValues.join('; ')}. See what \`errand doctor\` says of the database\n`,
    );
  }
  const words = `Backed up to ${backup.file} (${sizeText(backup.bytes)}), and checked`;
  printResult(shell, options, backup, `${words}. Keep a copy of keys.json elsewhere\n`);
}

function backUpTo(path: string, file: string, progress: Progress): Promise<Backup> {
  const folder = dirname(file);
  if (!existsSync(folder))
    throw new StorageError(`There is no folder ${folder}: make it first, or name another file`);
  return writeBackup(path, file, progress);
}

/** The backup is good without it. */
function note(shell: Shell, storage: Storage, backup: Backup, now: number): void {
  try {
    noteBackup(connectionDb(storage.writing), backup, now);
  } catch (error) {
    shell.say(`errand: warning: that the backup was made could not be noted (${errnoOf(error)})\n`);
  }
}
