import { type Db, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';

/** Of the index, for each task that is written to it or taken out: enough to keep it in order. */
export const PAGES_FOR_A_TASK = 4;

/**
 * Has the search index merge about so many pages of what it grew by; fewer than nothing begins a merge of all there is.
 * https://sqlite.org/fts5.html#the_merge_command
 */
export const mergeSearchIndex = (db: Db, pages: number) =>
  // The driver hands over every number as a fraction.
  db.run(statement(mergeOf('cast(? as integer)'), [pages]));

/** The statement of `mergeSearchIndex`, for a thread. */
export const mergeOf = (pages: number | string): string =>
  `insert into task_search (task_search, rank) values ('merge', ${pages})`;

/**
 * As `mergeSearchIndex`, once for each commit, at its end: what is new to the index is first written out then.
 * By itself SQLite would merge hundreds of pages in one commit, which everyone waits for.
 */
export const mergeBeforeCommit = (tx: Tx, pages: number): void => tx.beforeCommit(mergeSearchIndex, pages);
