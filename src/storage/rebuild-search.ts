import type { Compilable } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import { mergeSearchIndex } from './search-index.ts';
import { insertCommentIntoIndex, insertIntoIndex } from './searchable.ts';

const BATCH_SIZE = 50;
/** A step indexes at most so much text, but one thing at least: some 10 ms. */
const STEP_CHARACTERS = 200_000;
/** Of the index, after each batch: enough to keep what is new in order. */
const PAGES_MERGED = 16;

/**
 * Makes the search index again of the tasks there are, in the caller's transaction: it is derived from them, and what it
 * has itself is not looked at. Until the commit, searches find what they found before.
 */
export function* remakeSearch(tx: Tx): Steps<void> {
  const sql = definitionOf(tx);
  const settings = tx.all(
    statement<{ k: string; v: number }>("select k, v from task_search_config where k <> 'version'", []),
  );
  tx.run(statement('drop table task_search', []));
  tx.run(statement(sql, []));
  for (const { k, v } of settings) {
    tx.run(statement('insert into task_search (task_search, rank) values (?, cast(? as integer))', [k, v]));
  }
  yield* indexAll(
    tx,
    (after) =>
      query
        .selectFrom('tasks')
        .select(['seq as key', 'workspace_code', 'title', 'description', 'checklist'])
        .where('seq', '>', after)
        .orderBy('seq'),
    ({ key, ...task }) => {
      insertIntoIndex(tx, key, task);
      return task.title.length + (task.description?.length ?? 0) + (task.checklist?.length ?? 0);
    },
  );
  yield* indexAll(
    tx,
    (after) =>
      query
        .selectFrom('comments')
        .select(['code as key', 'workspace_code', 'body'])
        .where('code', '>', after)
        .orderBy('code'),
    ({ key, workspace_code, body }) => {
      insertCommentIntoIndex(tx, key, workspace_code, body);
      return body.length;
    },
  );
}

/** Indexes the rows after each key, in their order; `index` returns how many characters that were. */
function* indexAll<Row extends { key: number }>(
  tx: Tx,
  rowsAfter: (key: number) => { limit(most: number): Compilable<Row> },
  index: (row: Row) => number,
): Steps<void> {
  for (let last = 0; ; ) {
    yield;
    const rows = tx.all(rowsAfter(last).limit(BATCH_SIZE));
    let characters = 0;
    for (const row of rows) {
      if (characters > STEP_CHARACTERS) {
        yield;
        characters = 0;
      }
      characters += index(row);
      last = row.key;
    }
    if (rows.length < BATCH_SIZE) return;
    mergeSearchIndex(tx, PAGES_MERGED);
  }
}

function definitionOf(db: Db): string {
  const found = db.one(
    statement<{ sql: string }>("select sql from sqlite_schema where name = 'task_search'", []),
  );
  if (!found) throw new Error('There is no search index');
  return found.sql;
}
