import type { Tx } from '../db/tx.ts';
import { isWholeDay } from '../kernel/days.ts';
import type { Instant } from '../kernel/instants.ts';
import { reindexTask } from '../storage/searchable.ts';
import type { TaskRow } from '../storage/tables.ts';
import { overriddenIn, type StoredTask } from '../storage/task-fields.ts';
import * as store from '../storage/tasks.ts';
import { TEMPLATE_COLUMNS } from '../storage/template-fields.ts';
import { titleKey } from '../storage/words.ts';
import { growthOfItems, haveOtherItems, haveOtherTitles } from './checklist.ts';

/**
 * Stores changes of a task in the caller's transaction, keeps the search index in step, and on an instance of a series
 * marks what changed as overridden where `marked` asks for that. Nothing is written when nothing differs.
 */
export function changeTask(
  tx: Tx,
  row: StoredTask,
  asked: Partial<TaskRow>,
  at: Instant,
  marked = false,
): StoredTask {
  const entries = Object.entries(asked) as [keyof TaskRow, never][];
  const changes: Partial<TaskRow> = Object.fromEntries(
    entries.filter(([field, value]) => value !== row[field]),
  );
  if (Object.keys(changes).length === 0) return row;
  if (changes.title !== undefined) changes.title_key = titleKey(changes.title);
  const { checklist } = changes;
  const areTitlesNew = checklist !== undefined && haveOtherTitles(row, { checklist });
  if (areTitlesNew) changes.more_bytes = row.more_bytes + growthOfItems(row, { checklist });
  if (marked && row.recurring_task_id !== null) changes.overridden = overriddenAfter(row, changes);
  changes.updated_at = at;
  const changed = store.updateTaskRow(tx, row, changes);
  const isTextNew = changes.description !== undefined || areTitlesNew;
  if (changes.title !== undefined || isTextNew) reindexTask(tx, changed, !isTextNew);
  return changed;
}

/** The wire names of the columns that an instance may have otherwise than its series, or its occurrence. */
const OVERRIDABLE = new Map<string, string>([
  ...Object.entries(TEMPLATE_COLUMNS).map(([name, column]): [string, string] => [column, name]),
  ['status_id', 'statusId'],
]);

/** The wire names of a date: as an instant, as a day. */
const DATES = { start_date: ['startDate', 'startDay'], due_date: ['dueDate', 'dueDay'] } as const;

/** Ticking an item is no override: every instance has ticks of its own. */
function overriddenAfter(row: TaskRow, changes: Partial<TaskRow>): string {
  const isTicked = changes.checklist !== undefined && !haveOtherItems(row, { checklist: changes.checklist });
  const names = Object.keys(changes)
    .filter((column) => !(isTicked && column === 'checklist'))
    .flatMap((column) => OVERRIDABLE.get(column) ?? []);
  for (const column of ['start_date', 'due_date'] as const) {
    for (const date of changes[column] === undefined ? [] : [row[column], changes[column]]) {
      if (date !== null) names.push(DATES[column][isWholeDay(date) ? 1 : 0]);
    }
  }
  return JSON.stringify([...new Set([...overriddenIn(row), ...names])]);
}
