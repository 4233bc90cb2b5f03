import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import SqliteDatabase from 'better-sqlite3';

/** 'Erra' in ASCII: marks a file as Errand's own (SQLite header, offset 68). */
const APPLICATION_ID = 0x45727261;
const BUSY_MILLISECONDS = 2_000;
const JOURNAL_BYTES = 64 * 1024 * 1024;

export interface Storage {
  /** Absolute path of the database file. */
  path: string;
  writing: SqliteDatabase.Database;
  reading: SqliteDatabase.Database;
  close(): void;
}

/** A fault of the data folder or its files, with the way out in its message. */
export class StorageError extends Error {}

export interface OpenOptions {
  path: string;
  /** Make the folder and the file where they are missing; otherwise that is a StorageError. */
  create: boolean;
  /** Leave checkpoints to a replication tool beside us. */
  externalReplication?: boolean;
}

/**
 * Opens the database file with its two connections: durable (`synchronous=FULL` in WAL), foreign keys on, deleted
 * content overwritten. Refuses, and never changes, a file that is foreign, truncated or corrupt.
 */
export function openStorage(options: OpenOptions): Storage {
  const path = resolve(options.path);
  if (!existsSync(path)) {
    if (!options.create) throw new StorageError(`There is no database at ${path}`);
    createFile(path);
  }
  checkHeader(path);
  tightenModes(path);
  try {
    const writing = new SqliteDatabase(path, { timeout: BUSY_MILLISECONDS, fileMustExist: true });
    writing.pragma('journal_mode = wal');
    writing.pragma('synchronous = full');
    writing.pragma('secure_delete = on');
    writing.pragma(`journal_size_limit = ${JOURNAL_BYTES}`);
    if (options.externalReplication) writing.pragma('wal_autocheckpoint = 0');
    const reading = new SqliteDatabase(path, { readonly: true, timeout: BUSY_MILLISECONDS });
    for (const connection of [writing, reading]) {
      connection.pragma('foreign_keys = on');
      connection.pragma('trusted_schema = off');
      connection.pragma('temp_store = memory');
      connection.pragma('cache_size = -32000');
    }
    return {
      path,
      writing,
      reading,
      close: () => {
        reading.close();
        writing.close();
      },
    };
  } catch (cause) {
    throw damaged(path, cause);
  }
}

/**
 * Holds the data for one server or one exclusive command: an exclusive lock on a side file, which the kernel frees
 * when the process dies. Answers the release; a StorageError when another process holds it.
 */
export function lockData(databasePath: string): () => void {
  const path = `${resolve(databasePath)}.lock`;
  const lock = new SqliteDatabase(path, { timeout: 0 });
  chmodSync(path, 0o600);
  lock.pragma('journal_mode = memory');
  try {
    lock.exec('begin exclusive');
  } catch {
    lock.close();
    throw new StorageError(`Another Errand process is using ${resolve(databasePath)}; stop it first`);
  }
  return () => lock.close();
}

/** Makes an empty database under another name first, so that an empty file under the real one is never ours. */
function createFile(path: string): void {
  createFolder(dirname(path));
  const unfinished = `${path}.new`;
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', 0o600));
  const database = new SqliteDatabase(unfinished);
  database.pragma(`application_id = ${APPLICATION_ID}`);
  database.pragma('journal_mode = wal');
  database.close();
  linkSync(unfinished, path);
  rmSync(unfinished);
}

/** Makes the data folder, private to its owner; one that is there is left as it is. */
export function createFolder(folder: string): void {
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
}

function tightenModes(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(file) && (statSync(file).mode & 0o077) !== 0) chmodSync(file, 0o600);
  }
}

/** Reads the 100-byte header itself: SQLite would take an empty file for a new one. https://sqlite.org/fileformat.html */
function checkHeader(path: string): void {
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  const length = readSync(file, header, 0, 100, 0);
  closeSync(file);
  const wayOut =
    'Nothing was changed. Restore a backup with `errand restore`, or set database.path to another file.';
  if (length === 0)
    throw new StorageError(`${path} is empty, though Errand never leaves an empty file. ${wayOut}`);
  if (length < 100 || header.toString('latin1', 0, 16) !== 'SQLite format 3\0') {
    throw new StorageError(`${path} is not a SQLite database. ${wayOut}`);
  }
  if (header.readUInt32BE(68) !== APPLICATION_ID) {
    throw new StorageError(`${path} belongs to another program, not to Errand. ${wayOut}`);
  }
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  if (statSync(path).size < header.readUInt32BE(28) * pageSize) {
    throw new StorageError(`${path} is truncated: it is shorter than it says. ${wayOut}`);
  }
}

function damaged(path: string, cause: unknown): unknown {
  const code = cause instanceof SqliteDatabase.SqliteError ? cause.code : '';
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) {
    return new StorageError(`${path} is damaged (${code}). Restore a backup with \`errand restore\`.`, {
      cause,
    });
  }
  if (/^SQLITE_(READONLY|CANTOPEN|PERM)/.test(code)) {
    return new StorageError(
      `${path} cannot be opened for writing (${code}): check the owner and mode of its folder`,
      { cause },
    );
  }
  return cause;
}
