import { type Db, statement } from './connection.ts';

/**
 * Tells the search index to keep to `secure-delete`, or to `merge` about so many pages of what it grew by; fewer than
 * nothing begins a merge of all there is. https://sqlite.org/fts5.html#special_insert_commands
 */
export const tellSearchIndex = (db: Db, command: string, value: number) =>
  // The driver hands over every number as a fraction.
  db.run(
    statement('insert into task_search (task_search, rank) values (?, cast(? as integer))', [command, value]),
  );

/** Runs a job in which the search index only marks what goes as gone, several times faster: merges take it away. */
export function forgetLater<T>(db: Db, job: () => T): T {
  tellSearchIndex(db, 'secure-delete', 0);
  const result = job();
  tellSearchIndex(db, 'secure-delete', 1);
  return result;
}
