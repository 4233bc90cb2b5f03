import type { Db } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import type { WrittenPage } from '../http/long-json.ts';
import { pageRequest } from '../http/page-query.ts';
import { offsetOf, pageOf } from '../kernel/page.ts';
import type { FoundTask } from '../storage/task-fields.ts';
import { type Filters, filtersOf } from '../storage/task-query/filters.ts';
import { findTasks } from '../storage/task-query/find-tasks.ts';
import { allDays, daysReaching } from '../storage/task-query/group-days.ts';
import type { Sort } from '../storage/task-query/plan.ts';
import { countTasks } from '../storage/task-query/totals.ts';
import type { Member } from '../workspaces/authorization.ts';
import { type Group, groupsBy } from './group-headings.ts';
import type { Asker } from './long-pages.ts';
import { queryTasks, sortOf } from './query.ts';
import type { GroupedTaskPage, GroupedTaskQuery, TaskGroup } from './query-schema.ts';
import { readTaskPage } from './task-pages.ts';

interface TaskSelection {
  filters: Filters;
  sort: Sort;
  offset: number;
  limit: number;
}

interface Found {
  rows: FoundTask[];
  groups: TaskGroup[];
}

/**
 * One page of the tasks that match, group after group, each in the order asked for; without `groupBy` as `queryTasks`.
 * Tells of the groups that have a task on the page; a question for one list by status, of every status of the list.
 */
export async function queryTasksInGroups(
  deps: Deps,
  who: Member,
  query: GroupedTaskQuery,
  asker: Asker,
): Promise<WrittenPage<GroupedTaskPage>> {
  const { groupBy } = query;
  if (groupBy === undefined) return queryTasks(deps, who, query, asker);
  const page = pageRequest(deps, query);
  const { items, total, groups } = await readTaskPage(deps, who, asker, (db) => {
    const filters = filtersOf(db, who, query);
    const asked = { filters, sort: sortOf(db, who, query), offset: offsetOf(page), limit: page.limit };
    return groupBy === 'dueDate' ? findByDay(db, asked) : findByGroup(db, who, { ...query, groupBy }, asked);
  });
  return { ...pageOf(page, total, items), groups };
}

type Grouped = GroupedTaskQuery & { groupBy: Exclude<GroupedTaskQuery['groupBy'], 'dueDate' | undefined> };

function findByGroup(
  db: Db,
  { workspaceId }: Member,
  { groupBy, listId: lists }: Grouped,
  asked: TaskSelection,
) {
  const listId = lists?.length === 1 ? lists[0] : undefined;
  const all = groupsBy(db, groupBy, asked.filters, { workspaceId, sort: asked.sort, listId });
  const total = all.reduce((sum, group) => sum + group.total, 0);
  const { rows, groups } = pageThrough(db, all, asked);
  const isWhole = groupBy === 'statusId' && listId !== undefined;
  return { rows, total, groups: isWhole ? groups : groups.filter(isOnPage) };
}

function findByDay(db: Db, asked: TaskSelection): Found & { total: number } {
  const { filters, sort, offset, limit } = asked;
  const total = countTasks(db, filters);
  if (offset >= total) return { rows: [], groups: [], total };
  const days = daysReaching(db, filters, sort, { total, wanted: Math.min(offset + limit, total) });
  const { rows, groups } = pageThrough(db, days ?? allDays(db, filters, sort), asked);
  return { rows, groups: groups.filter(isOnPage), total };
}

const isOnPage = ({ taskIds }: TaskGroup): boolean => taskIds.length > 0;

/** The page of what the groups hold, one after the other; returns each of them. */
function pageThrough(db: Db, groups: readonly Group[], { sort, offset, limit }: TaskSelection): Found {
  const found: Found = { rows: [], groups: [] };
  let before = 0;
  for (const { key, label, total, filters } of groups) {
    const wanted = limit - found.rows.length;
    const rows = findTasks(db, filters, sort, { offset: Math.max(offset - before, 0), limit: wanted, total });
    found.rows.push(...rows);
    found.groups.push({ key, label, total, taskIds: rows.map(({ id }) => id) });
    before += total;
  }
  return found;
}
