import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type SqliteDatabase from 'better-sqlite3';
import { errnoOf, unavailable } from '../kernel/errors.ts';
import { connectionDb, type Db, isOfFailingStorage } from './connection.ts';
import { createFairQueue } from './fair-queue.ts';
import { type Change, type Journal, type JournalEntry, summarize } from './journal.ts';
import { createQueryCache, handleOf } from './query-cache.ts';
import { type BeforeCommitHook, createTxHandle, type Steps, type Tx } from './tx.ts';
import type { WalSync } from './wal-sync.ts';

const JOBS_PER_COMMIT = 256;
const MILLISECONDS_PER_COMMIT = 10;
const END_PAGES_PER_COMMIT = 256;
const REJECTION = 'The storage cannot take writes now';
/** Of all users, and of one: more than a user may ask for at once by the limits. */
const MAX_QUEUED = 5_000;
const MAX_QUEUED_OF_ONE = 1_500;
/** The lane of what no user asks for. */
const NOBODY = '';
/** A job in steps that took longer holds up other writers, other processes too. */
const LONG_MS = 50;
/** SQLite asks for a lock ten times a second at least: so long a command finds it free between two long jobs. */
const REST_MS = { least: 120, most: 1_000 };

/** How soon a batch is tried again while another process writes. */
const BUSY_RETRY_MS = 5;
/** After a sync that took so long, the next commit comes a moment later: what is written meanwhile shares it. */
const SLOW_SYNC_MS = 5;
const MOMENT_MS = 1;

/** Nothing may be awaited inside a transaction: a transaction function that returns a promise does not compile. */
type NotPromise<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `job` in a transaction and returns when its effect is on the disk. A job that throws leaves no trace.
 * A job may be run more than once, so it must have no effect but through its handle.
 */
export type Write = <T>(job: (tx: Tx) => NotPromise<T>, from?: Origin) => Promise<T>;

/** Who a job is for: users take turns, and none may fill the queue. */
export interface Origin {
  userId: string;
  /** Nobody waits for it any more: a job that has not begun is dropped then. */
  isGone?: (() => boolean) | undefined;
}

/**
 * As `write`, for a job that changes very much: alone in its transaction, between whose steps requests are served, and
 * find what was there before it. Whatever is to be written meanwhile waits, but comes before the next job in steps, and
 * after a long one there is a rest in which another process gets its turn.
 */
export type WriteInSteps = <T>(job: (tx: Tx) => Steps<T>, from?: Origin) => Promise<T>;

/**
 * Runs `act` at a moment at which all that can be read is on the disk, or what can be read of a workspace or of a thing
 * in it. 503 once a sync has failed.
 */
export type WhenSynced = <T>(act: () => T, about?: Touched) => Promise<T>;

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
  /** Whether a job in steps is under way, for which all others wait. */
  isInSteps(): boolean;
  /** Resolves when nothing is queued. */
  idle(): Promise<void>;
  /** Transactions committed and jobs done so far. */
  readonly counts: { commits: number; jobs: number };
}

type Outcome<T = unknown> = { ok: true; value: T } | { ok: false; reason: unknown };

/** What a response tells of: a workspace with all in it, or one thing of it. */
export interface Touched {
  workspaceId: string;
  id?: string;
}

/** A commit that everyone can read, and whose sync is under way. */
interface Unsynced {
  changes: readonly Change[];
  synced: Promise<void>;
  reject(reason: unknown): void;
}

/** What the journal has of a commit. */
interface Journaled {
  changes: readonly Change[];
  onCommit(): void;
  publish(): void;
}

interface Queued {
  job: (tx: Tx) => unknown;
  isInSteps: boolean;
  isGone: (() => boolean) | undefined;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  outcome?: Outcome;
  ends: [BeforeCommitHook, number][];
  effects: (() => void)[];
  entry?: () => JournalEntry;
}

/**
 * Group commit: the jobs queued in a few turns of the event loop share one `BEGIN IMMEDIATE … COMMIT`, in order, so
 * that the disk is asked once for many. Savepoints would double the cost of a job, so a batch is first tried
 * without them; if a job fails after it wrote, the batch is rolled back and run again, each job in a savepoint.
 * `onFailedEffect` is told of what an effect of `afterCommit` or a work of `beforeCommit` throws: the jobs are on the disk all
 * the same. `onCommit` is called after each commit, and what it returns is awaited before the next one. The `journal`
 * gets what the jobs of a commit recorded.
 */
export function createWriter(
  connections: {
    writing: SqliteDatabase.Database;
    reading: SqliteDatabase.Database;
    /** How long a batch is tried again by timer while another process writes; 0: SQLite itself waits, as it is set to. */
    patienceMs?: number;
    /** Undefined: each commit is on the disk when it is made. */
    walSync?: WalSync | undefined;
  },
  onFailedEffect: (reason: unknown) => void,
  onCommit: () => Promise<void> | undefined = () => undefined,
  journal?: Journal,
): Writer {
  const { writing, patienceMs = 0, walSync } = connections;
  const cache = createQueryCache(writing);
  const db = connectionDb(writing, (tables) => {
    // SQLite may end the transaction by itself, as when the disk is full: what a job wrote then would stay.
    if (!writing.inTransaction) throw unavailable(REJECTION);
    writes += 1;
    cache.onWrite(tables);
  });
  const reader = connectionDb(connections.reading);
  const counts = { commits: 0, jobs: 0 };
  const queue = createFairQueue<Queued>(({ isInSteps }) => isInSteps);
  /** Until then those in steps wait for all others, or for other processes. */
  let stepsWaitUntil = 0;
  let restUntil = 0;
  let isStepping = false;
  let isResting = false;
  let isRetrying = false;
  /** Since when another process writes. */
  let busySince: number | undefined;
  let scheduled = false;
  let isHeldBack = false;
  let unsynced: Unsynced | undefined;
  let failure: { reason: unknown } | undefined;
  let inJob = false;
  let writes = 0;
  let writesBefore = 0;
  let endPages = 0;
  const idleWaiters: (() => void)[] = [];

  const schedule = (known = 0) => {
    if (scheduled || isHeldBack) return;
    scheduled = true;
    gather(known);
  };

  /** Waits a turn longer for as long as each turn brings jobs: under load many more then share a commit. */
  const gather = (known: number) => {
    setImmediate(() => {
      if (queue.size > known && queue.size < JOBS_PER_COMMIT) return gather(queue.size);
      const now = performance.now();
      const waitsForRest = restUntil - now;
      const isForSteps = queue.has(true) && waitsForRest <= 0 && (!queue.has(false) || now >= stepsWaitUntil);
      if (!isForSteps && !queue.has(false)) {
        scheduled = false;
        return queue.has(true) ? goOnAfter(waitsForRest) : continueQueue();
      }
      if (!hasBegun(now)) {
        scheduled = false;
        return busySince === undefined ? continueQueue() : retrySoon();
      }
      const first = isForSteps ? next(true) : undefined;
      if (first) {
        return commitInSteps(first).finally(() => {
          scheduled = false;
          continueQueue();
        });
      }
      scheduled = false;
      if (queue.has(false)) commitBatch();
      else rollBack(writing);
      continueQueue();
    });
  };

  const begin = () => {
    if (writing.inTransaction) writing.exec('rollback');
    writing.exec('begin immediate');
    cache.onTransaction();
    endPages = 0;
    writesBefore = writes;
  };

  /**
   * Begins a transaction. False where another process writes, and `busySince` is set while that is waited for; and where
   * beginning fails, which fails all that are queued.
   */
  const hasBegun = (now: number): boolean => {
    try {
      begin();
      busySince = undefined;
      return true;
    } catch (reason) {
      rollBack(writing);
      if (errnoOf(reason).startsWith('SQLITE_BUSY') && now - (busySince ?? now) < patienceMs) {
        busySince ??= now;
        return false;
      }
      busySince = undefined;
      for (const { reject } of queue.drain()) reject(storageError(reason));
      return false;
    }
  };

  /** The next job in the queue that somebody still waits for. */
  const next = (isInSteps: boolean): Queued | undefined => {
    for (;;) {
      const queued = queue.shift(isInSteps);
      if (!queued?.isGone?.()) return queued;
      queued.reject(unavailable('The client is gone'));
    }
  };

  const goOnAfter = (milliseconds: number) => {
    if (isResting) return;
    isResting = true;
    setTimeout(() => {
      isResting = false;
      schedule(queue.size);
    }, milliseconds);
  };

  const retrySoon = () => {
    if (isRetrying) return;
    isRetrying = true;
    setTimeout(() => {
      isRetrying = false;
      schedule(queue.size);
    }, BUSY_RETRY_MS);
  };

  const continueQueue = () => {
    if (queue.size > 0) schedule(queue.size);
    else if (!unsynced) for (const wake of idleWaiters.splice(0)) wake();
  };

  const lend = (queued: Queued) => {
    const { tx, ends, effects, entry, end } = createTxHandle(
      db,
      cache,
      (pages) => {
        endPages += pages;
      },
      (sql) => writing.exec(sql),
    );
    queued.ends = ends;
    queued.effects = effects;
    queued.entry = entry;
    return { tx, end };
  };

  const attempt = <T>(act: () => T): Outcome<T> => {
    inJob = true;
    try {
      return { ok: true, value: act() };
    } catch (reason) {
      return { ok: false, reason };
    } finally {
      inJob = false;
    }
  };

  const requireTransaction = (outcome: Outcome) => {
    if (!writing.inTransaction) throw outcome.ok ? unavailable(REJECTION) : outcome.reason;
  };

  const runJob = (queued: Queued) => {
    const { tx, end } = lend(queued);
    queued.outcome = attempt(() => queued.job(tx));
    end();
    requireTransaction(queued.outcome);
  };

  const runInSteps = async (queued: Queued) => {
    const { tx, end } = lend(queued);
    try {
      const steps = queued.job(tx) as Steps<unknown>;
      for (;;) {
        const outcome = attempt(() => steps.next());
        requireTransaction(outcome);
        if (!outcome.ok) throw outcome.reason;
        if (outcome.value.done) {
          queued.outcome = { ok: true, value: outcome.value.value };
          return;
        }
        await turn();
        if (endPages >= END_PAGES_PER_COMMIT) {
          workAtEndApart(queued);
          await turn();
        }
      }
    } finally {
      end();
    }
  };

  /** Moves jobs from the queue into `batch` and runs them while time allows; false when one failed after it wrote. */
  const runTogether = (batch: Queued[]): boolean => {
    const end = performance.now() + MILLISECONDS_PER_COMMIT;
    do {
      const queued = next(false);
      if (!queued) break;
      batch.push(queued);
      const before = writes;
      runJob(queued);
      if (!queued.outcome?.ok && writes !== before) return false;
    } while (batch.length < JOBS_PER_COMMIT && endPages < END_PAGES_PER_COMMIT && performance.now() < end);
    return true;
  };

  const runApart = (batch: Queued[]) => {
    for (const queued of batch) {
      writing.exec('savepoint job');
      runJob(queued);
      writing.exec(queued.outcome?.ok ? 'release job' : 'rollback to job; release job');
    }
  };

  const workAtEnd = (batch: Queued[]) => {
    const pagesOf = new Map<BeforeCommitHook, number>();
    for (const { outcome, ends } of batch) {
      if (outcome?.ok === false) continue;
      for (const [work, pages] of ends) pagesOf.set(work, (pagesOf.get(work) ?? 0) + pages);
    }
    for (const [work, pages] of pagesOf) work(db, pages);
  };

  /** Writes down what the jobs recorded, in their order. */
  const journalize = (batch: Queued[]): Journaled | undefined => {
    const entries = batch.flatMap(({ outcome, entry }) => {
      const made = outcome?.ok ? entry?.() : undefined;
      const isEmpty = !made || (made.changes.length === 0 && made.personal.length === 0);
      return isEmpty ? [] : [{ ...made, changes: summarize(made.changes) }];
    });
    if (!journal || entries.length === 0) return undefined;
    const appended = journal.append(
      handleOf(cache, () => db),
      entries,
    );
    return {
      changes: entries.flatMap(({ changes }) => changes),
      onCommit: () => journal.onCommit(appended),
      publish: () =>
        journal.publish(
          appended,
          entries.flatMap(({ personal }) => personal),
        ),
    };
  };

  /** Returns what is to be awaited before anyone hears of it. */
  const commit = (): Promise<void> | undefined => {
    if (failure) throw unavailable(REJECTION, failure.reason);
    const began = performance.now();
    const hasWritten = writes > writesBefore;
    writing.exec('commit');
    return hasWritten ? walSync?.onCommit(performance.now() - began) : undefined;
  };

  /** Another process may begin to write in between: that is waited for here, since the jobs have begun. */
  const runAgain = (batch: Queued[]) => {
    if (patienceMs > 0) writing.pragma(`busy_timeout = ${patienceMs}`);
    try {
      begin();
    } finally {
      if (patienceMs > 0) writing.pragma('busy_timeout = 0');
    }
    runApart(batch);
  };

  const commitBatch = () => {
    const batch: Queued[] = [];
    let journaled: Journaled | undefined;
    let synced: Promise<void> | undefined;
    try {
      if (!runTogether(batch)) runAgain(batch);
      try {
        workAtEnd(batch);
      } catch (reason) {
        onFailedEffect(reason);
        runAgain(batch);
      }
      journaled = journalize(batch);
      synced = commit();
    } catch (reason) {
      rollBack(writing);
      for (const { reject } of batch) reject(storageError(reason));
      return;
    } finally {
      cache.onTransaction();
    }
    committed(batch, journaled, synced);
  };

  const commitInSteps = async (queued: Queued) => {
    let journaled: Journaled | undefined;
    let synced: Promise<void> | undefined;
    const begun = performance.now();
    isStepping = true;
    try {
      await runInSteps(queued);
      workAtEndApart(queued);
      journaled = journalize([queued]);
      synced = commit();
    } catch (reason) {
      rollBack(writing);
      return queued.reject(storageError(reason));
    } finally {
      cache.onTransaction();
      isStepping = false;
      const now = performance.now();
      const took = now - begun;
      stepsWaitUntil = now + Math.min(took, REST_MS.most);
      if (took > LONG_MS) restUntil = now + Math.min(Math.max(took, REST_MS.least), REST_MS.most);
    }
    committed([queued], journaled, synced);
  };

  /** A failure of it is none of the job's. */
  const workAtEndApart = (queued: Queued) => {
    writing.exec('savepoint ends');
    try {
      workAtEnd([queued]);
    } catch (reason) {
      onFailedEffect(reason);
      requireTransaction({ ok: false, reason });
      writing.exec('rollback to ends');
    }
    writing.exec('release ends');
    queued.ends.splice(0);
    endPages = 0;
  };

  const committed = (
    batch: Queued[],
    journaled: Journaled | undefined,
    synced: Promise<void> | undefined,
  ) => {
    counts.commits += 1;
    counts.jobs += batch.length;
    journaled?.onCommit();
    const tell = () => {
      for (const queued of batch) resolveCaller(queued);
      if (journaled) attemptEffect(journaled.publish);
    };
    if (!synced) tell();
    holdBack(batch.length > 1, onCommit(), synced && tellOnce(synced, batch, journaled?.changes ?? [], tell));
  };

  const tellOnce = async (
    synced: Promise<void>,
    batch: Queued[],
    changes: readonly Change[],
    tell: () => void,
  ) => {
    const waiting = Promise.withResolvers<void>();
    waiting.promise.catch(() => {});
    const reject = (reason: unknown) => {
      for (const queued of batch) queued.reject(reason);
      waiting.reject(reason);
    };
    unsynced = { changes, synced: waiting.promise, reject };
    await synced;
    unsynced = undefined;
    tell();
    waiting.resolve();
  };

  /** The next commit, and who waits until nothing is pending, wait for these. */
  const holdBack = async (isShared: boolean, ...until: (Promise<void> | undefined)[]) => {
    if (!until.some(Boolean)) return;
    isHeldBack = true;
    const began = performance.now();
    await Promise.all(until);
    // A client with a fresh response may write again at once: that shares the next commit, in place of waiting for it.
    if (isShared && performance.now() - began >= SLOW_SYNC_MS) await wait(MOMENT_MS);
    isHeldBack = false;
    continueQueue();
  };

  const resolveCaller = ({ outcome, effects, resolve, reject }: Queued) => {
    if (!outcome?.ok) return reject(storageError(outcome?.reason));
    effects.forEach(attemptEffect);
    resolve(outcome.value);
  };

  const attemptEffect = (effect: () => void) => {
    try {
      effect();
    } catch (reason) {
      onFailedEffect(reason);
    }
  };

  const outsideJobs = <Outer>(outer: Outer) => {
    if (inJob) throw new Error('A job must read with its own handle, not with the outer one');
    return outer;
  };

  const enqueue = <T>(job: (tx: Tx) => unknown, isInSteps: boolean, from?: Origin) => {
    const waiting = outsideJobs(queue);
    if (failure) return Promise.reject<T>(unavailable(REJECTION, failure.reason));
    const lane = from?.userId ?? NOBODY;
    return new Promise<T>((resolve, reject) => {
      if (from && (waiting.size >= MAX_QUEUED || waiting.sizeOf(lane) >= MAX_QUEUED_OF_ONE)) {
        return reject(unavailable('Too much is waiting to be written'));
      }
      waiting.push(lane, {
        job,
        isInSteps,
        isGone: from?.isGone,
        resolve: resolve as (value: unknown) => void,
        reject,
        ends: [],
        effects: [],
      });
      schedule();
    });
  };

  return {
    counts,
    read: handleOf(cache, () => outsideJobs(reader)),
    write: (job, from) => enqueue(job, false, from),
    writeInSteps: (job, from) => enqueue(job, true, from),
    versionByOthers: cache.versionByOthers,
    isInSteps: () => isStepping,
    whenSynced: async (act, about) => {
      for (;;) {
        if (failure) throw unavailable(REJECTION, failure.reason);
        if (!unsynced || (about && !isTouched(unsynced, about))) return act();
        await unsynced.synced;
      }
    },
    fail: (reason) => {
      failure ??= { reason };
      const rejection = unavailable(REJECTION, reason);
      for (const { reject } of queue.drain()) reject(rejection);
      unsynced?.reject(rejection);
      unsynced = undefined;
      continueQueue();
    },
    idle: () =>
      scheduled || queue.size > 0 || unsynced
        ? new Promise((resolve) => idleWaiters.push(resolve))
        : Promise.resolve(),
  };
}

const isTouched = ({ changes }: Unsynced, { workspaceId, id }: Touched): boolean =>
  changes.some(
    (change) =>
      change.workspaceId === workspaceId && (id === undefined || change.id === id || change.op === 'refetch'),
  );

/** A failing COMMIT may leave its transaction open. If even this fails, the next BEGIN tries again and tells. */
function rollBack(writing: SqliteDatabase.Database): void {
  try {
    if (writing.inTransaction) writing.exec('rollback');
  } catch {}
}

/** A disk that is full or failing is no fault of the request: 503, and the cause for the log. */
const storageError = (reason: unknown): unknown =>
  isOfFailingStorage(reason) ? unavailable(REJECTION, reason) : reason;
