import { setImmediate as turn } from 'node:timers/promises';
import type SqliteDatabase from 'better-sqlite3';
import { connectionDb } from './connection.ts';
import { type Change, type Journal, type JournalEntry, summarize } from './journal.ts';
import { createMemo } from './memo.ts';
import { WRITER_CACHE_KB } from './open.ts';
import { createPendingSums } from './pending-sums.ts';
import { createQueryCache, handleOf, type QueryCache } from './query-cache.ts';
import { spillPages } from './spill-pages.ts';
import { rejectWrite } from './storage-error.ts';
import { type BeforeCommitHook, createTxHandle, inTurns, type Savepoint, type Steps, type Tx } from './tx.ts';
import type { WalSync } from './wal-sync.ts';

export const MAX_FUNCTIONS_PER_COMMIT = 256;
const MILLISECONDS_PER_COMMIT = 10;
const HOOK_PAGES_PER_COMMIT = 256;
/** A hook does so much while nothing else is served: some 10 ms. */
const HOOK_PAGES_PER_TURN = 64;

/**
 * In steps, enough for what 100,000 tasks take: of a page that is written to the log twice in one transaction SQLite sums
 * up all that follow again, in the commit.
 */
const STEPS_CACHE_KB = 160_000;
/** Hardly any step changes more. */
const PAGES_OF_STEP = 1_500;
/** What fewer steps changed the commit writes. */
const FEW_STEPS = 3;

type Outcome<T = unknown> = { ok: true; value: T } | { ok: false; reason: unknown };

/** A transaction function, and what it came to once it was run. */
export interface Run {
  fn: (tx: Tx) => unknown;
  outcome?: Outcome;
  hooks: [BeforeCommitHook, number][];
  effects: (() => void)[];
  entry?: () => JournalEntry;
}

/** What the journal has of a commit, and what remains to be done about that. */
interface Journaled {
  changes: readonly Change[];
  onCommit(): void;
  publish(): void;
}

/** A commit that everyone can read. */
export interface Commit {
  journaled: Journaled | undefined;
  /** To be awaited before anyone hears of the commit, and before the next one; undefined: it is on the disk. */
  synced: Promise<void> | undefined;
}

export interface WritingConnection {
  writing: SqliteDatabase.Database;
  /** How long a batch is tried again by timer while another process writes; 0: SQLite itself waits, as it is set to. */
  busyTimeoutMs?: number;
  /** Undefined: each commit is on the disk when it is made. */
  walSync?: WalSync | undefined;
}

/** Transactions on the connection that writes, one at a time. Whatever throws leaves a transaction to be rolled back. */
export interface Transactions {
  cache: QueryCache;
  begin(): void;
  /**
   * Runs what `next` returns while time allows, and adds it to `batch`. One that throws is undone alone. Where hooks have
   * much to do, what it returns is to be awaited: the event loop turns meanwhile.
   */
  runBatch<Item extends Run>(batch: Item[], next: () => Item | undefined): Promise<void> | undefined;
  /** Runs one that yields, and lets the event loop turn at each step. */
  runInSteps(run: Run): Promise<void>;
  commit(batch: readonly Run[]): Commit;
  rollBack(): void;
  /** Returns what it is given; throws inside a transaction function, which has a handle of its own. */
  outside<Outer>(outer: Outer): Outer;
}

/**
 * Runs many functions in one transaction. Savepoints would double the cost of each, so a batch is first tried without
 * them; if one fails after it wrote, the batch is rolled back and run again, each in a savepoint. `onFailedHook` is told
 * of what a hook of `beforeCommit` throws: the functions are committed all the same.
 */
export function createTransactions(
  { writing, busyTimeoutMs = 0, walSync }: WritingConnection,
  onFailedHook: (reason: unknown) => void,
  journal?: Journal,
): Transactions {
  let inFunction = false;
  let writes = 0;
  let writesBefore = 0;
  let hookPages = 0;
  const cache = createQueryCache(writing);
  const sums = createPendingSums(
    (statement) => db.run(statement),
    (tables) => {
      writes += 1;
      cache.onWrite(tables);
    },
  );
  const memo = createMemo();
  const db = connectionDb(writing, {
    beforeWrite: (tables) => {
      sums.writeBefore(() => tables);
      // SQLite may end the transaction by itself, as when the disk is full: what a function wrote then would stay.
      if (!writing.inTransaction) throw rejectWrite();
      writes += 1;
      cache.onWrite(tables);
      memo.onWrite(tables);
    },
    beforeRead: sums.writeBefore,
  });
  const cachedDb = handleOf(cache, () => db);

  /** What is known of a transaction, or a part of one, that is undone. */
  const forgetPart = () => {
    sums.forget();
    memo.forget();
  };

  /** Each kind by a name of its own: to undo a function undoes the parts that it left open as well. */
  const beginPart = (name: 'part' | 'run' | 'hooks'): Savepoint => {
    sums.writeAll();
    writing.exec(`savepoint ${name}`);
    return {
      release: () => writing.exec(`release ${name}`),
      rollBack: () => {
        writing.exec(`rollback to ${name}; release ${name}`);
        forgetPart();
      },
    };
  };

  const begin = () => {
    if (writing.inTransaction) writing.exec('rollback');
    writing.exec('begin immediate');
    cache.onTransaction();
    forgetPart();
    hookPages = 0;
    writesBefore = writes;
  };

  /** A failing COMMIT may leave its transaction open. If even this fails, the next BEGIN tries again and tells. */
  const rollBack = () => {
    try {
      if (writing.inTransaction) writing.exec('rollback');
    } catch {}
    cache.onTransaction();
  };

  const handleFor = (run: Run) => {
    const { tx, hooks, effects, entry, compact, end } = createTxHandle(
      db,
      { cache, sums, memo },
      (pages) => {
        hookPages += pages;
      },
      () => beginPart('part'),
    );
    run.hooks = hooks;
    run.effects = effects;
    run.entry = entry;
    return { tx, compact, end };
  };

  const attempt = <T>(act: () => T): Outcome<T> => {
    inFunction = true;
    try {
      return { ok: true, value: act() };
    } catch (reason) {
      return { ok: false, reason };
    } finally {
      inFunction = false;
    }
  };

  const requireTransaction = (outcome: Outcome) => {
    if (!writing.inTransaction) throw outcome.ok ? rejectWrite() : outcome.reason;
  };

  const runOne = (run: Run) => {
    const { tx, end } = handleFor(run);
    run.outcome = attempt(() => run.fn(tx));
    end();
    requireTransaction(run.outcome);
  };

  /** Returns false when one failed after it wrote. */
  const runTogether = <Item extends Run>(batch: Item[], next: () => Item | undefined): boolean => {
    const end = performance.now() + MILLISECONDS_PER_COMMIT;
    do {
      const run = next();
      if (!run) break;
      batch.push(run);
      const before = writes;
      runOne(run);
      if (!run.outcome?.ok && writes !== before) return false;
    } while (
      batch.length < MAX_FUNCTIONS_PER_COMMIT &&
      hookPages < HOOK_PAGES_PER_COMMIT &&
      performance.now() < end
    );
    return true;
  };

  /** Another process may begin to write in between: that is waited for here, since the functions have begun. */
  const runAgain = (batch: readonly Run[]) => {
    if (busyTimeoutMs > 0) writing.pragma(`busy_timeout = ${busyTimeoutMs}`);
    try {
      begin();
    } finally {
      if (busyTimeoutMs > 0) writing.pragma('busy_timeout = 0');
    }
    for (const run of batch) {
      const part = beginPart('run');
      runOne(run);
      if (run.outcome?.ok) part.release();
      else part.rollBack();
    }
  };

  /** Yields where the event loop may turn: around each piece of what is much. */
  function* runHooks(batch: readonly Run[]): Steps<void> {
    const pagesOf = new Map<BeforeCommitHook, number>();
    for (const { outcome, hooks } of batch) {
      if (outcome?.ok === false) continue;
      for (const [hook, pages] of hooks) pagesOf.set(hook, (pagesOf.get(hook) ?? 0) + pages);
    }
    const isMuch = hookPages > HOOK_PAGES_PER_TURN;
    for (const [hook, pages] of pagesOf) {
      for (let left = pages; left > 0; left -= HOOK_PAGES_PER_TURN) {
        if (isMuch) yield;
        hook(db, Math.min(left, HOOK_PAGES_PER_TURN));
      }
    }
    if (isMuch) yield;
  }

  /** A failure of a hook is none of the function's. */
  const runHooksApart = async (run: Run) => {
    const part = beginPart('hooks');
    let end = part.release;
    try {
      await inTurns(runHooks([run]));
    } catch (reason) {
      onFailedHook(reason);
      requireTransaction({ ok: false, reason });
      end = part.rollBack;
    }
    end();
    run.hooks.splice(0);
    hookPages = 0;
  };

  /** Writes down what the functions recorded, in their order. */
  const journalize = (batch: readonly Run[]): Journaled | undefined => {
    const entries = batch.flatMap(({ outcome, entry }) => {
      const made = outcome?.ok ? entry?.() : undefined;
      const isEmpty = !made || (made.changes.length === 0 && made.personal.length === 0);
      return isEmpty ? [] : [{ ...made, changes: summarize(made.changes) }];
    });
    if (!journal || entries.length === 0) return undefined;
    const appended = journal.append(cachedDb, entries);
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

  return {
    cache,
    begin,
    rollBack,
    runBatch: (batch, next) => {
      if (!runTogether(batch, next)) runAgain(batch);
      const withoutHooks = (reason: unknown) => {
        onFailedHook(reason);
        runAgain(batch);
      };
      try {
        return inTurns(runHooks(batch))?.catch(withoutHooks);
      } catch (reason) {
        withoutHooks(reason);
        return undefined;
      }
    },
    runInSteps: async (run) => {
      const { tx, end, compact } = handleFor(run);
      let turns = 0;
      writing.pragma(`cache_size = -${STEPS_CACHE_KB}`);
      try {
        const steps = run.fn(tx) as Steps<unknown>;
        for (;;) {
          const outcome = attempt(() => steps.next());
          requireTransaction(outcome);
          if (!outcome.ok) throw outcome.reason;
          if (outcome.value.done) {
            run.outcome = { ok: true, value: outcome.value.value };
            break;
          }
          compact();
          await turn();
          // Has the search index write out what the step put into it, which takes as long again.
          writing.exec('savepoint step; release step');
          await turn();
          turns += 1;
          if (hookPages >= HOOK_PAGES_PER_COMMIT) {
            await runHooksApart(run);
            await turn();
          }
        }
        end();
        await runHooksApart(run);
        if (turns > FEW_STEPS) await inTurns(spillPages(writing, PAGES_OF_STEP * turns));
      } finally {
        end();
        writing.pragma(`cache_size = -${WRITER_CACHE_KB}`);
      }
    },
    commit: (batch) => {
      sums.writeAll();
      const journaled = journalize(batch);
      const hasWritten = writes > writesBefore;
      const began = performance.now();
      const ownBefore = process.threadCpuUsage();
      writing.exec('commit');
      // To write pages into the log is work that a thread for syncs would not take off this one.
      const { user, system } = process.threadCpuUsage(ownBefore);
      const waited = performance.now() - began - (user + system) / 1_000;
      const synced = hasWritten ? walSync?.onCommit(waited, batch.length) : undefined;
      cache.onTransaction();
      return { journaled, synced };
    },
    outside: (outer) => {
      if (inFunction) throw new Error('A transaction function must read with its own handle');
      return outer;
    },
  };
}
