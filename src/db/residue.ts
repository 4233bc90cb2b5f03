import { sql } from 'kysely';
import type { Deps } from '../deps.ts';
import { type Db, query, statement } from './connection.ts';
import { metaOf } from './meta.ts';
import { forgetLater, tellSearchIndex } from './search-index.ts';
import type { Tx } from './writer.ts';

/** Where deleted content may still lie in the files: the search index, the write-ahead log. */
type Place = 'search' | 'log';

/** Pages of the search index that one step writes. */
const PAGES_AT_ONCE = 64;

/**
 * Runs a job that deletes many tasks several times faster: the search index only notes what is gone, and keeps it
 * until `eraseResidue`, which a crash does not make forget.
 */
export function deleteInHaste<T>(tx: Tx, job: () => T): T {
  markResidue(tx, 'search');
  return forgetLater(tx, job);
}

/** Notes, in the caller's transaction, that deleted content is to be erased from there. */
export const markResidue = (tx: Tx, place: Place) =>
  tx.run(
    query
      .insertInto('meta')
      .values({ key: keyOf(place), value: '1' })
      .onConflict((conflict) =>
        conflict.column('key').doUpdateSet({ value: sql<string>`cast(value as integer) + 1` }),
      ),
  );

/**
 * Erases what deletions left behind in the files, in steps. The log cannot be emptied while someone reads from it:
 * then it is left for the next time, and to the replication tool where one cares for the log.
 */
export async function eraseResidue(deps: Deps): Promise<void> {
  const inSearch = metaOf(deps.read, keyOf('search'));
  if (inSearch !== undefined) {
    // Less than nothing begins a merge of all there is; then it goes on.
    let pages = -PAGES_AT_ONCE;
    while (await deps.write((tx) => mergeSearch(tx, pages))) {
      if (deps.stopping.aborted) return;
      pages = PAGES_AT_ONCE;
    }
    await deps.write((tx) => clearMark(tx, 'search', inSearch));
  }
  const inLog = metaOf(deps.read, keyOf('log'));
  if (inLog === undefined) return;
  if (!deps.config.database.external_replication && !(await deps.emptyLog())) return;
  await deps.write((tx) => clearMark(tx, 'log', inLog));
}

/** Answers whether there was anything to merge. */
function mergeSearch(tx: Tx, pages: number): boolean {
  const before = totalChanges(tx);
  tellSearchIndex(tx, 'merge', pages);
  return totalChanges(tx) - before >= 2;
}

const totalChanges = (db: Db): number =>
  db.one(statement<{ n: number }>('select total_changes() as n', []))?.n ?? 0;

const keyOf = (place: Place) => `residue_in_${place}`;

/** Not when more was left meanwhile. */
const clearMark = (tx: Tx, place: Place, seen: string) =>
  tx.run(query.deleteFrom('meta').where('key', '=', keyOf(place)).where('value', '=', seen));
