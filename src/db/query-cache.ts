import type SqliteDatabase from 'better-sqlite3';
import type { CompiledQuery } from 'kysely';
import type { Db } from './connection.ts';

/** An answer without a row counts as well. */
const MAX_ROWS = 10_000;
/** Five ids. What is asked for with more was not made by us, and may be of any length. */
const MAX_KEY_CHARACTERS = 200;

/** Tables that change with every task. Nothing else depends on them, so that writing to them makes nothing untrue. */
const OF_TASKS =
  '(?:tasks|task_counts|task_numbers|last_task|task_labels|checklist_items|comments|comment_mentions|task_search|recurring_series|series_labels|series_checklist_items|series_steps|series_counts|recurring_occurrences|notifications|changes|deleted_ids|audit_log|imports|user_preferences|trash|trash_rows|trash_items|trash_mentions|trash_counts)';
const WRITES_TO_TASKS = new RegExp(`^(?:insert into|update|delete from) "?${OF_TASKS}"?[ (]`);
/** That a credential was used prolongs it: who finds a cached one expired reads the row itself. */
const NOTES_USE = /^update "(?:sessions|api_tokens)" set "last_used_at" = \?(?:, "expires_at" = \?)? where /;
const NAMES_TASKS = new RegExp(String.raw`\b${OF_TASKS}\b`);

/** Returns that nearly every request asks for and hardly any changes: who may do what where, what a list is made of. */
export interface QueryCache {
  /** What `db` answers to `asked`, or did since anything but tasks was written. */
  cached<Row>(asked: CompiledQuery<Row>, db: Db): readonly Readonly<Row>[];
  /** To be told of each statement that writes, before it does. */
  onWrite(sql: string): void;
  /** To be told that a transaction begins or is over. */
  onTransaction(): void;
}

/** A handle that asks for its connection at each statement, and recalls from cache. */
export const handleOf = (cache: QueryCache, db: () => Db): Db => ({
  all: (statement) => db().all(statement),
  one: (statement) => db().one(statement),
  cached: (statement) => cache.cached(statement, db()),
  run: (statement) => db().run(statement),
  insert: (statement) => db().insert(statement),
});

/** The cache of one storage, over the connection that writes: it notices by that what other processes write. */
export function createQueryCache(writing: SqliteDatabase.Database): QueryCache {
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
    if (latest !== knownVersion || size >= MAX_ROWS) forget();
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
    cached: <Row>(asked: CompiledQuery<Row>, db: Db) => {
      if (!isFresh) refresh();
      const known = answersTo(asked.sql);
      const key = JSON.stringify(asked.parameters);
      if (isUncertain || key.length > MAX_KEY_CHARACTERS) return db.cached(asked);
      const remembered = known.get(key) as readonly Readonly<Row>[] | undefined;
      if (remembered) return remembered;
      const found = db.cached(asked);
      known.set(key, found);
      size += 1 + found.length;
      return found;
    },
    onWrite: (sql) => {
      if (WRITES_TO_TASKS.test(sql) || NOTES_USE.test(sql)) return;
      isUncertain = true;
      forget();
    },
    onTransaction: () => {
      isUncertain = false;
      isFresh = false;
    },
  };
}
