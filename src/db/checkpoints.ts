import { dirname } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import type SqliteDatabase from 'better-sqlite3';
import type { Storage } from './open.ts';

/** 28 MB of log: the more, the more often a page was written that is copied but once. */
const PAGES_BETWEEN = 7_000;

/** The thread tries again while it leaves more, as more was written meanwhile. */
export const FEW_PAGES = 256;

/** A log this long must come to its end, before it outgrows what is kept of its file; so writers wait. */
const LONG_LOG_PAGES = 12_000;

export interface ThreadData {
  path: string;
  /** Where the executable keeps its addons. */
  dataFolder: string;
}

/** Copies the write-ahead log into the file from time to time, so that it can begin anew. */
export interface Checkpoints {
  /**
   * To be called after each commit; takes microseconds. What it answers is to be awaited before the next one: only then
   * does the thread come to the end of the log, so that it begins anew.
   */
  consider(): Promise<void> | undefined;
  /** Resolves when none is under way. */
  idle(): Promise<void>;
  /** Has the thread copy what is in the log by now, so that little is left to whoever empties it. */
  copyAll(): Promise<void>;
  /** To be awaited before the storage is closed. */
  stop(): Promise<void>;
}

/**
 * Takes the checkpoints of `storage` off its connections, where each holds up every request, to a thread that starts
 * when it is first needed. Should that fail, `onFailure` is told, and they are made as before.
 */
export function createCheckpoints(storage: Storage, onFailure: (reason: unknown) => void): Checkpoints {
  const { writing, reading } = storage;
  const withoutThread = writing.pragma('wal_autocheckpoint', { simple: true });
  writing.pragma('wal_autocheckpoint = 0');
  let thread: Worker | undefined;
  let copying: PromiseWithResolvers<void> | undefined;
  let doWritersWait = false;
  let hasFailed = false;
  let isTooLong = false;
  let due = PAGES_BETWEEN;
  const [askWriting, askReading] = [logAsker(writing), logAsker(reading)];
  /** None can be asked in the midst of a transaction: a job in steps may be in one. */
  const askLog = () => (writing.inTransaction ? askReading : askWriting)();

  const copy = (): Promise<void> => {
    copying = Promise.withResolvers();
    thread ??= startThread({ path: storage.path, dataFolder: dirname(storage.path) })
      .on('message', onCopied)
      .on('error', fail);
    thread.postMessage('copy');
    return copying.promise;
  };

  const finish = () => {
    copying?.resolve();
    copying = undefined;
  };

  const fail = (reason: unknown) => {
    void thread?.terminate();
    thread = undefined;
    hasFailed = true;
    writing.pragma(`wal_autocheckpoint = ${withoutThread}`);
    onFailure(reason);
    finish();
  };

  const onCopied = () => {
    try {
      const { pages, left } = askLog();
      // Someone who reads from the log may keep it from ending even while writers wait.
      isTooLong = !doWritersWait && left > 0 && pages > LONG_LOG_PAGES;
      due = left + PAGES_BETWEEN;
      finish();
    } catch (reason) {
      fail(reason);
    }
  };

  return {
    consider: () => {
      if (copying || hasFailed) return undefined;
      try {
        doWritersWait = isTooLong;
        if (doWritersWait) return copy();
        if (askLog().left >= due) copy();
      } catch (reason) {
        fail(reason);
      }
      return undefined;
    },
    idle: async () => copying?.promise,
    copyAll: async () => {
      while (copying) await copying.promise;
      if (!hasFailed && askLog().left > FEW_PAGES) await copy();
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

const startThread = (workerData: ThreadData): Worker =>
  isSea()
    ? new Worker(getAsset('checkpoint-thread', 'utf8'), { workerData, eval: true })
    : new Worker(new URL('./checkpoint-thread.ts', import.meta.url), { workerData });
