import { type Db, statement } from '../../db/connection.ts';
import { type Day, dayOf, isWholeDay } from '../../kernel/days.ts';
import type { Grouping } from '../../tasks/query-schema.ts';
import type { DateText } from '../tables.ts';
import { countByCounters, totalsByCounters } from './counters.ts';
import { admitsNone, COLUMNS, type Filters } from './filters.ts';
import { cheapestSource, sourceOf } from './plan.ts';

/** How many tasks pass. */
export function countTasks(db: Db, filters: Filters): number {
  if (admitsNone(filters)) return 0;
  return countByCounters(db, filters) ?? summary<number>(db, filters, 'count(*)') ?? 0;
}

/** How many tasks pass for each value of what they are grouped by. */
export function totalsBy(
  db: Db,
  filters: Filters,
  grouping: Exclude<Grouping, 'dueDate'>,
): Map<number | null, number> {
  if (admitsNone(filters)) return new Map();
  return (
    totalsByCounters(db, filters, grouping) ?? totalsOf(valuesOf<number>(db, filters, COLUMNS[grouping]))
  );
}

/** How many tasks pass for each day of a zone that they are due on. */
export function totalsByDay(db: Db, filters: Filters, zone: string): Map<Day | null, number> {
  // Of texts this short JSON makes each once; in UTC they are all there is to know.
  if (zone === 'UTC') return totalsOf(valuesOf<Day>(db, filters, COLUMNS.due, 'substr(due_date, 1, 10)'));
  const dates = valuesOf<DateText>(db, filters, COLUMNS.due);
  return totalsOf(dates.map((date) => (date === null || isWholeDay(date) ? date : dayOf(date, zone))));
}

/** All values in one text: `group by` would sort them, and a row for each costs as much. */
const valuesOf = <Value>(db: Db, filters: Filters, column: string, value = column): (Value | null)[] =>
  JSON.parse(summary<string>(db, filters, `json_group_array(${value})`, column) ?? '[]');

function totalsOf<Value>(values: readonly Value[]): Map<Value, number> {
  const totals = new Map<Value, number>();
  for (const each of values) totals.set(each, (totals.get(each) ?? 0) + 1);
  return totals;
}

/** An aggregate of all tasks that pass, perhaps of a column, from the cheapest entries that hold it. */
function summary<Value>(db: Db, filters: Filters, aggregate: string, column?: string): Value | undefined {
  const { index } = cheapestSource(db, filters, column === undefined ? {} : { column });
  const { from, sql, parameters } = sourceOf(index, filters);
  return db.one(
    statement<{ value: Value }>(`select ${aggregate} as value from ${from} where ${sql}`, parameters),
  )?.value;
}
