import { setImmediate as turn } from 'node:timers/promises';
import type { Db } from './connection.ts';
import {
  type Author,
  type Change,
  type JournalEntry,
  MAX_CHANGES,
  type PersonalChange,
  summarize,
} from './journal.ts';
import type { Memo } from './memo.ts';
import type { PendingSums, Sums } from './pending-sums.ts';
import { handleOf, type QueryCache } from './query-cache.ts';

/** The handle that a transaction function writes with; it is dead once that has returned. */
export interface Tx extends Db {
  /**
   * Runs `hook` once before commit, with the summed page counts of its callers. A failure of it is no failure of theirs:
   * they are run again, without it.
   */
  beforeCommit(hook: BeforeCommitHook, pages: number): void;
  /** Runs `effect` once the transaction is on the disk, and never if it is not. */
  afterCommit(effect: () => void): void;
  /** Notes a thing that it changed, to be told to the readers of its workspace with the commit. */
  record(change: Change): void;
  /** Notes what changed for one person outside workspaces, to be told to them after the commit. */
  tell(personal: PersonalChange): void;
  /**
   * Adds to a row of sums, or makes it. It is written when somebody asks for that table, at the latest with the commit:
   * many functions add to the same few rows.
   */
  addUp(sums: Sums, key: readonly (string | number)[], added: readonly number[]): void;
  /** What was last remembered by that name in this commit, unless one of its tables has been written since. */
  recall<Value>(name: string): Value | undefined;
  /** Keeps something for the functions that follow in this commit, until one of the tables is written that it depends on. */
  remember(name: string, tables: readonly string[], value: unknown): void;
  /** Begins a part of the transaction that can be undone with all it recorded; either is to be called, the inner parts first. */
  savepoint(): Savepoint;
  /** Names the author of what is recorded. */
  actAs(author: Author): void;
}

/** A part of a transaction: what is in it stays, or is undone. */
export interface Savepoint {
  release(): void;
  rollBack(): void;
}

export type BeforeCommitHook = (db: Db, pages: number) => void;

/** A transaction function that yields where other requests may be served. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Takes all steps in one go, where they are few. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Takes all steps, and lets the event loop turn wherever they yield; undefined where that is nowhere. */
export function inTurns(steps: Steps<void>): Promise<void> | undefined {
  const goOn = (): Promise<void> | undefined => (steps.next().done ? undefined : turn().then(goOn));
  return goOn();
}

/** A handle until `end`, and what its function leaves to be done after it. */
interface TxHandle {
  tx: Tx;
  hooks: [BeforeCommitHook, number][];
  effects: (() => void)[];
  entry(): JournalEntry;
  /** Sums up what was recorded so far where that is much, so that the end of very many steps has little to do. */
  compact(): void;
  end(): void;
}

/** Lends the connection to one transaction function; `onHook` hears the pages of each hook that it has run. */
export function createTxHandle(
  db: Db,
  { cache, sums, memo }: { cache: QueryCache; sums: PendingSums; memo: Memo },
  onHook: (pages: number) => void,
  beginPart: () => Savepoint,
): TxHandle {
  let isAlive = true;
  const live = <Handle>(handle: Handle) => {
    if (!isAlive) throw new Error('A transaction function used its handle after it had returned');
    return handle;
  };
  const hooks: TxHandle['hooks'] = [];
  const effects: TxHandle['effects'] = [];
  const changes: Change[] = [];
  const personal: PersonalChange[] = [];
  let author: Author | undefined;
  const tx: Tx = {
    ...handleOf(cache, () => live(db)),
    beforeCommit: (hook, pages) => {
      live(hooks).push([hook, pages]);
      onHook(pages);
    },
    afterCommit: (effect) => {
      live(effects).push(effect);
    },
    record: (change) => {
      live(changes).push(change);
    },
    tell: (change) => {
      live(personal).push(change);
    },
    recall: (name) => live(memo).recall(name) as never,
    remember: (name, tables, value) => live(memo).remember(name, tables, value),
    addUp: (table, key, added) => live(sums).add(table, key, added),
    savepoint: () => {
      const lists: unknown[][] = [live(changes), personal, effects, hooks];
      const lengths = lists.map(({ length }) => length);
      const { release, rollBack } = beginPart();
      return {
        release,
        rollBack: () => {
          rollBack();
          for (const [i, list] of lists.entries()) list.splice(lengths[i] ?? 0);
        },
      };
    },
    actAs: (given) => {
      author = live(given);
    },
  };
  const end = () => {
    isAlive = false;
  };
  const compact = () => {
    if (changes.length > 2 * MAX_CHANGES) changes.splice(0, changes.length, ...summarize(changes));
  };
  return { tx, hooks, effects, entry: () => ({ author, changes, personal }), compact, end };
}
