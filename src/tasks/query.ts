import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import type { WrittenPage } from '../http/long-json.ts';
import { pageRequest } from '../http/page-query.ts';
import { offsetOf, pageOf } from '../kernel/page.ts';
import { filtersOf, zoneOf } from '../storage/task-query/filters.ts';
import { findTasks } from '../storage/task-query/find-tasks.ts';
import type { Sort } from '../storage/task-query/plan.ts';
import { countTasks } from '../storage/task-query/totals.ts';
import type { Member } from '../workspaces/authorization.ts';
import type { Asker } from './long-pages.ts';
import type { TaskPage, TaskQuery } from './query-schema.ts';
import { readTaskPage } from './task-pages.ts';

/** One page of the tasks that match, in order, and how many match in all. */
export async function queryTasks(
  deps: Deps,
  who: Member,
  query: TaskQuery,
  asker: Asker,
): Promise<WrittenPage<TaskPage>> {
  const page = pageRequest(deps, query);
  const { total, items } = await readTaskPage(deps, who, asker, (db) => {
    const filters = filtersOf(db, who, query);
    const total = countTasks(db, filters);
    const range = { offset: offsetOf(page), limit: page.limit, total };
    return { total, rows: findTasks(db, filters, sortOf(db, who, query), range) };
  });
  return pageOf(page, total, items);
}

/** The order that a query asks for, with the zone in which due days count. */
export const sortOf = (db: Db, who: Member, query: TaskQuery): Sort => ({
  by: query.sortBy,
  descending: query.sortOrder === 'desc',
  zone: zoneOf(db, who, query),
});
