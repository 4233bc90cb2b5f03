import { type Db, statement } from '../../db/connection.ts';
import { type Day, dayOf, endOfDay, isWholeDay } from '../../kernel/days.ts';
import type { Group } from '../../tasks/group-headings.ts';
import type { DateText } from '../tables.ts';
import type { Condition } from './condition.ts';
import { countAll } from './counters.ts';
import { type DueRange, edgeAt, overlapOf, windowOf } from './due-range.ts';
import { columnsOf, type Filters, restrictDue } from './filters.ts';
import { cheapestSource, type Sort, weightOf } from './plan.ts';
import { countTasks, totalsByDay } from './totals.ts';

/** More days are not sought one by one. */
const MAX_DAYS = 400;

/** A day that tasks are due on, or none. */
const dayGroup = (filters: Filters, { zone }: Sort, day: Day | null, total: number): Group => ({
  key: day,
  label: day ?? 'No due date',
  total,
  filters: { ...filters, due: day === null ? null : overlapOf(filters.due ?? {}, rangeOf(day, zone)) },
});

const rangeOf = (day: Day, zone: string): DueRange => ({
  from: edgeAt(day, zone),
  before: edgeAt(endOfDay(day, zone), zone),
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
  const all = countAll(db, filters.workspaceKey);
  const seeking = ((all * wanted) / total) * weightOf('tasks_due', columnsOf(filters));
  if (seeking > cheapestSource(db, filters).cost + total) return undefined;
  const days: Group[] = [];
  let reached = 0;
  let rest: Filters = filters;
  for (let sought = 0; reached < wanted; sought += 1) {
    if (sought === MAX_DAYS) return undefined;
    const day = nextDay(db, rest, sort);
    if (day === undefined) return [...days, dayGroup(filters, sort, null, total - reached)];
    const group = dayGroup(filters, sort, day, 0);
    group.total = countTasks(db, group.filters);
    if (group.total > 0) days.push(group);
    reached += group.total;
    const { from, before } = rangeOf(day, sort.zone);
    const beyond = isLatestFirst(sort) ? { before: from } : { from: before };
    rest = { ...rest, due: overlapOf(rest.due ?? {}, beyond) };
  }
  return days;
}

/** All days that matches are due on, in order, undated ones last. Looks at every match. */
export function allDays(db: Db, filters: Filters, sort: Sort): Group[] {
  const totals = totalsByDay(db, filters, sort.zone);
  const days = [...totals.keys()].filter((day) => day !== null).sort();
  if (isLatestFirst(sort)) days.reverse();
  return [...days, null]
    .map((day) => dayGroup(filters, sort, day, totals.get(day) ?? 0))
    .filter(({ total }) => total > 0);
}

/** The nearest day on which anything of the workspace is due, in the range that the filters leave. */
function nextDay(db: Db, { workspaceKey, due }: Filters, sort: Sort): Day | undefined {
  const { zone } = sort;
  const find = (among: DueRange, sql = '', ...more: DateText[]): DateText | undefined => {
    const condition: Condition = { sql: 'workspace_code = ?', parameters: [workspaceKey] };
    restrictDue(condition, among);
    const found = db.one(
      statement<{ due_date: DateText }>(
        `select due_date from tasks indexed by tasks_due
          where ${condition.sql}${sql}
          order by due_date${isLatestFirst(sort) ? ' desc' : ''} limit 1`,
        [...condition.parameters, ...more],
      ),
    );
    return found?.due_date;
  };
  const range = overlapOf({ from: { at: '' } }, due ?? {});
  const first = find(range);
  if (first === undefined) return undefined;
  const day = isWholeDay(first) ? first : dayOf(first, zone);
  // In a window, the text of its day may stand before an instant of the day before.
  if (isLatestFirst(sort)) {
    const last = windowOf(first, zone);
    return last === day ? day : (find(range, ' and due_date = ?', last) ?? day);
  }
  if (!isWholeDay(first)) return day;
  const behind = [`${first}T`, due?.from?.at ?? ''].sort()[1] ?? '';
  const second = find({ ...range, from: { at: behind } });
  if (second === undefined || isWholeDay(second)) return day;
  const other = dayOf(second, zone);
  return other < day ? other : day;
}

/** Days come latest first where tasks are asked for by descending due date. */
const isLatestFirst = ({ by, descending }: Sort): boolean => by === 'dueDate' && descending;
