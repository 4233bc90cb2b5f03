import {
  closeSync,
  existsSync,
  fdatasyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { migrations } from '../../migrations/index.ts';
import { lockData, removeUnfinished } from '../db/open.ts';
import { explained, StorageError, throwExplained } from '../db/storage-error.ts';
import { errnoOf } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { syncFile, syncFolder, writePrivateFile } from '../kernel/private-file.ts';
import type { OnDone, Progress } from '../kernel/progress.ts';
import { damageOfSearch, faultsOf, rowCounts } from '../storage/integrity.ts';
import { VALUES } from '../storage/value-checks.ts';
import { schemaFaults } from './schema-check.ts';
import { lackingSpace } from './space.ts';

/** The exit code of a backup that fails because the search index is damaged: it can be rebuilt, and the backup made then. */
export const SEARCH_INDEX_DAMAGED = 3;

class SearchIndexError extends StorageError {
  override readonly exitCode = SEARCH_INDEX_DAMAGED;
}

const BUSY_MILLISECONDS = 5_000;
/** Copied in less time than the pause after them, so that a server beside it finds a processor free. */
const PAGE_BATCH_SIZE = 50;
const PAUSE_MS = 1;
/** Were all of it left to the end, a server beside it would wait for seconds to have a commit on the disk. */
const PAGES_BETWEEN_SYNCS = 400;
/** So many times as long as a sync took the disk is the server's alone. */
const THROTTLE_RATIO = 9;
const MADE_BY_US = /^errand-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z\.db$/;

export interface Backup {
  /** Absolute path. */
  file: string;
  bytes: number;
  /** Rows by table, the same as in the database at the moment of the backup. */
  rows: Record<string, number>;
  /** Values in it that no Errand writes. It is no worse than the database, and kept all the same. */
  oddValues: string[];
}

/**
 * Backs a database up into its directory, under the instant's name, and removes all but the newest `keep`. A
 * StorageError when one is under way there, or less than twice the database is free.
 */
export async function backUpToDirectory(
  databasePath: string,
  { directory, keep }: { directory: string; keep: number },
  now: number,
  progress: Progress,
): Promise<Backup> {
  const unlock = lockData(join(directory, 'errand'), `Another backup to ${directory} is under way`);
  try {
    for (const name of backupsIn(directory, '.new')) removeUnfinished(join(directory, name.slice(0, -4)));
    const lacking = lackingSpace(databasePath, directory);
    if (lacking) throw new StorageError(`No backup was made: ${lacking}`);
    const backup = await writeBackup(databasePath, join(directory, nameAt(toInstant(now))), progress);
    // Apart from this one, which is not the newest by its name when the clock went back.
    const others = backupsIn(directory).filter((name) => join(directory, name) !== backup.file);
    const older = others
      .sort()
      .toReversed()
      .slice(keep - 1);
    for (const name of older) rmSync(join(directory, name));
    return backup;
  } finally {
    unlock();
  }
}

/**
 * Copies a database, in use or not, as it is at one moment into a file of its own (0600), and calls it done only once
 * the copy was found whole and as many rows are in it. Never overwrites: a StorageError for a name that is taken.
 */
export async function writeBackup(databasePath: string, target: string, progress: Progress): Promise<Backup> {
  for (const name of [target, `${target}-wal`]) if (existsSync(name)) throw taken(name);
  const unfinished = `${target}.new`;
  if (existsSync(unfinished)) {
    throw new StorageError(`${unfinished} is being made, or was left by a backup cut short: remove it then`);
  }
  explained(unfinished, () => writePrivateFile(unfinished, ''));
  try {
    const rows = await copySnapshot(databasePath, unfinished, progress('Copying'));
    const oddValues = await verify(unfinished, rows, progress('Checking'));
    syncFile(unfinished);
    explained(target, () => place(unfinished, target));
    return { file: target, bytes: statSync(target).size, rows, oddValues };
  } finally {
    removeUnfinished(target);
  }
}

/**
 * Returns the rows by table. The open read transaction is what makes it one moment: the rows are counted in it, every
 * step of the copy reads from it, and no write of others makes SQLite begin again. `VACUUM INTO` could not share it.
 */
async function copySnapshot(
  databasePath: string,
  copy: string,
  onDone: OnDone,
): Promise<Record<string, number>> {
  const source = new SqliteDatabase(databasePath, { readonly: true, timeout: BUSY_MILLISECONDS });
  const file = openSync(copy, 'r+');
  let synced = 0;
  try {
    const rows = explained(databasePath, () => {
      source.exec('begin');
      return rowCounts(source);
    });
    const copying = source.backup(copy, {
      progress: ({ totalPages: total, remainingPages }) => {
        const copied = total - remainingPages;
        if (copied - synced >= PAGES_BETWEEN_SYNCS) {
          const begun = performance.now();
          fdatasyncSync(file);
          synced = copied;
          pause(THROTTLE_RATIO * (performance.now() - begun));
        }
        onDone(copied, total);
        pause(PAUSE_MS);
        return PAGE_BATCH_SIZE;
      },
    });
    const { totalPages } = await copying.catch((error) => throwExplained(copy, error));
    onDone(totalPages, totalPages);
    return rows;
  } finally {
    closeSync(file);
    source.close();
  }
}

/** Returns the values that no Errand writes; a StorageError where the copy is damaged or not the same. */
async function verify(copy: string, rows: Record<string, number>, onDone: OnDone): Promise<string[]> {
  const database = new SqliteDatabase(copy);
  try {
    // One file, also while it is read, and wherever it is taken.
    database.pragma('journal_mode = delete');
    const faults = faultsOf(database, onDone);
    faults.push(...(await schemaFaults(database, migrations)));
    const counted = rowCounts(database);
    const differing = Object.keys(rows).filter((table) => rows[table] !== counted[table]);
    faults.push(...differing.map((table) => `${counted[table]} rows of ${rows[table]} in ${table}`));
    if (faults.length === 0) return VALUES.faults(database);
    const Fault = damageOfSearch(database).length > 0 ? SearchIndexError : StorageError;
    throw new Fault(
      `The copy did not pass its check and was thrown away: ${faults.join('; ')}. See what \`errand doctor\` says of the database.`,
    );
  } finally {
    database.close();
  }
}

/** By a link, which fails where something came to be meanwhile. */
function place(unfinished: string, target: string): void {
  try {
    linkSync(unfinished, target);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST' || existsSync(target)) throw taken(target);
    // There are no links on a USB stick.
    renameSync(unfinished, target);
  }
  syncFolder(dirname(target));
}

/** Copying goes on as soon as its progress was told, so there is nothing to be awaited. */
const pause = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const taken = (target: string) => new StorageError(`${target} is there already, and is never overwritten`);

const nameAt = (instant: Instant) => `errand-${instant.replaceAll(/[:.]/g, '-')}.db`;

/** The backups that were made into a directory, or what `end` makes of their names; nothing that is not ours. */
export const backupsIn = (directory: string, end = ''): string[] =>
  readdirSync(directory).filter(
    (name) => name.endsWith(end) && MADE_BY_US.test(name.slice(0, name.length - end.length)),
  );
