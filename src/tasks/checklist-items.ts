import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import { Existing } from '../http/route.ts';
import { invalid, notFound } from '../kernel/errors.ts';
import { takenIds } from '../storage/client-ids.ts';
import { taskOf } from '../storage/task-fields.ts';
import { checklistOf } from '../storage/template-fields.ts';
import { type Member, writeAs } from '../workspaces/authorization.ts';
import { TAKEN_ID } from '../workspaces/client-ids.ts';
import {
  type ChecklistEntry,
  type ChecklistItem,
  type ChecklistItemInput,
  type ChecklistItemPatch,
  MAX_ITEMS,
  type Task,
  TOO_MANY_ITEMS,
} from './schema.ts';
import { editTask, requireTask } from './tasks.ts';

/**
 * Adds an item at the end of a task's checklist; one whose id is there already stays as it is. 400 beyond a hundred
 * items, and for an id that anything else has.
 */
export function addItem(
  deps: Deps,
  who: Member,
  taskId: string,
  input: ChecklistItemInput,
): Promise<Task | Existing<Task>> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = requireTask(tx, who, taskId);
    const items = checklistOf(row);
    const { id } = input;
    if (id !== undefined) {
      if (items.some((item) => item.id === id)) return new Existing(taskOf(row));
      if (takenIds(tx, [id], row.recurring_task_id).size > 0)
        throw invalid({ path: 'id', message: TAKEN_ID });
    }
    if (items.length >= MAX_ITEMS) throw invalid({ path: 'checklist', message: TOO_MANY_ITEMS });
    return taskOf(editTask(deps, tx, who, row, { checklist: [...items, input] }, now));
  });
}

/** Changes an item of a task's checklist: ticks it, or gives it another title. */
export const changeItem = (
  deps: Deps,
  who: Member,
  taskId: string,
  itemId: string,
  patch: ChecklistItemPatch,
  ifMatch: Precondition,
): Promise<Task> =>
  editItems(deps, who, taskId, itemId, ifMatch, (items) =>
    items.map((item) => (item.id === itemId ? { ...patch, id: item.id } : item)),
  );

/** Removes an item from a task's checklist. */
export const removeItem = (
  deps: Deps,
  who: Member,
  taskId: string,
  itemId: string,
  ifMatch: Precondition,
): Promise<Task> =>
  editItems(deps, who, taskId, itemId, ifMatch, (items) => items.filter(({ id }) => id !== itemId));

function editItems(
  deps: Deps,
  who: Member,
  taskId: string,
  itemId: string,
  ifMatch: Precondition,
  edit: (items: readonly ChecklistItem[]) => ChecklistEntry[],
): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = requireTask(tx, who, taskId);
    const items = checklistOf(row);
    if (!items.some(({ id }) => id === itemId)) throw notFound('checklist item');
    return taskOf(editTask(deps, tx, who, row, { checklist: edit(items) }, now, { ifMatch }));
  });
}
