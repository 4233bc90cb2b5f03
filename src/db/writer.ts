import type SqliteDatabase from 'better-sqlite3';
import { unavailable } from '../kernel/errors.ts';
import { connectionDb, type Db } from './connection.ts';

const JOBS_PER_COMMIT = 256;
const MILLISECONDS_PER_COMMIT = 10;

/** The handle a job writes with; it is dead once the job has returned. */
export interface Tx extends Db {
  /** Runs `effect` once the job is on the disk, and never if it is not. */
  afterCommit(effect: () => void): void;
}

/** Nothing may be awaited inside a transaction: a job that answers a promise does not compile. */
type Settled<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Runs `job` in a transaction and answers when its effect is on the disk. A job that throws leaves no trace.
 * A job may be run twice, so it must have no effect but through its handle.
 */
export type Write = <T>(job: (tx: Tx) => Settled<T>) => Promise<T>;

export interface Writer {
  write: Write;
  /** The connection for reads: read-only, never waits, sees what is committed. */
  read: Db;
  /** Resolves when nothing is queued. */
  idle(): Promise<void>;
  /** Transactions committed and jobs done so far. */
  readonly counts: { commits: number; jobs: number };
}

interface Queued {
  job: (tx: Tx) => unknown;
  resolve: (value: unknown) => void;
  reject: (reason: unknown) => void;
  outcome?: { ok: true; value: unknown } | { ok: false; reason: unknown };
  effects: (() => void)[];
}

/**
 * Group commit: the jobs queued in one turn of the event loop share one `BEGIN IMMEDIATE … COMMIT`, in order, so
 * that the disk is asked once for many. Savepoints would double the cost of a job, so a batch is first tried
 * without them; if a job fails after it wrote, the batch is rolled back and run again, each job in a savepoint.
 */
export function createWriter(connections: {
  writing: SqliteDatabase.Database;
  reading: SqliteDatabase.Database;
}): Writer {
  const { writing } = connections;
  const db = connectionDb(writing, () => {
    writes += 1;
  });
  const reader = connectionDb(connections.reading);
  const counts = { commits: 0, jobs: 0 };
  const queue: Queued[] = [];
  let scheduled = false;
  let inJob = false;
  let writes = 0;
  const idleWaiters: (() => void)[] = [];

  const schedule = () => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      commitBatch();
      if (queue.length > 0) schedule();
      else for (const wake of idleWaiters.splice(0)) wake();
    });
  };

  const runJob = (queued: Queued) => {
    let alive = true;
    const live = () => {
      if (!alive) throw new Error('A job used its handle after it had returned');
      return db;
    };
    const tx: Tx = {
      all: (statement) => live().all(statement),
      one: (statement) => live().one(statement),
      run: (statement) => live().run(statement),
      afterCommit: (effect) => {
        queued.effects.push(effect);
      },
    };
    queued.effects = [];
    inJob = true;
    try {
      queued.outcome = { ok: true, value: queued.job(tx) };
    } catch (reason) {
      queued.outcome = { ok: false, reason };
    } finally {
      inJob = false;
      alive = false;
    }
  };

  /** Runs as many as time allows; answers how many, or undefined when one failed after it wrote. */
  const runTogether = (batch: Queued[]): number | undefined => {
    const started = performance.now();
    let ran = 0;
    for (const queued of batch) {
      const before = writes;
      runJob(queued);
      ran += 1;
      if (!queued.outcome?.ok && writes !== before) return undefined;
      if (performance.now() - started > MILLISECONDS_PER_COMMIT) break;
    }
    return ran;
  };

  const runApart = (batch: Queued[]) => {
    for (const queued of batch) {
      writing.exec('savepoint job');
      runJob(queued);
      writing.exec(queued.outcome?.ok ? 'release job' : 'rollback to job; release job');
    }
  };

  const rollBack = () => {
    // SQLite may have rolled back by itself, as it does when the disk is full.
    if (writing.inTransaction) writing.exec('rollback');
  };

  const commitBatch = () => {
    const batch = queue.splice(0, JOBS_PER_COMMIT);
    try {
      writing.exec('begin immediate');
      const ran = runTogether(batch);
      if (ran === undefined) {
        rollBack();
        writing.exec('begin immediate');
        runApart(batch);
      } else queue.unshift(...batch.splice(ran));
      writing.exec('commit');
    } catch (reason) {
      rollBack();
      for (const { reject } of batch) reject(storageError(reason));
      return;
    }
    counts.commits += 1;
    counts.jobs += batch.length;
    for (const { outcome, effects, resolve, reject } of batch) {
      if (outcome?.ok) {
        for (const effect of effects) effect();
        resolve(outcome.value);
      } else reject(storageError(outcome?.reason));
    }
  };

  const refuseInJob = () => {
    if (inJob) throw new Error('A job must read with its own handle, not with the outer one');
  };

  return {
    counts,
    read: {
      all: (statement) => {
        refuseInJob();
        return reader.all(statement);
      },
      one: (statement) => {
        refuseInJob();
        return reader.one(statement);
      },
      run: (statement) => {
        refuseInJob();
        return reader.run(statement);
      },
    },
    write: <T>(job: (tx: Tx) => Settled<T>) => {
      refuseInJob();
      return new Promise<T>((resolve, reject) => {
        queue.push({ job, resolve: resolve as (value: unknown) => void, reject, effects: [] });
        schedule();
      });
    },
    idle: () =>
      scheduled || queue.length > 0 ? new Promise((resolve) => idleWaiters.push(resolve)) : Promise.resolve(),
  };
}

const FAILING_STORAGE = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|NOTADB|CORRUPT)/;

/** A disk that is full or failing is no fault of the request: 503, and the cause for the log. */
function storageError(reason: unknown): unknown {
  const code = reason instanceof Error && 'code' in reason ? String(reason.code) : '';
  return FAILING_STORAGE.test(code) ? unavailable('The storage cannot take writes now', reason) : reason;
}
