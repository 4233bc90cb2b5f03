import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import type SqliteDatabase from 'better-sqlite3';
import { startWorker } from '../kernel/thread.ts';
import type { Storage } from './open.ts';

/** 28 MB of log: the more, the more often a page was written that is copied but once. */
const PAGES_BETWEEN = 7_000;

/** The thread tries again while it leaves more, as more was written meanwhile. */
export const FEW_PAGES = 256;

/** A log this long must come to its end, before it outgrows what is kept of its file; so writers wait. */
const LONG_LOG_PAGES = 12_000;

/** 8 MB: how much the log may hold where no thread copies it. */
const PAGES_IN_PLACE = 2_000;

export type Asked = 'copy' | 'empty' | 'stop' | { sql: string };
export type Told = 'ready' | { isEmptied: boolean } | RowsChanged;

/** Undefined: another process writes, or the statement failed. */
interface RowsChanged {
  rowsChanged: number | undefined;
}

export interface ThreadData {
  path: string;
  /** Where the executable keeps its addons. */
  dataFolder: string;
}

/** Copies the write-ahead log into the file from time to time, so that it can begin again. */
export interface Checkpoints {
  /**
   * To be called after each commit; takes microseconds. What it returns is to be awaited before the next one: only then
   * does the thread come to the end of the log, so that it begins again.
   */
  consider(): Promise<void> | undefined;
  /** Resolves when none is under way. */
  idle(): Promise<void>;
  /** As `emptyLogOf`, off the event loop. */
  empty(): Promise<boolean>;
  /**
   * Has the thread run a statement after the next commit, and the one after that wait for it; resolves with the rows that
   * it changed, undefined where it could not be run.
   */
  runAfterCommit(sql: string): Promise<number | undefined>;
  /** To be awaited before the storage is closed. */
  stop(): Promise<void>;
}

/**
 * Takes the checkpoints of `storage` off its connections, where each holds up every request, to a thread that starts
 * when it is first needed. A thread that cannot start goes to `onFallback`, and they are made after commits. A checkpoint
 * that fails goes to `onFailure`, and none follows: the system may have dropped pages that it would take for written.
 */
export function createCheckpoints(
  storage: Storage,
  { onFallback, onFailure }: Record<'onFallback' | 'onFailure', (reason: unknown) => void>,
): Checkpoints {
  const { path, writing, reading } = storage;
  const threadData: ThreadData = { path, dataFolder: dirname(path) };
  writing.pragma('wal_autocheckpoint = 0');
  let thread: Worker | undefined;
  let isReady = false;
  let copying: PromiseWithResolvers<void> | undefined;
  let isEmptied = false;
  let rowsChanged: number | undefined;
  const toRun: { sql: string; changed: PromiseWithResolvers<number | undefined> }[] = [];
  let doWritersWait = false;
  let mode: 'thread' | 'in place' | 'failed' = 'thread';
  let isTooLong = false;
  let due = PAGES_BETWEEN;
  const [askWriting, askReading] = [logAsker(writing), logAsker(reading)];
  /** None can be asked in the midst of a transaction: a transaction in steps may be open. */
  const askLog = () => (writing.inTransaction ? askReading : askWriting)();

  const ask = (what: Asked): Promise<void> => {
    copying = Promise.withResolvers();
    thread ??= startWorker('checkpoint-thread', import.meta.url, { workerData: threadData })
      .on('message', onTold)
      .on('error', (reason) => (isReady ? fail(reason) : fallBack(reason)));
    thread.postMessage(what);
    return copying.promise;
  };

  const finish = () => {
    copying?.resolve();
    copying = undefined;
  };

  const fallBack = (reason: unknown) => {
    thread = undefined;
    mode = 'in place';
    onFallback(reason);
    finish();
  };

  const fail = (reason: unknown) => {
    thread = undefined;
    mode = 'failed';
    onFailure(reason);
    finish();
  };

  const onTold = (told: Told) => {
    if (told === 'ready') {
      isReady = true;
      return;
    }
    if ('rowsChanged' in told) {
      rowsChanged = told.rowsChanged;
      finish();
      return;
    }
    isEmptied = told.isEmptied;
    try {
      const { pages, left } = askLog();
      // Even with nothing left: the next transaction may have begun in this log, and the one after it would as well.
      // Someone who reads from the log may keep it from ending even while writers wait.
      isTooLong = !doWritersWait && pages > LONG_LOG_PAGES;
      due = left + PAGES_BETWEEN;
      finish();
    } catch (reason) {
      fail(reason);
    }
  };

  const copyInPlace = () => {
    if (askLog().left >= PAGES_IN_PLACE) writing.pragma('wal_checkpoint(passive)');
  };

  const run = async () => {
    for (const { sql, changed } of toRun.splice(0)) {
      while (copying) await copying.promise;
      rowsChanged = undefined;
      if (mode === 'thread') await ask({ sql });
      changed.resolve(rowsChanged);
    }
    await copyIfDue();
  };

  const copyIfDue = (): Promise<void> | undefined => {
    if (copying || mode === 'failed') return undefined;
    try {
      if (mode === 'in place') copyInPlace();
      else {
        doWritersWait = isTooLong;
        if (doWritersWait) return ask('copy');
        if (askLog().left >= due) ask('copy');
      }
    } catch (reason) {
      fail(reason);
    }
    return undefined;
  };

  return {
    consider: () => (toRun.length > 0 ? run() : copyIfDue()),
    idle: async () => copying?.promise,
    empty: async () => {
      while (copying) await copying.promise;
      if (mode === 'thread') {
        isEmptied = false;
        await ask('empty');
        return isEmptied;
      }
      return mode === 'in place' && emptyLogOf(writing);
    },
    runAfterCommit: (sql) => {
      const changed = Promise.withResolvers<number | undefined>();
      toRun.push({ sql, changed });
      return changed.promise;
    },
    stop: async () => {
      const ended = new Promise((resolve) => (thread ? thread.once('exit', resolve) : resolve(0)));
      thread?.postMessage('stop');
      await ended;
      thread = undefined;
    },
  };
}

/** How many pages the write-ahead log has, and how many of them are not in the file yet. */
export const logOf = (connection: SqliteDatabase.Database): LogLength => logAsker(connection)();

/**
 * Brings the write-ahead log into the file and empties it, so that nothing deleted is left there. False while someone
 * reads from it or writes; never waits for them.
 */
export function emptyLogOf(connection: SqliteDatabase.Database): boolean {
  if (connection.inTransaction) return false;
  const busyTimeout = connection.pragma('busy_timeout', { simple: true });
  connection.pragma('busy_timeout = 0');
  try {
    return connection.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
  } finally {
    connection.pragma(`busy_timeout = ${busyTimeout}`);
  }
}

interface LogLength {
  pages: number;
  left: number;
}

/** Prepared, as it is asked after each commit. */
function logAsker(connection: SqliteDatabase.Database): () => LogLength {
  const statement = connection.prepare<[], { log: number; checkpointed: number }>(
    'pragma wal_checkpoint(noop)',
  );
  return () => {
    const { log, checkpointed } = statement.get() ?? { log: 0, checkpointed: 0 };
    return { pages: log, left: log - checkpointed };
  };
}
