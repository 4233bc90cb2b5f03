import {
  createReadStream,
  createWriteStream,
  existsSync,
  linkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import SqliteDatabase from 'better-sqlite3';
import { copyTrail, insertAct } from '../audit/trail.ts';
import { renewEpoch } from '../changes/epoch.ts';
import { connectionDb } from '../db/connection.ts';
import { type Migrations, schemaStatus } from '../db/migrate.ts';
import { checkHeader, removeUnfinished } from '../db/open.ts';
import { explained, StorageError, throwExplained } from '../db/storage-error.ts';
import { errnoOf } from '../kernel/errors.ts';
import { type Instant, toMs } from '../kernel/instants.ts';
import { syncFile, syncFolder } from '../kernel/private-file.ts';
import type { OnDone, Progress } from '../kernel/progress.ts';
import { faultsOf, rowCounts, tablesIn } from '../storage/integrity.ts';
import { revokeRestored } from '../storage/revoke-restored.ts';
import { noteRestored } from './notes.ts';
import { schemaFaults } from './schema-check.ts';
import { bytesOf, freeBytes, sizeText } from './space.ts';

/** The code of an error that is the file's fault, and not that of the disk it is on. */
const IS_DAMAGED = /^SQLITE_(CORRUPT|NOTADB|ERROR)/;

interface Restoring {
  file: string;
  databasePath: string;
  migrations: Migrations;
  /** Goes into the name of the file that is replaced. */
  at: Instant;
  keepSessions: boolean;
  progress: Progress;
}

interface Restored {
  /** The file that was replaced, or the log of one that was gone, under its new name; undefined where there was none. */
  replaced: string | undefined;
  rows: Record<string, number>;
  /** Rows that were ended, by table. */
  ended: Record<string, number>;
  /** False for a backup of an Errand that kept no audit trail, which has no row of the restore then. */
  hasTrail: boolean;
}

/**
 * Puts a copy of a backup into the place of the database, whose file stays beside it under another name; a kill leaves
 * the old or the new one. To be called with the data locked. A StorageError, and nothing changed, for a file that is
 * not a whole database of this Errand or an older one, and while another program has the database open.
 */
export async function restoreBackup(options: Restoring): Promise<Restored> {
  const { file, progress } = options;
  const path = existsSync(options.databasePath) ? realpathSync(options.databasePath) : options.databasePath;
  if (!existsSync(file)) throw new StorageError(`There is no backup at ${file}`);
  if (realpathSync(file) === path) throw new StorageError(`${file} is the database itself, no backup of it`);
  const copy = `${path}.new`;
  if (realpathSync(file) === copy) {
    throw new StorageError(`${file} has the name of what is being restored: rename it first`);
  }
  explained(file, () => checkHeader(file, 'Nothing was changed. Take another backup'));
  removeUnfinished(path);
  try {
    await copyWithLog(file, copy, progress('Copying'));
    const facts = await prepare(copy, options).catch((error) =>
      throwExplained(IS_DAMAGED.test(errnoOf(error)) ? file : copy, error),
    );
    const replaced = explained(path, () => {
      syncFile(copy);
      const kept = keepOld(path, `${path}.replaced-${options.at.replaceAll(/[:.]/g, '-')}`);
      renameSync(copy, path);
      syncFolder(dirname(path));
      return kept;
    });
    return { ...facts, replaced };
  } finally {
    removeUnfinished(path);
  }
}

/** The log, too, of a file that lacks what is still in there. */
async function copyWithLog(file: string, copy: string, onDone: OnDone): Promise<void> {
  const total = bytesOf(file);
  const free = freeBytes(dirname(copy));
  if (free < total) {
    throw new StorageError(
      `${file} has ${sizeText(total)}, but there are only ${sizeText(free)} free in ${dirname(copy)}. Nothing was changed`,
    );
  }
  let done = 0;
  for (const end of ['', '-wal'].filter((each) => existsSync(file + each))) {
    const counting = new Transform({
      transform: (chunk, _encoding, next) => {
        done += chunk.length;
        onDone(done, total);
        next(null, chunk);
      },
    });
    const into = createWriteStream(copy + end, { mode: 0o600, flags: 'wx', flush: true });
    await pipeline(createReadStream(file + end, { highWaterMark: 1024 * 1024 }), counting, into).catch(
      (error) => throwExplained(error.path ?? copy, error),
    );
  }
}

async function prepare(
  copy: string,
  { file, databasePath, at, keepSessions, migrations, progress }: Restoring,
): Promise<Omit<Restored, 'replaced'>> {
  const database = new SqliteDatabase(copy);
  try {
    database.pragma('trusted_schema = off');
    database.pragma('secure_delete = on');
    database.pragma('journal_mode = delete');
    const faults = faultsOf(database, progress('Checking'));
    if (faults.length > 0) {
      throw new StorageError(
        `${file} is damaged: ${faults.join('; ')}. Nothing was changed: take another backup`,
      );
    }
    schemaStatus({ path: file, reading: database }, migrations);
    const strange = await schemaFaults(database, migrations);
    if (strange.length > 0) {
      throw new StorageError(
        `${file} has another schema than Errand makes: ${strange.join('; ')}. Nothing was changed: somebody has altered it, so take another backup`,
      );
    }
    const tables = tablesIn(database);
    const hasTrail = tables.includes('audit_log');
    // In one commit: each is a wait for the disk, and the trail may have a hundred thousand rows.
    const ended = database.transaction(() => {
      const restored = connectionDb(database);
      noteRestored(restored, { file, bytes: statSync(file).size }, toMs(at));
      renewEpoch(restored);
      if (hasTrail) continueTrail(database, databasePath, file, toMs(at));
      return keepSessions ? {} : revokeRestored(restored, tables);
    })();
    return { rows: rowCounts(database), ended, hasTrail };
  } finally {
    database.close();
  }
}

/**
 * Adds to the restored audit trail what the replaced database recorded since, as far as that can be read, and the restore
 * itself: restoring an older file keeps what was done since.
 */
function continueTrail(
  database: SqliteDatabase.Database,
  replacedPath: string,
  file: string,
  now: number,
): void {
  const restored = connectionDb(database);
  try {
    const replaced = new SqliteDatabase(replacedPath, { fileMustExist: true, readonly: true });
    try {
      copyTrail(connectionDb(replaced), restored);
    } finally {
      replaced.close();
    }
  } catch (error) {
    // A full disk has ended it; otherwise there is none, or what is to be replaced is damaged.
    if (!database.inTransaction) throw error;
  }
  insertAct(restored, { source: 'command', act: { event: 'database-restored', file } }, now);
}

/**
 * Gives the old file a second name, and returns that; of one that is gone, the log it left behind. A log must be out of
 * the way: SQLite would take it for the new file's.
 */
function keepOld(path: string, kept: string): string | undefined {
  const log = `${path}-wal`;
  const isGone = !existsSync(path);
  if (existsSync(log) && (isGone || !emptyLog(path)) && existsSync(log)) renameSync(log, `${kept}-wal`);
  if (existsSync(log)) {
    throw new StorageError(`Another program has ${path} open, a replication tool perhaps. Stop it first`);
  }
  rmSync(`${path}-shm`, { force: true });
  if (isGone) return existsSync(`${kept}-wal`) ? `${kept}-wal` : undefined;
  if (statSync(path).isDirectory())
    throw new StorageError(`${path} is a folder: set database.path to a file in it`);
  linkSync(path, kept);
  return kept;
}

/** Brings the log into the file, as the last one to close it does; false when the file is too damaged for that. */
function emptyLog(path: string): boolean {
  try {
    // SQLite would throw away the log of a file that is no database.
    checkHeader(path);
    const database = new SqliteDatabase(path);
    try {
      database.prepare('select count(*) from sqlite_schema').get();
    } finally {
      database.close();
    }
    return true;
  } catch (error) {
    if (error instanceof StorageError || IS_DAMAGED.test(errnoOf(error))) return false;
    throw error;
  }
}
