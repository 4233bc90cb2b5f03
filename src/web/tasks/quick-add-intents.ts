import type { Intent } from '../data/change.ts';
import { create } from '../data/intents.ts';
import { isClosed, type Row } from '../data/rows.ts';
import { weekStart, zone } from '../shell/clock.ts';
import { currentUserData } from '../shell/store.ts';
import type { QuickTask } from '../text/quick-add.ts';
import { seriesFields, taskFields } from '../text/quick-add-edits.ts';
import type { GivenByView } from './quick-add-view.ts';

/**
 * What makes a task, or one that repeats, in a list; `taskId` is null where only the server makes the first task. Made to
 * be opened, there is one at once.
 */
export function newTask(
  task: QuickTask,
  listId: string,
  { day, shared: given }: GivenByView,
  description: string | null,
  opens: boolean,
): { intents: Intent[]; taskId: string | null } {
  const { store } = currentUserData();
  const id = store.makeId();
  const workspaceId = store.view.row('list', listId)?.workspaceId ?? '';
  const shared: Row = { ...given, ...(description !== null && { description }) };
  const series = seriesFields(task, listId, zone.peek(), weekStart.peek());
  if (!series) {
    const dueDay = task.day === null && day !== null && { dueDay: day };
    const fields = { ...shared, ...dueDay, ...taskFields(task, listId, zone.peek()) };
    return { intents: [create('task', workspaceId, id, fields)], taskId: id };
  }
  const { statusId: ofColumn, ...fields }: Row = { ...shared, ...series };
  const statusId = task.statusId ?? ofColumn;
  const status = store.view.status(String(statusId));
  const hasStatus = status !== undefined && !isClosed(status);
  if (!hasStatus && !opens)
    return { intents: [create('recurringTask', workspaceId, id, fields)], taskId: null };
  // A series has no status: its first task has it, which it is made of.
  const { interval, endCondition, startsAt, ...ofTask } = fields;
  return {
    intents: [
      create('task', workspaceId, id, { ...ofTask, ...(hasStatus && { statusId }) }),
      create('recurringTask', workspaceId, store.makeId(), { ...fields, taskId: id }),
    ],
    taskId: id,
  };
}
