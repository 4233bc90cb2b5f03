import { type Db, query, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import { mergeSearchIndex } from './search-index.ts';
import { insertCommentIntoIndex, insertIntoIndex } from './searchable.ts';

const BATCH_SIZE = 200;
/** Of the index, after each step: enough to keep what is new in order. */
const PAGES_MERGED = 64;

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
  for (let last = 0; ; ) {
    yield;
    const tasks = tx.all(
      query
        .selectFrom('tasks')
        .select(['seq', 'workspace_code', 'title', 'description', 'checklist'])
        .where('seq', '>', last)
        .orderBy('seq')
        .limit(BATCH_SIZE),
    );
    for (const { seq, ...task } of tasks) {
      insertIntoIndex(tx, seq, task);
      last = seq;
    }
    if (tasks.length < BATCH_SIZE) break;
    mergeSearchIndex(tx, PAGES_MERGED);
  }
  for (let last = 0; ; ) {
    yield;
    const comments = tx.all(
      query
        .selectFrom('comments')
        .select(['code', 'workspace_code', 'body'])
        .where('code', '>', last)
        .orderBy('code')
        .limit(BATCH_SIZE),
    );
    for (const { code, workspace_code, body } of comments) {
      insertCommentIntoIndex(tx, code, workspace_code, body);
      last = code;
    }
    if (comments.length < BATCH_SIZE) return;
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
