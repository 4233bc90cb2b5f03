import SqliteDatabase from 'better-sqlite3';
import { connectionDb, type Db } from './connection.ts';

/** Little, as it is read once from end to end. */
const CACHE_KIB = 4_000;

/** The data of one moment, whatever is written meanwhile. While it is open the write-ahead log only grows. */
export interface Snapshot {
  read: Db;
  close(): void;
  [Symbol.dispose](): void;
}

/** Opens the data as it is now, on a read-only connection of its own. */
export function openSnapshot(path: string): Snapshot {
  const connection = new SqliteDatabase(path, { readonly: true, fileMustExist: true });
  try {
    connection.pragma('trusted_schema = off');
    connection.pragma('temp_store = memory');
    connection.pragma(`cache_size = -${CACHE_KIB}`);
    connection.exec('begin');
    // Only the first read holds the moment.
    connection.prepare('select 1 from sqlite_schema').get();
  } catch (cause) {
    connection.close();
    throw cause;
  }
  const close = () => void connection.close();
  return { read: connectionDb(connection), close, [Symbol.dispose]: close };
}
