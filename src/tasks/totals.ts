import { type Db, statement } from '../db/connection.ts';
import { countByCounters, totalsByCounters } from './counters.ts';
import { admitsNone, COLUMNS, conditionOf, type Filters } from './filters.ts';
import { cheapestSource } from './query-plan.ts';
import type { Grouping } from './query-schema.ts';

/** How many tasks pass. */
export function countTasks(db: Db, filters: Filters): number {
  if (admitsNone(filters)) return 0;
  return countByCounters(db, filters) ?? summary<number>(db, filters, 'count(*)') ?? 0;
}

/** How many tasks pass for each value of what they are grouped by; days are `YYYY-MM-DD`. */
export function totalsBy(db: Db, filters: Filters, grouping: Grouping): Map<string | number | null, number> {
  if (admitsNone(filters)) return new Map();
  const field = grouping === 'dueDate' ? 'due' : grouping;
  const counted = totalsByCounters(db, filters, field);
  if (counted) return counted;
  const column = COLUMNS[field];
  const value = field === 'due' ? 'substr(due_date, 1, 10)' : column;
  // All values in one text: `group by` would sort them, and a row for each costs as much.
  const values: (string | number | null)[] = JSON.parse(
    summary<string>(db, filters, `json_group_array(${value})`, column) ?? '[]',
  );
  const totals = new Map<string | number | null, number>();
  for (const each of values) totals.set(each, (totals.get(each) ?? 0) + 1);
  return totals;
}

/** An aggregate of all tasks that pass, perhaps of a column, from the cheapest entries that hold it. */
function summary<Value>(db: Db, filters: Filters, aggregate: string, column?: string): Value | undefined {
  const { index } = cheapestSource(db, filters, column === undefined ? {} : { column });
  const { sql, parameters } = conditionOf(filters);
  return db.one(
    statement<{ value: Value }>(
      `select ${aggregate} as value from tasks indexed by ${index} where ${sql}`,
      parameters,
    ),
  )?.value;
}
