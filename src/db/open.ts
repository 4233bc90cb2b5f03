import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { errnoOf } from '../kernel/errors.ts';
import { makeEmptyFile } from '../kernel/private-file.ts';
import { takeOverLog } from './left-log.ts';
import { explained, StorageError, WAY_OUT } from './storage-error.ts';

/** Where a SQLite header says whether the file has a log beside it. https://sqlite.org/fileformat.html#file_format_version_numbers */
const ON_DISK_VERSION = 18;
const ROLLBACK_JOURNAL = 1;

/** 'Erra' in ASCII: marks a file as Errand's own (SQLite header, offset 68). */
const APPLICATION_ID = 0x45727261;
/** How long another writer is waited for: by a server while it starts (and by timer later), by a command for a mass change. */
export const BUSY_MILLISECONDS = { server: 2_000, command: 15_000 };
const JOURNAL_BYTES = 64 * 1024 * 1024;
/** 8 MB of log between checkpoints where no thread makes them (`checkpoints.ts`): in commands, and after it failed. */
const CHECKPOINT_PAGES = 2_000;

/** A commit walks through all of it after a page was split. What is not in it, the system has in memory. */
export const WRITER_CACHE_KB = 10_000;

/** Older ones may damage a file that two connections write and checkpoint at one moment: https://sqlite.org/wal.html */
const SOUND_SQLITE = '3.51.3';

export interface Storage {
  /** Absolute path of the database file. */
  path: string;
  writing: SqliteDatabase.Database;
  reading: SqliteDatabase.Database;
  close(): void;
  [Symbol.dispose](): void;
}

export interface OpenOptions {
  path: string;
  /** Make the folder and the file where they are missing; otherwise that is a StorageError. */
  create: boolean;
  /** Leave checkpoints to a replication tool beside us. */
  external_replication?: boolean;
}

/**
 * Opens the database file with its two connections: durable (`synchronous=FULL` in WAL), foreign keys on, deleted
 * content overwritten. Rejects, and never changes, a file that is foreign, truncated or corrupt. To be called
 * once in a process: reading the header by hand would drop the file locks of a connection already open.
 */
export function openStorage(options: OpenOptions): Storage {
  const path = resolve(options.path);
  return explained(path, () => {
    if (!existsSync(path)) {
      if (!options.create) {
        throw new StorageError(
          `There is no database at ${path}: \`errand migrate\` makes one, or \`errand serve\``,
        );
      }
      createFile(path);
    } else if (options.create) removeUnfinished(path);
    checkHeader(path);
    tightenModes(realPath(path));
    // SQLite would open it for reading only, and say so at the first write.
    if (options.create) accessSync(path, constants.W_OK);
    return connect(path, options);
  });
}

/**
 * Holds the data for one server or one exclusive command: an exclusive lock on a side file, which the kernel frees
 * when the process dies. Makes the folder where it is missing. Returns the release; a StorageError, with `error` if
 * given, when another process holds it.
 */
export function lockData(databasePath: string, message?: string): () => void {
  createFolder(dirname(databasePath));
  const real = realPath(databasePath);
  const path = `${real}.lock`;
  return explained(path, () => {
    if (!existsSync(path)) makeEmptyFile(path);
    tightenMode(path);
    const lock = new SqliteDatabase(path, { timeout: 0 });
    try {
      lock.pragma('journal_mode = memory');
      lock.exec('begin exclusive');
    } catch (cause) {
      lock.close();
      if (errnoOf(cause) !== 'SQLITE_BUSY') {
        throw new StorageError(`${path} is no lock file (${errnoOf(cause)}): remove it`, { cause });
      }
      throw new StorageError(message ?? `Another Errand process is using ${real}; stop it first`);
    }
    return () => lock.close();
  });
}

/** Whether a server, or a command that is alone on the data, holds it now. */
export function isDataLocked(databasePath: string): boolean {
  const path = `${existsSync(databasePath) ? realPath(databasePath) : databasePath}.lock`;
  if (!existsSync(path)) return false;
  try {
    const lock = new SqliteDatabase(path, { timeout: 0, readonly: true });
    try {
      lock.prepare('select count(*) from sqlite_schema').get();
      return false;
    } finally {
      lock.close();
    }
  } catch (error) {
    return errnoOf(error) === 'SQLITE_BUSY';
  }
}

/** Makes the data folder, private to its owner; one that is there is left as it is. */
export function createFolder(folder: string): void {
  explained(folder, () => {
    if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  });
}

function connect(
  path: string,
  { create, external_replication: externalReplication = false }: OpenOptions,
): Storage {
  const timeout = create ? BUSY_MILLISECONDS.server : BUSY_MILLISECONDS.command;
  const writing = new SqliteDatabase(path, { timeout, fileMustExist: true });
  try {
    rejectOldSqlite(writing.prepare<[], string>('select sqlite_version()').pluck().get() ?? '');
    writing.pragma('journal_mode = wal');
    writing.pragma('synchronous = full');
    writing.pragma('checkpoint_fullfsync = on');
    if (create && !externalReplication) takeOverLog(writing, path);
    writing.pragma('secure_delete = on');
    writing.pragma(`journal_size_limit = ${JOURNAL_BYTES}`);
    writing.pragma(`wal_autocheckpoint = ${externalReplication ? 0 : CHECKPOINT_PAGES}`);
    const reading = new SqliteDatabase(path, { readonly: true, timeout });
    for (const connection of [writing, reading]) {
      connection.pragma('foreign_keys = on');
      connection.pragma('trusted_schema = off');
      connection.pragma('temp_store = memory');
      connection.pragma('cache_size = -32000');
    }
    writing.pragma(`cache_size = -${WRITER_CACHE_KB}`);
    // Has SQLite parse the whole schema.
    reading.prepare('select count(*) from sqlite_schema').get();
    // Closing the last connection is a checkpoint, unless that one is read-only.
    const inOrder = externalReplication ? [writing, reading] : [reading, writing];
    const close = () => {
      for (const connection of inOrder) connection.close();
    };
    return { path, writing, reading, close, [Symbol.dispose]: close };
  } catch (cause) {
    writing.close();
    throw cause;
  }
}

/** A StorageError for a build with a SQLite that data cannot be trusted to. */
export function rejectOldSqlite(version: string): void {
  if (numberOf(version) >= numberOf(SOUND_SQLITE)) return;
  throw new StorageError(
    `This build has SQLite ${version}, which may damage data: build it with ${SOUND_SQLITE} or newer`,
  );
}

/** As SQLite numbers its versions; `localeCompare` takes 10 ms of the start. https://sqlite.org/c3ref/c_source_id.html */
const numberOf = (version: string): number =>
  version.split('.').reduce((number, part) => number * 1_000 + Number(part), 0);

/** Makes an empty database under another name first, so that an empty file under the real one is never ours. */
function createFile(path: string): void {
  createFolder(dirname(path));
  if (hasLog(path)) {
    throw new StorageError(
      `There is no database at ${path}, but its log ${path}-wal, with commits that may be nowhere else: put the database back, or move its log away`,
    );
  }
  removeUnfinished(path);
  const unfinished = `${path}.new`;
  makeEmptyFile(unfinished);
  const database = new SqliteDatabase(unfinished);
  try {
    database.pragma(`application_id = ${APPLICATION_ID}`);
    database.pragma('journal_mode = wal');
  } finally {
    database.close();
  }
  linkSync(unfinished, path);
  rmSync(unfinished);
}

/** Removes what was being made to become the file at `path`: it goes by the name `path.new` until it is whole. */
export function removeUnfinished(path: string): void {
  for (const end of ['', '-wal', '-shm', '-journal']) rmSync(`${path}.new${end}`, { force: true });
}

/** Where the file lies: a link to it must not lead to a second lock, and its log lies there too. */
function realPath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  const folder = dirname(absolute);
  return existsSync(folder) ? join(realpathSync(folder), basename(absolute)) : absolute;
}

function tightenModes(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) if (existsSync(file)) tightenMode(file);
}

function tightenMode(file: string): void {
  if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
}

/**
 * A StorageError for a file that is not a whole database of Errand's. Reads the 100-byte header itself: SQLite would
 * take an empty file for a new one. `wayOut` tells what to do then. https://sqlite.org/fileformat.html
 */
export function checkHeader(path: string, wayOut = WAY_OUT): void {
  if (statSync(path).isDirectory()) {
    throw new StorageError(`${path} is a folder: set database.path to a file in it`);
  }
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  const length = readSync(file, header, 0, 100, 0);
  closeSync(file);
  if (length === 0) {
    throw new StorageError(`${path} is empty, though Errand never leaves an empty file. ${wayOut}`);
  }
  if (length < 100 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw new StorageError(`${path} is not a SQLite database. ${wayOut}`);
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new StorageError(`${path} belongs to another program, not to Errand. ${wayOut}`);
  }
  // Closed without a log, as backups are. SQLite would take any log for its own.
  if (header[ON_DISK_VERSION] === ROLLBACK_JOURNAL && hasLog(path)) {
    throw new StorageError(
      `${path}-wal is not of ${path}, but of a database that was there before: move it away, or put that database back`,
    );
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  if (statSync(path).size < header.readUInt32BE(28) * pageSize && !hasLog(path)) {
    throw new StorageError(`${path} is truncated: it is shorter than it says. ${wayOut}`);
  }
}

/** What is missing in the file may still be in its log, after a kill in the midst of a checkpoint. */
const hasLog = (path: string) => logBytesOf(path) > 0;

/** Bytes of the write-ahead log of a database; 0 where there is none. */
export const logBytesOf = (path: string): number =>
  statSync(`${realPath(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0;
