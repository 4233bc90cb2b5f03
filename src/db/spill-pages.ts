import type SqliteDatabase from 'better-sqlite3';
import type { Steps } from './tx.ts';

/** Some 5 ms. */
const PAGES_PER_STEP = 250;
/** 160 MB. */
const MAX_PAGES = 40_000;

/**
 * Has SQLite write pages that a transaction changed into the log, some in each step, so that the commit has few left: each
 * page that is read into a cache without room pushes out one of them. Of the schema, which nothing changes meanwhile.
 */
export function* spillPages(writing: SqliteDatabase.Database, most: number): Steps<void> {
  const pages = writing
    .prepare<[], number>(`select count(*) from dbstat where name = 'sqlite_schema'`)
    .pluck();
  const read = writing.prepare('select count(*) from sqlite_schema');
  const pagesAtOnce = Math.max(1, (pages.get() ?? 0) - 1);
  writing.pragma('cache_size = 1');
  let sinceYield = 0;
  for (let spilled = 0; spilled < Math.min(most, MAX_PAGES); spilled += pagesAtOnce) {
    read.get();
    sinceYield += pagesAtOnce;
    if (sinceYield < PAGES_PER_STEP) continue;
    sinceYield = 0;
    yield;
  }
}
