import { setTimeout as wait } from 'node:timers/promises';
import type SqliteDatabase from 'better-sqlite3';
import { errnoOf, unavailable } from '../kernel/errors.ts';
import { connectionDb, type Db } from './connection.ts';
import { createFairQueue } from './fair-queue.ts';
import type { Journal } from './journal.ts';
import { handleOf } from './query-cache.ts';
import { writeError } from './storage-error.ts';
import {
  type Commit,
  createTransactions,
  MAX_FUNCTIONS_PER_COMMIT,
  type Run,
  type WritingConnection,
} from './transactions.ts';
import type { Steps, Tx } from './tx.ts';
import { createUnsyncedCommit, type WhenSynced } from './unsynced.ts';

/** Of all users, and of one: more than a user may ask for at once by the limits. */
const MAX_QUEUED = 5_000;
const MAX_QUEUED_OF_ONE = 1_500;
/** The lane of what no user asks for. */
const NOBODY = '';
/** What takes longer in steps holds up other writers, other processes too. */
const LONG_MS = 50;
/** SQLite asks for a lock ten times a second at least: so long a command finds it free between two long ones in steps. */
const REST_MS = { least: 120, most: 1_000 };

/** How soon a batch is tried again while another process writes. */
const BUSY_RETRY_MS = 5;
/** After a sync that took so many times as long as what was synced, the next commit comes a moment later. */
const SLOW_SYNC = 2;
const MOMENT_MS = 1;

/** Nothing may be awaited inside a transaction: a transaction function that returns a promise does not compile. */
export type NotPromise<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `fn` in a transaction and returns when its effect is on the disk. If it throws, it leaves no trace.
 * It may be run more than once, so it must have no effect but through its handle.
 */
export type Write = <T>(fn: (tx: Tx) => NotPromise<T>, from?: Origin) => Promise<T>;

/** Who a write is for: users take turns, and none may fill the queue. */
export interface Origin {
  userId: string;
  /** Nobody waits for it any more: what has not begun is dropped then. */
  isGone?: (() => boolean) | undefined;
}

/**
 * As `write`, for what changes very much: alone in its transaction, between whose steps requests are served, and find
 * what was there before it. Other writes wait meanwhile, but come before the next one in steps, and after a long one
 * there is a rest in which another process gets its turn.
 */
export type WriteInSteps = <T>(fn: (tx: Tx) => Steps<T>, from?: Origin) => Promise<T>;

export interface Writer {
  write: Write;
  writeInSteps: WriteInSteps;
  /** The connection for reads: read-only, never waits, sees what is committed; but for `cached`, see `query-cache.ts`. */
  read: Db;
  whenSynced: WhenSynced;
  /** Rejects all writes from now on, and all who wait: what is on the disk is unknown. */
  fail(reason: unknown): void;
  /** A number that changes when another process has written. */
  versionByOthers(): number;
  /** Whether a write in steps is under way, for which all others wait. */
  isInSteps(): boolean;
  /** Resolves when nothing is queued. */
  idle(): Promise<void>;
  /** Transactions committed and transaction functions done so far. */
  readonly counts: { commits: number; jobs: number };
}

interface Queued extends Run {
  isInSteps: boolean;
  isGone: (() => boolean) | undefined;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
}

/**
 * Group commit: the functions queued in a few turns of the event loop share one `BEGIN IMMEDIATE … COMMIT`, in order, so
 * that the disk is asked once for many. `onFailedHook` is told of what an effect of `afterCommit` or a hook of
 * `beforeCommit` throws: the functions are on the disk all the same. `onCommit` is called after each commit, and what it
 * returns is awaited before the next one. The `journal` gets what the functions of a commit recorded.
 */
export function createWriter(
  connections: WritingConnection & { reading: SqliteDatabase.Database },
  onFailedHook: (reason: unknown) => void,
  onCommit: () => Promise<void> | undefined = () => undefined,
  journal?: Journal,
): Writer {
  const { busyTimeoutMs = 0 } = connections;
  const transactions = createTransactions(connections, onFailedHook, journal);
  const { cache } = transactions;
  const reader = connectionDb(connections.reading);
  const unsynced = createUnsyncedCommit();
  const counts = { commits: 0, jobs: 0 };
  const queue = createFairQueue<Queued>(({ isInSteps }) => isInSteps);
  /** Until then those in steps wait for all others, or for other processes. */
  let stepsWaitUntil = 0;
  let restUntil = 0;
  let isStepping = false;
  /** Since when another process writes. */
  let busySince: number | undefined;
  let scheduled = false;
  let isHeldBack = false;
  const idleWaiters: (() => void)[] = [];

  const schedule = (known = 0) => {
    if (scheduled || isHeldBack) return;
    scheduled = true;
    gather(known);
  };

  /** Waits a turn longer for as long as each turn brings some: under load many more then share a commit. */
  const gather = (known: number) => {
    setImmediate(() => {
      if (queue.size > known && queue.size < MAX_FUNCTIONS_PER_COMMIT) return gather(queue.size);
      const now = performance.now();
      const waitsForRest = restUntil - now;
      const isForSteps = queue.has(true) && waitsForRest <= 0 && (!queue.has(false) || now >= stepsWaitUntil);
      if (!isForSteps && !queue.has(false)) {
        scheduled = false;
        return queue.has(true) ? scheduleAfterRest(waitsForRest) : continueQueue();
      }
      if (!hasBegun(now)) {
        scheduled = false;
        return busySince === undefined ? continueQueue() : scheduleRetry(BUSY_RETRY_MS);
      }
      const first = isForSteps ? next(true) : undefined;
      scheduled = false;
      const pending = first ? commitInSteps(first) : commitBatch();
      if (!pending) return continueQueue();
      scheduled = true;
      pending.finally(() => {
        scheduled = false;
        continueQueue();
      });
    });
  };

  /**
   * Begins a transaction. False where another process writes, and `busySince` is set while that is waited for; and where
   * beginning fails, which fails all that are queued.
   */
  const hasBegun = (now: number): boolean => {
    try {
      transactions.begin();
      busySince = undefined;
      return true;
    } catch (reason) {
      transactions.rollBack();
      if (errnoOf(reason).startsWith('SQLITE_BUSY') && now - (busySince ?? now) < busyTimeoutMs) {
        busySince ??= now;
        return false;
      }
      busySince = undefined;
      for (const { reject } of queue.drain()) reject(writeError(reason));
      return false;
    }
  };

  /** The next one in the queue that somebody still waits for. */
  const next = (isInSteps: boolean): Queued | undefined => {
    for (;;) {
      const queued = queue.shift(isInSteps);
      if (!queued?.isGone?.()) return queued;
      queued.reject(unavailable('The client is gone'));
    }
  };

  /** A way to schedule after a pause, once for all calls meanwhile. */
  const createDelay = () => {
    let isWaiting = false;
    return (milliseconds: number) => {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(() => {
        isWaiting = false;
        schedule(queue.size);
      }, milliseconds);
    };
  };
  const scheduleAfterRest = createDelay();
  const scheduleRetry = createDelay();

  const continueQueue = () => {
    if (queue.size > 0) schedule(queue.size);
    else if (!unsynced.isPending()) for (const wake of idleWaiters.splice(0)) wake();
  };

  const commit = (batch: Queued[]): Commit => {
    const rejection = unsynced.rejection();
    if (rejection) throw rejection;
    return transactions.commit(batch);
  };

  const failBatch = (batch: Queued[], reason: unknown) => {
    transactions.rollBack();
    for (const { reject } of batch) reject(writeError(reason));
  };

  /** Returns what is to be awaited before anything else is written, where it takes some turns of the event loop. */
  const commitBatch = (): Promise<void> | undefined => {
    if (!queue.has(false)) {
      transactions.rollBack();
      return undefined;
    }
    const batch: Queued[] = [];
    const begun = performance.now();
    const fail = (reason: unknown) => {
      isStepping = false;
      failBatch(batch, reason);
    };
    const finish = () => {
      isStepping = false;
      let committed: Commit;
      try {
        committed = commit(batch);
      } catch (reason) {
        return fail(reason);
      }
      tell(batch, committed, performance.now() - begun);
    };
    let pending: Promise<void> | undefined;
    try {
      pending = transactions.runBatch(batch, () => next(false));
    } catch (reason) {
      fail(reason);
      return undefined;
    }
    if (!pending) {
      finish();
      return undefined;
    }
    isStepping = true;
    return pending.then(finish, fail);
  };

  const commitInSteps = async (queued: Queued) => {
    let committed: Commit;
    const begun = performance.now();
    isStepping = true;
    try {
      await transactions.runInSteps(queued);
      committed = commit([queued]);
    } catch (reason) {
      return failBatch([queued], reason);
    } finally {
      isStepping = false;
      const now = performance.now();
      const took = now - begun;
      stepsWaitUntil = now + Math.min(took, REST_MS.most);
      if (took > LONG_MS) restUntil = now + Math.min(Math.max(took, REST_MS.least), REST_MS.most);
    }
    tell([queued], committed);
  };

  /** Lets callers and readers of the journal know of a commit, once it is on the disk. */
  const tell = (batch: Queued[], { journaled, synced }: Commit, took?: number) => {
    counts.commits += 1;
    counts.jobs += batch.length;
    journaled?.onCommit();
    const onSynced = () => {
      for (const queued of batch) resolveCaller(queued);
      if (journaled) attemptEffect(journaled.publish);
    };
    const onFailure = (reason: unknown) => {
      for (const { reject } of batch) reject(reason);
    };
    if (!synced) onSynced();
    holdBack(
      batch.length > 1 ? took : undefined,
      onCommit(),
      synced && unsynced.waitFor(synced, journaled?.changes ?? [], onSynced, onFailure),
    );
  };

  /** The next commit, and who waits until nothing is pending, wait for these. */
  const holdBack = async (took: number | undefined, ...until: (Promise<void> | undefined)[]) => {
    if (!until.some(Boolean)) return;
    isHeldBack = true;
    const began = performance.now();
    await Promise.all(until);
    // A client with a fresh response may write again at once: that shares the next commit, in place of waiting for it.
    if (took !== undefined && performance.now() - began >= SLOW_SYNC * took) await wait(MOMENT_MS);
    isHeldBack = false;
    continueQueue();
  };

  const resolveCaller = ({ outcome, effects, resolve, reject }: Queued) => {
    if (!outcome?.ok) return reject(writeError(outcome?.reason));
    effects.forEach(attemptEffect);
    resolve(outcome.value);
  };

  const attemptEffect = (effect: () => void) => {
    try {
      effect();
    } catch (reason) {
      onFailedHook(reason);
    }
  };

  const enqueue = <T>(fn: (tx: Tx) => unknown, isInSteps: boolean, from?: Origin) => {
    const waiting = transactions.outside(queue);
    const rejection = unsynced.rejection();
    if (rejection) return Promise.reject<T>(rejection);
    const lane = from?.userId ?? NOBODY;
    return new Promise<T>((resolve, reject) => {
      if (from && (waiting.size >= MAX_QUEUED || waiting.sizeOf(lane) >= MAX_QUEUED_OF_ONE)) {
        return reject(unavailable('Too much is waiting to be written'));
      }
      waiting.push(lane, {
        fn,
        isInSteps,
        isGone: from?.isGone,
        resolve: resolve as (value: unknown) => void,
        reject,
        hooks: [],
        effects: [],
      });
      schedule();
    });
  };

  return {
    counts,
    read: handleOf(cache, () => transactions.outside(reader)),
    write: (fn, from) => enqueue(fn, false, from),
    writeInSteps: (fn, from) => enqueue(fn, true, from),
    versionByOthers: cache.versionByOthers,
    isInSteps: () => isStepping,
    whenSynced: unsynced.whenSynced,
    fail: (reason) => {
      unsynced.fail(reason);
      for (const { reject } of queue.drain()) reject(unsynced.rejection());
      continueQueue();
    },
    idle: () =>
      scheduled || queue.size > 0 || unsynced.isPending()
        ? new Promise((resolve) => idleWaiters.push(resolve))
        : Promise.resolve(),
  };
}
