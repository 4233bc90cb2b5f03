import { STEP, UNPLACED } from '../text/positions.ts';
import type { Intent } from './change.ts';
import { type Comment, type Kind, type Row, type Series, statusLike, type Task, thingKey } from './rows.ts';
import type { View } from './view.ts';

/** How long a deletion that nothing brings back waits, so that it can be taken back. */
const UNSENT_MS = 10_000;

/** Kinds that are made, changed and deleted alike. */
type Plain = 'task' | 'list' | 'space' | 'label' | 'recurringTask';

type Thing = Pick<Task, 'id' | 'workspaceId'>;

const intentTo = (op: Intent['op'], kind: Kind, { id, workspaceId }: Thing, fields: Row = {}): Intent => ({
  workspaceId,
  kind,
  thing: id,
  op,
  fields,
});

/** Makes a thing; `id` by `makeId`. */
export const create = (kind: Plain, workspaceId: string, id: string, fields: Row): Intent =>
  intentTo('create', kind, { id, workspaceId }, fields);

/** Changes fields; those of a task by `updateTask`. */
export const update = (kind: Plain, row: Thing, fields: Row): Intent => intentTo('update', kind, row, fields);

/** Changes fields of a task; labels by `addLabelIds` and `removeLabelIds`, a long text by `editText`. */
export const updateTask = (task: Task, fields: Row): Intent => update('task', task, fields);

/** Changes a description, held against what the edit started from. */
export const editText = (task: Task, description: string | null, from: string | null): Intent => ({
  ...updateTask(task, { description }),
  text: { field: 'description', from },
});

/** Moves a task to the end of a list, with the status that the server would choose. */
export function moveTask(view: View, task: Task, listId: string): Intent {
  const statuses = view.row('list', listId)?.statuses ?? [];
  const present = view.status(task.statusId) ?? { id: task.statusId };
  const status = statusLike(present, statuses) ?? statuses[0];
  const fields = { listId, ...(status && { statusId: status.id }), position: endOf(view, listId) };
  return intentTo('move', 'task', task, fields);
}

/** The position behind all tasks of a list. */
function endOf(view: View, listId: string): number {
  let last = 0;
  for (const { listId: other, position } of view.all('task'))
    if (other === listId && position < UNPLACED) last = Math.max(last, position);
  return last + STEP;
}

/** Deletes a thing: tasks, lists and spaces go to the trash, an upcoming instance is skipped. */
export const remove = (kind: Plain, row: Thing, fields: { keepUpcoming?: boolean } = {}): Intent =>
  intentTo('delete', kind, row, fields);

/** Deletes a task for good, past the trash, after 10 s unsent, since nothing brings it back. */
export const removeForGood = (task: Task): Intent => ({
  ...intentTo('delete', 'task', task, { permanent: true }),
  delay: UNSENT_MS,
});

/** Brings a thing back from the trash; `before` is what it was, where that is known. */
export const restore = (
  kind: 'task' | 'list' | 'space',
  workspaceId: string,
  id: string,
  before?: Row,
  place: { listId?: string; spaceId?: string } = {},
): Intent => ({
  ...intentTo('restore', kind, { id, workspaceId }, place),
  ...(before && { before }),
});

/** Adds, changes or removes one item of a checklist. */
export const changeItem = (
  task: Task,
  op: 'addItem' | 'updateItem' | 'removeItem',
  itemId: string,
  fields: { title?: string; isDone?: boolean } = {},
): Intent => intentTo(op, 'task', task, { itemId, ...fields });

export const addComment = (task: Task, id: string, body: string): Intent => ({
  ...intentTo('create', 'comment', { id, workspaceId: task.workspaceId }, { taskId: task.id, body }),
  touches: [thingKey('task', task.id)],
});

export const editComment = (comment: Comment, workspaceId: string, body: string, from: string): Intent => ({
  ...intentTo('update', 'comment', { id: comment.id, workspaceId }, { taskId: comment.taskId, body }),
  text: { field: 'body', from },
});

/** Deletes a comment after 10 s unsent, since nothing brings it back. */
export const removeComment = ({ id, taskId }: Comment, workspaceId: string): Intent => ({
  ...intentTo('delete', 'comment', { id, workspaceId }, { taskId }),
  touches: [thingKey('task', taskId)],
  delay: UNSENT_MS,
});

export const pause = (series: Series): Intent => intentTo('pause', 'recurringTask', series);
export const resume = (series: Series): Intent => intentTo('resume', 'recurringTask', series);

/** The upcoming occurrence of a series, and its task where there is one. */
function upcomingOf(view: View, series: Series): { task: Task | undefined; occurrenceAt: string | null } {
  const task = series.nextTaskId ? view.row('task', series.nextTaskId) : undefined;
  return { task, occurrenceAt: task?.recurrence?.occurrenceAt ?? series.nextRunAt };
}

/** Skips the upcoming occurrence, and no other one if this is sent twice. Null where there is none. */
export function skip(view: View, series: Series): Intent | null {
  const { task, occurrenceAt } = upcomingOf(view, series);
  if (!occurrenceAt) return null;
  const touches = task ? [thingKey('task', task.id)] : [];
  return { ...intentTo('skip', 'recurringTask', series, { occurrenceAt }), touches };
}

/** Takes back what made a series advance; nothing where it has no upcoming occurrence. */
export function stepBack(view: View, seriesId: string): Intent[] {
  const series = view.row('recurringTask', seriesId);
  const occurrenceAt = series && upcomingOf(view, series).occurrenceAt;
  return series && occurrenceAt ? [intentTo('stepBack', 'recurringTask', series, { occurrenceAt })] : [];
}

/** Changes this instance, this and following, or all; those that it shows in are changed at once. */
export function editInstances(
  view: View,
  series: Series,
  task: Task,
  mode: 'this' | 'following' | 'all',
  updates: Row,
): Intent {
  const from = task.recurrence?.occurrenceAt ?? '';
  const touched = [...view.all('task')].filter(({ id, recurrence, completedAt }) => {
    if (id === task.id) return true;
    if (mode === 'this' || recurrence?.recurringTaskId !== series.id || completedAt) return false;
    const isOverridden = recurrence.overridden.some((field) => field in updates);
    return !isOverridden && (mode === 'all' || recurrence.occurrenceAt >= from);
  });
  return {
    ...intentTo('editMode', 'recurringTask', series, { taskId: task.id, mode, updates }),
    touches: touched.map(({ id }) => thingKey('task', id)),
  };
}
