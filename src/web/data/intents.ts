import type { Intent } from './change.ts';
import { type Comment, type Kind, type Row, type Series, type Task, thingKey } from './rows.ts';
import type { View } from './view.ts';

/** How long a deletion that nothing brings back waits, so that it can be taken back. */
const UNSENT_MS = 10_000;

/** Kinds that are made, changed and deleted alike. */
export type Plain = 'task' | 'list' | 'space' | 'label' | 'recurringTask';

/** Makes a thing; `id` by `makeId`. */
export const create = (kind: Plain, workspaceId: string, id: string, fields: Row): Intent => ({
  workspaceId,
  kind,
  thing: id,
  op: 'create',
  fields,
});

/** Changes fields of a task; labels by `addLabelIds` and `removeLabelIds`, a long text by `editText`. */
export function updateTask(task: Task, fields: Row): Intent {
  return {
    workspaceId: task.workspaceId,
    kind: 'task',
    thing: task.id,
    op: 'update',
    fields,
  };
}

/** Changes fields of a list, space, label or series. */
export const update = (kind: Plain, row: { id: string; workspaceId: string }, fields: Row): Intent => ({
  workspaceId: row.workspaceId,
  kind,
  thing: row.id,
  op: 'update',
  fields,
});

/** Changes a description, held against what the edit started from. */
export const editText = (task: Task, description: string | null, from: string | null): Intent => ({
  workspaceId: task.workspaceId,
  kind: 'task',
  thing: task.id,
  op: 'update',
  fields: { description },
  text: { field: 'description', from },
});

/** Moves a task to a list; its status as the server would choose it, where none is given. */
export function moveTask(
  view: View,
  task: Task,
  listId: string,
  more: { statusId?: string; position?: number } = {},
): Intent {
  const statuses = view.row('list', listId)?.statuses ?? [];
  const present = view.status(task.statusId);
  const status =
    statuses.find(({ id }) => id === (more.statusId ?? task.statusId)) ??
    statuses.find(({ title }) => title === present?.title) ??
    statuses.find(({ type }) => type === present?.type) ??
    statuses[0];
  const fields = {
    listId,
    ...(status && { statusId: status.id }),
    position: more.position ?? endOf(view, listId),
  };
  return {
    workspaceId: task.workspaceId,
    kind: 'task',
    thing: task.id,
    op: 'move',
    fields,
  };
}

/** The position behind all tasks of a list. */
export function endOf(view: View, listId: string): number {
  let last = 0;
  for (const { listId: other, position } of view.all('task'))
    if (other === listId && position < Number.MAX_SAFE_INTEGER) last = Math.max(last, position);
  return last + 1024;
}

/** Deletes a thing: tasks, lists and spaces go to the trash, an upcoming instance is skipped. */
export const remove = (
  kind: Plain,
  row: { id: string; workspaceId: string },
  fields: { keepUpcoming?: boolean } = {},
): Intent => ({
  workspaceId: row.workspaceId,
  kind,
  thing: row.id,
  op: 'delete',
  fields,
});

/** Deletes tasks for good, past the trash, after 10 s unsent, since nothing brings them back. */
export const removeForGood = (task: Task): Intent => ({
  ...remove('task', task),
  fields: { permanent: true },
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
  workspaceId,
  kind,
  thing: id,
  op: 'restore',
  fields: place,
  ...(before && { before }),
});

/** Adds, changes or removes one item of a checklist. */
export const changeItem = (
  task: Task,
  op: 'addItem' | 'updateItem' | 'removeItem',
  itemId: string,
  fields: { title?: string; isDone?: boolean } = {},
): Intent => ({
  workspaceId: task.workspaceId,
  kind: 'task',
  thing: task.id,
  op,
  fields: { itemId, ...fields },
});

export const addComment = (task: Task, id: string, body: string): Intent => ({
  workspaceId: task.workspaceId,
  kind: 'comment',
  thing: id,
  op: 'create',
  fields: { taskId: task.id, body },
  touches: [thingKey('task', task.id)],
});

export const editComment = (comment: Comment, workspaceId: string, body: string, from: string): Intent => ({
  workspaceId,
  kind: 'comment',
  thing: comment.id,
  op: 'update',
  fields: { taskId: comment.taskId, body },
  text: { field: 'body', from },
});

/** Deletes a comment after 10 s unsent, since nothing brings it back. */
export const removeComment = (comment: Comment, workspaceId: string): Intent => ({
  workspaceId,
  kind: 'comment',
  thing: comment.id,
  op: 'delete',
  fields: { taskId: comment.taskId },
  touches: [thingKey('task', comment.taskId)],
  delay: UNSENT_MS,
});

const ofSeries = (
  series: Series,
  op: Intent['op'],
  fields: Row,
  touches: Intent['touches'] = [],
): Intent => ({
  workspaceId: series.workspaceId,
  kind: 'recurringTask',
  thing: series.id,
  op,
  fields,
  touches,
});

export const pause = (series: Series): Intent => ofSeries(series, 'pause', {});
export const resume = (series: Series): Intent => ofSeries(series, 'resume', {});

/** Skips the upcoming occurrence, and no other one if this is sent twice. Null where there is none. */
export function skip(view: View, series: Series): Intent | null {
  const upcoming = series.nextTaskId ? view.row('task', series.nextTaskId) : undefined;
  const occurrenceAt = upcoming?.recurrence?.occurrenceAt ?? series.nextRunAt;
  if (!occurrenceAt) return null;
  return ofSeries(series, 'skip', { occurrenceAt }, upcoming && [thingKey('task', upcoming.id)]);
}

/** Takes back what made a series advance. */
export const stepBack = (series: Series, occurrenceAt: string): Intent =>
  ofSeries(series, 'stepBack', { occurrenceAt });

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
  return ofSeries(
    series,
    'editMode',
    { taskId: task.id, mode, updates },
    touched.map(({ id }) => thingKey('task', id)),
  );
}

export const isPlain = (kind: Kind): kind is Plain =>
  ['task', 'list', 'space', 'label', 'recurringTask'].includes(kind);
