import { setImmediate as turn } from 'node:timers/promises';
import type SqliteDatabase from 'better-sqlite3';
import { unavailable } from '../kernel/errors.ts';
import { connectionDb, type Db, isOfFailingStorage } from './connection.ts';
import { createMemory, handleOf } from './memory.ts';
import { type EndWork, lendTx, type Steps, type Tx } from './tx.ts';

const JOBS_PER_COMMIT = 256;
const MILLISECONDS_PER_COMMIT = 10;
const END_PAGES_PER_COMMIT = 256;
const REFUSAL = 'The storage cannot take writes now';

/** Nothing may be awaited inside a transaction: a job that answers a promise does not compile. */
type Settled<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `job` in a transaction and answers when its effect is on the disk. A job that throws leaves no trace.
 * A job may be run more than once, so it must have no effect but through its handle.
 */
export type Write = <T>(job: (tx: Tx) => Settled<T>) => Promise<T>;

/**
 * As `write`, for a job that changes very much: alone in its transaction, between whose steps requests are answered, and
 * find what was there before it. Whatever is to be written meanwhile waits.
 */
export type WriteInSteps = <T>(job: (tx: Tx) => Steps<T>) => Promise<T>;

export interface Writer {
  write: Write;
  writeInSteps: WriteInSteps;
  /** The connection for reads: read-only, never waits, sees what is committed; but for `recall`, see `memory.ts`. */
  read: Db;
  /**
   * Brings the write-ahead log into the file and empties it, so that nothing deleted is left there. False while
   * someone reads from it; never waits for them.
   */
  emptyLog(): boolean;
  /** Resolves when nothing is queued. */
  idle(): Promise<void>;
  /** Transactions committed and jobs done so far. */
  readonly counts: { commits: number; jobs: number };
}

type Outcome<T = unknown> = { ok: true; value: T } | { ok: false; reason: unknown };

interface Queued {
  job: (tx: Tx) => unknown;
  isInSteps: boolean;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  outcome?: Outcome;
  ends: [EndWork, number][];
  effects: (() => void)[];
}

/**
 * Group commit: the jobs queued in a few turns of the event loop share one `BEGIN IMMEDIATE … COMMIT`, in order, so
 * that the disk is asked once for many. Savepoints would double the cost of a job, so a batch is first tried
 * without them; if a job fails after it wrote, the batch is rolled back and run again, each job in a savepoint.
 * `onFailedEffect` is told of what an effect of `afterCommit` or a work of `atEnd` throws: the jobs are on the disk all
 * the same. `onCommit` is called after each commit, and what it answers is awaited before the next one.
 */
export function createWriter(
  connections: { writing: SqliteDatabase.Database; reading: SqliteDatabase.Database },
  onFailedEffect: (reason: unknown) => void,
  onCommit: () => Promise<void> | undefined = () => undefined,
): Writer {
  const { writing } = connections;
  const memory = createMemory(writing);
  const db = connectionDb(writing, (sql) => {
    // SQLite may end the transaction by itself, as when the disk is full: what a job wrote then would stay.
    if (!writing.inTransaction) throw unavailable(REFUSAL);
    writes += 1;
    memory.heed(sql);
  });
  const reader = connectionDb(connections.reading);
  const counts = { commits: 0, jobs: 0 };
  const queue: Queued[] = [];
  let scheduled = false;
  let isHeldBack = false;
  let inJob = false;
  let writes = 0;
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
      if (queue.length > known && queue.length < JOBS_PER_COMMIT) return gather(queue.length);
      const [first] = queue;
      if (first?.isInSteps) {
        queue.shift();
        return commitInSteps(first).finally(() => {
          scheduled = false;
          goOn();
        });
      }
      scheduled = false;
      commitBatch();
      goOn();
    });
  };

  const goOn = () => {
    if (queue.length > 0) schedule(queue.length);
    else for (const wake of idleWaiters.splice(0)) wake();
  };

  const lend = (queued: Queued) => {
    const { tx, ends, effects, end } = lendTx(db, memory, (pages) => {
      endPages += pages;
    });
    queued.ends = ends;
    queued.effects = effects;
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

  const demandTransaction = (outcome: Outcome) => {
    if (!writing.inTransaction) throw outcome.ok ? unavailable(REFUSAL) : outcome.reason;
  };

  const runJob = (queued: Queued) => {
    const { tx, end } = lend(queued);
    queued.outcome = attempt(() => queued.job(tx));
    end();
    demandTransaction(queued.outcome);
  };

  const runInSteps = async (queued: Queued) => {
    const { tx, end } = lend(queued);
    try {
      const steps = queued.job(tx) as Steps<unknown>;
      for (;;) {
        const outcome = attempt(() => steps.next());
        demandTransaction(outcome);
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
      const queued = queue.shift();
      if (!queued) break;
      batch.push(queued);
      const before = writes;
      runJob(queued);
      if (!queued.outcome?.ok && writes !== before) return false;
    } while (
      !queue[0]?.isInSteps &&
      batch.length < JOBS_PER_COMMIT &&
      endPages < END_PAGES_PER_COMMIT &&
      performance.now() < end
    );
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
    const pagesOf = new Map<EndWork, number>();
    for (const { outcome, ends } of batch) {
      if (outcome?.ok === false) continue;
      for (const [work, pages] of ends) pagesOf.set(work, (pagesOf.get(work) ?? 0) + pages);
    }
    for (const [work, pages] of pagesOf) work(db, pages);
  };

  const begin = () => {
    if (writing.inTransaction) writing.exec('rollback');
    writing.exec('begin immediate');
    memory.renew();
    endPages = 0;
  };

  const runAgain = (batch: Queued[]) => {
    begin();
    runApart(batch);
  };

  const commitBatch = () => {
    const batch: Queued[] = [];
    try {
      begin();
      if (!runTogether(batch)) runAgain(batch);
      try {
        workAtEnd(batch);
      } catch (reason) {
        onFailedEffect(reason);
        runAgain(batch);
      }
      writing.exec('commit');
    } catch (reason) {
      rollBack(writing);
      // What fails before the first job, fails them all.
      const failed = batch.length > 0 ? batch : queue.splice(0);
      for (const { reject } of failed) reject(storageError(reason));
      return;
    } finally {
      memory.renew();
    }
    committed(batch);
  };

  const commitInSteps = async (queued: Queued) => {
    try {
      begin();
      await runInSteps(queued);
      workAtEndApart(queued);
      writing.exec('commit');
    } catch (reason) {
      rollBack(writing);
      return queued.reject(storageError(reason));
    } finally {
      memory.renew();
    }
    committed([queued]);
  };

  /** A failure of it is none of the job's. */
  const workAtEndApart = (queued: Queued) => {
    writing.exec('savepoint ends');
    try {
      workAtEnd([queued]);
    } catch (reason) {
      onFailedEffect(reason);
      demandTransaction({ ok: false, reason });
      writing.exec('rollback to ends');
    }
    writing.exec('release ends');
    queued.ends.splice(0);
    endPages = 0;
  };

  const committed = (batch: Queued[]) => {
    counts.commits += 1;
    counts.jobs += batch.length;
    holdBack(onCommit());
    for (const queued of batch) settle(queued);
  };

  const holdBack = async (until: Promise<void> | undefined) => {
    if (!until) return;
    isHeldBack = true;
    await until;
    isHeldBack = false;
    if (queue.length > 0) schedule();
  };

  const settle = ({ outcome, effects, resolve, reject }: Queued) => {
    if (!outcome?.ok) return reject(storageError(outcome?.reason));
    for (const effect of effects) {
      try {
        effect();
      } catch (reason) {
        onFailedEffect(reason);
      }
    }
    resolve(outcome.value);
  };

  const outsideJobs = <Outer>(outer: Outer) => {
    if (inJob) throw new Error('A job must read with its own handle, not with the outer one');
    return outer;
  };

  const enqueue = <T>(job: (tx: Tx) => unknown, isInSteps: boolean) => {
    const waiting = outsideJobs(queue);
    return new Promise<T>((resolve, reject) => {
      waiting.push({
        job,
        isInSteps,
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
    read: handleOf(memory, () => outsideJobs(reader)),
    write: (job) => enqueue(job, false),
    writeInSteps: (job) => enqueue(job, true),
    emptyLog: () => {
      if (writing.inTransaction) return false;
      const patience = writing.pragma('busy_timeout', { simple: true });
      writing.pragma('busy_timeout = 0');
      try {
        return writing.pragma('wal_checkpoint(truncate)', { simple: true }) === 0;
      } finally {
        writing.pragma(`busy_timeout = ${patience}`);
      }
    },
    idle: () =>
      scheduled || queue.length > 0 ? new Promise((resolve) => idleWaiters.push(resolve)) : Promise.resolve(),
  };
}

/** A failing COMMIT may leave its transaction open. If even this fails, the next BEGIN tries again and tells. */
function rollBack(writing: SqliteDatabase.Database): void {
  try {
    if (writing.inTransaction) writing.exec('rollback');
  } catch {}
}

/** A disk that is full or failing is no fault of the request: 503, and the cause for the log. */
const storageError = (reason: unknown): unknown =>
  isOfFailingStorage(reason) ? unavailable(REFUSAL, reason) : reason;
