import { randomUUID } from 'node:crypto';
import { Cron } from 'croner';
import { type Db, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { toInstant } from '../kernel/instants.ts';
import { deleteMetaOf, metaOf, setMeta } from './meta.ts';
import { remakeSearch } from './rebuild-search.ts';
import { mergeOf, mergeSearchIndex } from './search-index.ts';

/** Where deleted content may still lie in the files: the search index, the write-ahead log. */
type ErasedPlace = 'search' | 'log';

/** Pages of the search index that one step writes. */
const PAGE_BATCH_SIZE = 64;
/** Tasks after which the search index is cleared of them: in one step, as nothing is left to write. */
const TASKS_BETWEEN = 8_000;

/** When words of edited tasks and of single ones that are gone leave the index, in the host's time zone. */
const NIGHTLY = new Cron('20 4 * * *');
const LAST_ERASED = 'search_erased_at';

/** Notes, in the caller's transaction, that deleted content is to be erased from there; no two marks are alike. */
export const scheduleErasure = (tx: Tx, place: ErasedPlace) => setMeta(tx, keyOf(place), randomUUID());

/**
 * Erases what was noted to be left in the files, and nightly all that is left in the search index, in steps. The log
 * cannot be emptied while someone reads from it: then it is left for the next time, and to the replication tool where
 * one cares for the log.
 */
export async function eraseDeletedContent(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  const inSearch = metaOf(deps.read, keyOf('search'));
  if (inSearch !== undefined || isNightOver(deps.read, now)) {
    // Less than nothing begins a merge of all there is; then it goes on.
    let pages = -PAGE_BATCH_SIZE;
    while (await mergeSearch(deps, pages)) {
      if (deps.stopping.aborted) return;
      pages = PAGE_BATCH_SIZE;
    }
    if (endsInEmptyLevel(deps.read)) await deps.writeInSteps(remakeSearch);
    await deps.write((tx) => {
      setMeta(tx, LAST_ERASED, toInstant(now));
      // Merges only delete in their turn.
      scheduleErasure(tx, 'log');
      if (inSearch !== undefined) clearMark(tx, 'search', inSearch);
    });
  }
  const inLog = metaOf(deps.read, keyOf('log'));
  if (inLog === undefined) return;
  if (!deps.config.database.external_replication && !(await deps.database.emptyLog())) return;
  await deps.write((tx) => clearMark(tx, 'log', inLog));
}

/** As `eraseDeletedContent`, each time that it was called often enough: after steps that delete so many tasks at most. */
export function createErasureBetweenSteps(deps: Deps, tasksInStep: number): () => Promise<void> {
  const stepsBetween = Math.ceil(TASKS_BETWEEN / tasksInStep);
  let steps = 0;
  return async () => {
    steps += 1;
    if (steps % stepsBetween === 0) await eraseDeletedContent(deps);
  };
}

/**
 * Returns whether there was anything to merge; on a thread where there is one: what was deleted takes no page to write, so
 * that a merge does all of it at once, however much that is.
 */
async function mergeSearch(deps: Deps, pages: number): Promise<boolean> {
  const changes = await deps.database.runOnThread(mergeOf(pages));
  return changes === undefined ? deps.write((tx) => mergeHere(tx, pages)) : hasMerged(changes);
}

function mergeHere(tx: Tx, pages: number): boolean {
  // Writes out what other functions of the commit put into the index, which is no merge.
  mergeSearchIndex(tx, 0);
  const before = totalChanges(tx);
  mergeSearchIndex(tx, pages);
  return hasMerged(totalChanges(tx) - before);
}

/** https://sqlite.org/fts5.html#the_merge_command */
const hasMerged = (changes: number): boolean => changes >= 2;

/**
 * Whether the index was once emptied by merges: then its deepest level is kept though nothing is there, and merges above
 * it take away no more what goes.
 * https://sqlite.org/fts5.html#appendix_a (row 10 of the data is the structure, its levels in order)
 */
const endsInEmptyLevel = (db: Db): boolean =>
  db.one(
    statement<{ isEmpty: number }>(
      `select hex(substr(block, -2)) = '0000' as isEmpty from task_search_data where id = 10`,
      [],
    ),
  )?.isEmpty === 1;

const totalChanges = (db: Db): number =>
  db.one(statement<{ n: number }>('select total_changes() as n', []))?.n ?? 0;

function isNightOver(db: Db, now: number): boolean {
  const last = metaOf(db, LAST_ERASED);
  // One from the future was written while the clock was ahead.
  if (last === undefined || last > toInstant(now)) return true;
  const [night] = NIGHTLY.previousRuns(1, new Date(now));
  return night !== undefined && last < toInstant(night.getTime());
}

const keyOf = (place: ErasedPlace) => `residue_in_${place}`;

/** Not when more was left meanwhile. */
const clearMark = (tx: Tx, place: ErasedPlace, seen: string) => deleteMetaOf(tx, keyOf(place), seen);
