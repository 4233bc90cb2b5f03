import { type Db, statement } from '../../db/connection.ts';
import { type Day, isWholeDay, startOfDay } from '../../kernel/days.ts';
import { FOUND, type FoundTask } from '../task-fields.ts';
import { endOfWindow, overlapOf, startOfWindow, windowOf } from './due-range.ts';
import type { Filters } from './filters.ts';
import { type Sort, sourceOf } from './plan.ts';

/**
 * Puts a page that was read by due date as text into the order of instants, where a day counts as its first one. The
 * windows at either end of the page may be cut by it: where such a one holds a day and instants, it is read again.
 */
export function orderDays(db: Db, filters: Filters, sort: Sort, rows: FoundTask[]): FoundTask[] {
  const windowOfRow = ({ due_date: due }: FoundTask) => (due === null ? null : windowOf(due, sort.zone));
  const [first, last] = [rows[0], rows.at(-1)].map((row) => row && windowOfRow(row));
  const cut = [...new Set([first, last])].filter((day) => day != null && isMixed(db, filters, sort, day));
  if (cut.length === 0 && !rows.some(isOfDay)) return rows;
  return [...Map.groupBy(rows, windowOfRow)].flatMap(([day, found]) =>
    day !== null && cut.includes(day) ? readWindow(db, filters, sort, day, found) : inOrder(found, sort),
  );
}

const isOfDay = ({ due_date: due }: FoundTask): boolean => due !== null && isWholeDay(due);

function inOrder(rows: FoundTask[], { zone, descending }: Sort): FoundTask[] {
  if (!rows.some(isOfDay)) return rows;
  const at = ({ due_date: due }: FoundTask) =>
    due !== null && isWholeDay(due) ? startOfDay(due, zone) : (due ?? '');
  const compare = (a: FoundTask, b: FoundTask) => (at(a) === at(b) ? a.seq - b.seq : at(a) < at(b) ? -1 : 1);
  return rows.sort(descending ? (a, b) => compare(b, a) : compare);
}

/** Whether tasks of the workspace are due on a day and at instants in its window. */
function isMixed(db: Db, { workspaceKey }: Filters, { zone }: Sort, day: Day): boolean {
  const due = 'exists (select 1 from tasks indexed by tasks_due where workspace_code = ? and due_date';
  const asked = `select ${due} = ?) and (${due} >= ? and due_date < ?) or ${due} > ? and due_date < ?)) as found`;
  const found = db.one(
    statement<{ found: number }>(asked, [
      ...[workspaceKey, day],
      ...[workspaceKey, startOfWindow(day, zone), day],
      ...[workspaceKey, day, endOfWindow(day, zone)],
    ]),
  );
  return found?.found === 1;
}

/** As many matches of a window as were found there, behind as many as stand before the first of those. */
function readWindow(db: Db, filters: Filters, sort: Sort, day: Day, found: FoundTask[]): FoundTask[] {
  const { zone, descending } = sort;
  const window = { from: { at: startOfWindow(day, zone) }, before: { at: endOfWindow(day, zone) } };
  const within = { ...filters, due: overlapOf(filters.due ?? {}, window) };
  const { from, sql, parameters } = sourceOf('tasks_due', within);
  const [first] = found;
  const skipped = db.one(
    statement<{ n: number }>(
      `select count(*) as n from ${from} where ${sql} and (due_date, seq) ${descending ? '>' : '<'} (?, ?)`,
      [...parameters, first?.due_date, first?.seq],
    ),
  );
  const direction = descending ? ' desc' : '';
  const order = `due_at${direction}, seq${direction}`;
  return db.all(
    statement<FoundTask>(
      `select ${FOUND} from (
        select seq as found_seq, case due_date when ? then ? else due_date end as due_at from ${from} where ${sql}
          order by ${order} limit ? offset ?
        ) cross join tasks on seq = found_seq where workspace_code = ? order by ${order}`,
      [
        ...[day, startOfDay(day, zone), ...parameters],
        ...[found.length, skipped?.n ?? 0, filters.workspaceKey],
      ],
    ),
  );
}
