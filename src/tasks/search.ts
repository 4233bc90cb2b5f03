import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import type { WrittenPage } from '../http/long-json.ts';
import { pageRequest } from '../http/page-query.ts';
import { offsetOf, pageOf } from '../kernel/page.ts';
import { admitsNone, filtersOf } from '../storage/task-query/filters.ts';
import { searchFilterOf, seqOfNumber, tasksInOrder } from '../storage/task-query/search-filter.ts';
import { matchTerms, numberIn } from '../storage/words.ts';
import { keyOfWorkspace } from '../storage/workspaces.ts';
import { type Member, requireRole } from '../workspaces/authorization.ts';
import type { Asker } from './long-pages.ts';
import type { SearchQuery, TaskPage } from './query-schema.ts';
import { readTaskPage } from './task-pages.ts';

/**
 * One page of the tasks in which every word of `q` begins a word of title or description: first those that have all of
 * them in the title, the newest first; before them the task whose number `q` is. Neither order nor total depends on
 * another workspace's tasks. They are found on another thread: a short word that begins many may take 40 ms and more.
 */
export async function searchTasks(
  deps: Deps,
  who: Member,
  query: SearchQuery,
  asker: Asker,
): Promise<WrittenPage<TaskPage>> {
  const { read: db } = deps;
  const page = pageRequest(deps, query);
  // The longest are found least often.
  const terms = matchTerms(who.workspaceKey, query.q).sort((a, b) => b.length - a.length);
  const filters = filtersOf(db, who, query);
  if (terms.length === 0 || admitsNone(filters)) return pageOf(page, 0, []);
  const { total, page: found } = await deps.searches.find(who.userId, {
    workspaceKey: who.workspaceKey,
    terms,
    filter: searchFilterOf(db, filters),
    first: seqOfNumber(db, filters, numberAsked(db, who, query.q)),
    offset: offsetOf(page),
    limit: page.limit,
  });
  requireRole(deps, db, who, 'viewer');
  const read = (at: Db) => ({ rows: tasksInOrder(at, filters, found) });
  const { items } = await readTaskPage(deps, who, asker, read);
  return pageOf(page, total, items);
}

/** The number that `12` asks for, and `HOME-12` where that is the workspace's key, in any case. */
function numberAsked(db: Db, who: Member, asked: string): number | undefined {
  const dash = asked.lastIndexOf('-');
  const isOurs = dash === -1 || asked.slice(0, dash).toUpperCase() === keyOfWorkspace(db, who.workspaceId);
  return isOurs ? numberIn(asked.slice(dash + 1)) : undefined;
}
