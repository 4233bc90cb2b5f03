import { type Db, statement } from '../../db/connection.ts';
import type { TaskCountRow } from '../tables.ts';
import type { Condition } from './condition.ts';
import { type Field, type Filters, fieldsOf, restrict } from './filters.ts';

/** The fields whose values are counted, by priority and status. */
const COUNTED: Partial<Record<Field, TaskCountRow['field']>> = { listId: 'list', assigneeId: 'assignee' };

/** How many tasks a workspace has. */
export const countAll = (db: Db, workspaceKey: number): number => countByCounters(db, { workspaceKey }) ?? 0;

/** How many tasks pass, where counters alone can tell: by lists or by assignees, by priorities and statuses. */
export function countByCounters(db: Db, filters: Filters): number | undefined {
  const counters = countersFor(filters);
  if (!counters) return undefined;
  return db.one(
    statement<{ n: number }>(
      `select ifnull(sum(n), 0) as n from task_counts where ${counters.sql}`,
      counters.parameters,
    ),
  )?.n;
}

/** How many tasks pass for each value of a field, where counters alone can tell. */
export function totalsByCounters(
  db: Db,
  filters: Filters,
  by: Field,
): Map<number | null, number> | undefined {
  const counters = countersFor(filters, by);
  if (!counters) return undefined;
  const column = by === 'statusId' ? 'status_code' : by === 'priority' ? 'priority' : 'value';
  // Values come in the order of the key: SQLite need not sort them, and sums them up as it goes.
  const rows = db.all(
    statement<{ value: number; n: number }>(
      column === 'value'
        ? `select value, sum(n) as n from task_counts where ${counters.sql} group by value`
        : `select ${column} as value, n from task_counts where ${counters.sql}`,
      counters.parameters,
    ),
  );
  const totals = new Map<number | null, number>();
  for (const { value, n } of rows) {
    const key = column === 'value' && value === 0 ? null : value;
    totals.set(key, (totals.get(key) ?? 0) + n);
  }
  return totals;
}

/** The counters to sum up; undefined where more is asked than they know. */
function countersFor(filters: Filters, by?: Field): Condition | undefined {
  const fields = new Set(fieldsOf(filters)).add(by ?? 'priority');
  fields.delete('priority');
  fields.delete('statusId');
  const [field, another] = fields;
  const counted = field === undefined ? 'all' : COUNTED[field];
  if (counted === undefined || another !== undefined) return undefined;
  const counters: Condition = {
    sql: 'workspace_code = ? and field = ?',
    parameters: [filters.workspaceKey, counted],
  };
  const values = field === undefined ? [0] : filters[field];
  if (Array.isArray(values))
    restrict(
      counters,
      'value',
      values.map((value) => value ?? 0),
    );
  if (filters.priority) restrict(counters, 'priority', filters.priority);
  if (filters.statusId) restrict(counters, 'status_code', filters.statusId);
  return counters;
}
