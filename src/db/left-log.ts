import { closeSync, fdatasyncSync, openSync, readSync, realpathSync, writeSync } from 'node:fs';
import type SqliteDatabase from 'better-sqlite3';

const CHUNK_BYTES = 1024 * 1024;

/**
 * Brings a WAL that an earlier process left into the file, and empties it. After a failed sync its pages may be in the
 * memory of the system only, and nothing may be read or written on top of them. Where a process that reads the newest
 * commits keeps the WAL from being emptied, as a backup does, it is written again as it is instead. Throws SQLITE_BUSY
 * where one reads older commits for longer than the busy timeout.
 */
export function takeOverLog(writing: SqliteDatabase.Database, path: string): void {
  const timeout = Number(writing.pragma('busy_timeout', { simple: true }));
  if (!isCopied(writing, 'passive') && !isCopied(writing, 'truncate')) {
    throw Object.assign(new Error('Another process reads from the WAL'), { code: 'SQLITE_BUSY' });
  }
  writing.pragma('busy_timeout = 0');
  const isEmptied = writing.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
  writing.pragma(`busy_timeout = ${timeout}`);
  if (!isEmptied) rewriteLog(writing, `${realpathSync(path)}-wal`);
}

/** Whether all of the WAL is in the file after a checkpoint. */
function isCopied(writing: SqliteDatabase.Database, mode: 'passive' | 'truncate'): boolean {
  const [told] = writing.pragma(`wal_checkpoint(${mode})`) as { log: number; checkpointed: number }[];
  return told !== undefined && told.checkpointed === told.log;
}

/** Puts the same bytes in their place, so that the system writes those too that it failed to sync before. */
function rewriteLog(writing: SqliteDatabase.Database, path: string): void {
  writing.exec('begin immediate');
  const log = openSync(path, 'r+');
  try {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let at = 0; ; ) {
      const length = readSync(log, chunk, 0, CHUNK_BYTES, at);
      if (length === 0) break;
      writeSync(log, chunk, 0, length, at);
      at += length;
    }
    fdatasyncSync(log);
  } finally {
    closeSync(log);
    writing.exec('rollback');
  }
}
