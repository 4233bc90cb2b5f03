import { type Db, statement } from '../db/connection.ts';
import { countAll } from './counters.ts';
import { columnsOf, conditionOf, type DueRange, type Filters } from './filters.ts';
import type { Group } from './group-headings.ts';
import { readHits } from './query.ts';
import { cheapestSource, orderOf, type Sort, weightOf } from './query-plan.ts';
import type { ShownTask } from './store.ts';
import { countTasks } from './totals.ts';

/** More days are not sought one by one. */
const DAYS_AT_MOST = 400;

/** After every instant of a day, and before the next day. */
const endOf = (day: string): string => `${day}T24`;
const END_OF_TIME = endOf('9999-12-31');

/** A day that tasks are due on, or none. */
export const dayGroup = (filters: Filters, day: string | null, total: number): Group => ({
  key: day,
  label: day ?? 'No due date',
  total,
  filters: { ...filters, due: day === null ? null : within(filters, day) },
});

/**
 * The days in order, undated tasks last, as far as the first `wanted` of all `total` matches reach: sought one by one
 * in the index of due dates. Undefined where sorting all matches is cheaper.
 */
export function daysReaching(
  db: Db,
  filters: Filters,
  sort: Sort,
  { total, wanted }: { total: number; wanted: number },
): Group[] | undefined {
  const all = countAll(db, filters.workspaceCode);
  const seeking = ((all * wanted) / total) * weightOf('tasks_due', columnsOf(filters));
  if (seeking > cheapestSource(db, filters).cost + total) return undefined;
  const days: Group[] = [];
  let reached = 0;
  let rest: Filters = filters;
  for (let sought = 0; reached < wanted; sought += 1) {
    if (sought === DAYS_AT_MOST) return undefined;
    const day = nextDay(db, rest, sort);
    if (day === undefined) return [...days, dayGroup(filters, null, total - reached)];
    const group = dayGroup(filters, day, 0);
    group.total = countTasks(db, group.filters);
    if (group.total > 0) days.push(group);
    reached += group.total;
    const { from, before } = rest.due ?? {};
    rest = { ...rest, due: isLatestFirst(sort) ? { from, before: day } : { from: endOf(day), before } };
  }
  return days;
}

/** The nearest day on which anything of the workspace is due, in the range that the filters leave. */
function nextDay(db: Db, { workspaceCode, due }: Filters, sort: Sort): string | undefined {
  const found = db.one(
    statement<{ due_date: string }>(
      `select due_date from tasks indexed by tasks_due
        where workspace_code = ? and due_date >= ? and due_date < ?
        order by due_date${isLatestFirst(sort) ? ' desc' : ''} limit 1`,
      [workspaceCode, due?.from ?? '', due?.before ?? END_OF_TIME],
    ),
  );
  return found?.due_date.slice(0, 10);
}

/** The matches day by day, undated ones last, each day in the order asked for. Looks at all of them. */
export function findTasksByDay(
  db: Db,
  filters: Filters,
  sort: Sort,
  stretch: { offset: number; limit: number },
): ShownTask[] {
  const { index } = cheapestSource(db, filters);
  const { sql: where, parameters } = conditionOf(filters);
  const order = `substr(due_date, 1, 10)${isLatestFirst(sort) ? ' desc' : ''} nulls last, ${orderOf(sort)}`;
  const hits = `select seq as hit from tasks indexed by ${index} where ${where} order by ${order}`;
  return readHits(db, filters.workspaceCode, { sql: hits, parameters }, order, stretch);
}

/** Days come latest first where tasks are asked for by descending due date. */
const isLatestFirst = ({ by, descending }: Sort): boolean => by === 'dueDate' && descending;

/** A day as a range, no further than the range asked for. */
function within({ due }: Filters, day: string): DueRange {
  const from = due?.from !== undefined && due.from > day ? due.from : day;
  const before = due?.before !== undefined && due.before < endOf(day) ? due.before : endOf(day);
  return { from, before };
}
