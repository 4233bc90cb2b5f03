import type SqliteDatabase from 'better-sqlite3';
import type { CompiledQuery } from 'kysely';
import type { Db } from './connection.ts';

/** An answer without a row counts as well. */
const ROWS_AT_MOST = 10_000;
/** Five ids. What is asked for with more was not made by us, and may be of any length. */
const KEY_CHARACTERS_AT_MOST = 200;

/** Tables that change with every task. Nothing else depends on them, so that writing to them makes nothing untrue. */
const OF_TASKS = '(?:tasks|task_counts|task_search|recurring_series|recurring_occurrences|notifications)';
const WRITES_TO_TASKS = new RegExp(`^(?:insert into|update|delete from) "?${OF_TASKS}"?[ (]`);
const NAMES_TASKS = new RegExp(String.raw`\b${OF_TASKS}\b`);

/** Answers that nearly every request asks for and hardly any changes: who may do what where, what a list is made of. */
export interface Memory {
  /** What `db` answers to `asked`, or did since anything but tasks was written. */
  recall<Row>(asked: CompiledQuery<Row>, db: Db): readonly Readonly<Row>[];
  /** To be told of each statement that writes, before it does. */
  heed(sql: string): void;
  /** To be told that a transaction begins or is over. */
  renew(): void;
}

/** A handle that asks for its connection at each statement, and recalls from memory. */
export const handleOf = (memory: Memory, db: () => Db): Db => ({
  all: (statement) => db().all(statement),
  one: (statement) => db().one(statement),
  recall: (statement) => memory.recall(statement, db()),
  run: (statement) => db().run(statement),
  insert: (statement) => db().insert(statement),
});

/** The memory of one storage, over the connection that writes: it notices by that what other processes write. */
export function createMemory(writing: SqliteDatabase.Database): Memory {
  const version = writing.prepare<[], number>('pragma data_version').pluck();
  const answers = new Map<string, Map<string, readonly unknown[]>>();
  let size = 0;
  let knownVersion: number | undefined;
  let isFresh = false;
  /** Once a transaction has written to a table that is not of tasks: what is read there may be undone. */
  let isUncertain = false;

  const forget = () => {
    answers.clear();
    size = 0;
  };

  /** Once in a turn of the event loop: it costs as much as a read. */
  const refresh = () => {
    const latest = version.get();
    if (latest !== knownVersion || size >= ROWS_AT_MOST) forget();
    knownVersion = latest;
    isFresh = true;
    setImmediate(() => {
      isFresh = false;
    });
  };

  const answersTo = (sql: string) => {
    const known = answers.get(sql);
    if (known) return known;
    if (NAMES_TASKS.test(sql)) throw new Error('What changes with every task is not remembered');
    const none = new Map<string, readonly unknown[]>();
    answers.set(sql, none);
    return none;
  };

  return {
    recall: <Row>(asked: CompiledQuery<Row>, db: Db) => {
      if (!isFresh) refresh();
      const known = answersTo(asked.sql);
      const key = JSON.stringify(asked.parameters);
      if (isUncertain || key.length > KEY_CHARACTERS_AT_MOST) return db.recall(asked);
      const remembered = known.get(key) as readonly Readonly<Row>[] | undefined;
      if (remembered) return remembered;
      const found = db.recall(asked);
      known.set(key, found);
      size += 1 + found.length;
      return found;
    },
    heed: (sql) => {
      if (WRITES_TO_TASKS.test(sql)) return;
      isUncertain = true;
      forget();
    },
    renew: () => {
      isUncertain = false;
      isFresh = false;
    },
  };
}
