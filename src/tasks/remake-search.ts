import { type Db, query, statement } from '../db/connection.ts';
import { mergeSearchIndex } from '../db/search-index.ts';
import type { Steps, Tx } from '../db/tx.ts';
import { insertIntoIndex } from './searchable.ts';

const AT_ONCE = 200;
/** Of the index, after each step: enough to keep what is new in order. */
const PAGES_MERGED = 64;

/**
 * Makes the search index anew of the tasks there are, in the caller's transaction: it is derived from them, and what it
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
  for (let last = 0; ; ) {
    yield;
    const tasks = tx.all(
      query
        .selectFrom('tasks')
        .select(['seq', 'workspace_code', 'title', 'description'])
        .where('seq', '>', last)
        .orderBy('seq')
        .limit(AT_ONCE),
    );
    for (const { seq, ...task } of tasks) {
      insertIntoIndex(tx, seq, task);
      last = seq;
    }
    if (tasks.length < AT_ONCE) return;
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
