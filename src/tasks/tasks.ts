import type { Db } from '../db/connection.ts';
import { mergeAtEnd, PAGES_FOR_A_TASK } from '../db/search-index.ts';
import type { TaskRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { demand, demandSound, invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { positionAfter } from '../kernel/positions.ts';
import { notify } from '../notifications/notify.ts';
import { type Member, writeAs } from '../workspaces/door.ts';
import { completedAt, planEdit, referencesOf } from './references.ts';
import type { MoveInput, Task, TaskInput, TaskPatch } from './schema.ts';
import { indexTask, reindexTask } from './searchable.ts';
import * as store from './store.ts';
import { titleKey } from './words.ts';

/** Makes a task, at the end of its list unless a position is given. 400 for a list, status or person that will not do. */
export function createTask(deps: Deps, who: Member, input: TaskInput): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const { place, status, issues } = referencesOf(tx, who, input);
    if (!place || !status || issues.length > 0) throw invalid(...issues);
    const at = toInstant(now);
    const row: store.NewTask = {
      id: newId(now),
      workspace_code: who.workspaceCode,
      workspace_id: who.workspaceId,
      space_id: place.spaceId,
      list_id: place.id,
      status_id: status.id,
      priority: store.priorityRank(input.priority ?? 'none'),
      assignee_id: input.assigneeId ?? null,
      creator_id: who.userId,
      start_date: input.startDate ?? null,
      due_date: input.dueDate ?? null,
      completed_at: completedAt(status.type, null, at),
      position: input.position ?? positionAfter(store.lastPosition(tx, who.workspaceCode, place.id)),
      recurring_task_id: null,
      occurrence_at: null,
      occurrence_number: null,
      overridden: null,
      created_at: at,
      updated_at: at,
      title: input.title,
      description: input.description ?? null,
    };
    addTask(tx, row);
    notifyAssigned(tx, row, who.userId, at);
    return store.taskOf(row);
  });
}

/** Stores a task and makes it findable, in the caller's transaction. */
export function addTask(tx: Tx, row: store.NewTask): void {
  indexTask(tx, store.insertTaskRow(tx, row), row);
}

/** Takes a task away, in the caller's transaction. */
export function dropTask(tx: Tx, row: store.StoredTask): void {
  store.deleteTaskRow(tx, row);
  mergeAtEnd(tx, PAGES_FOR_A_TASK);
}

export const readTask = (deps: Deps, who: Member, id: string): Task =>
  store.taskOf(demand(store.findShownTask(deps.read, who.workspaceId, id), 'task'));

/**
 * Changes the given fields of a task; the others stay. 400 for a status of another template, a person who cannot be
 * assigned, or another list, which `moveTask` reaches.
 */
export function updateTask(deps: Deps, who: Member, id: string, patch: TaskPatch): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) =>
    store.taskOf(editTask(deps, tx, who, demandTask(tx, who, id), patch, now, { mayMove: false })),
  );
}

/** Removes a task. */
export function removeTask(deps: Deps, who: Member, id: string): Promise<undefined> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = demandTask(tx, who, id);
    dropTask(tx, row);
    deps.instanceLeft(deps, tx, { task: row, how: 'deleted', by: who.userId }, now);
    return undefined;
  });
}

/**
 * Moves a task to a list of the same workspace, at its end unless a position is given; to its own list only the given
 * status and position change. The status becomes the one asked for, else its counterpart there.
 */
export function moveTask(deps: Deps, who: Member, id: string, input: MoveInput): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) =>
    store.taskOf(editTask(deps, tx, who, demandTask(tx, who, id), input, now)),
  );
}

/**
 * Changes a task in the caller's transaction, another `listId` moves it; and does what follows: the assignee is told,
 * the series of a completed instance goes on. On an instance of a series, what changes is `marked` as overridden, unless
 * it is the series that changes it. 400 for a list, status or person that will not do.
 */
export function editTask(
  deps: Deps,
  tx: Tx,
  who: Member,
  row: store.StoredTask,
  edit: TaskPatch,
  now: number,
  { mayMove = true, marked = true } = {},
): store.StoredTask {
  const at = toInstant(now);
  const plan = planEdit(tx, who, row, edit, at, mayMove);
  demandSound(plan.issues);
  const changes: Partial<TaskRow> = {
    ...plan.changes,
    ...(edit.title !== undefined && { title: edit.title }),
    ...(edit.description !== undefined && { description: edit.description }),
    ...(edit.priority !== undefined && { priority: store.priorityRank(edit.priority) }),
    ...(edit.assigneeId !== undefined && { assignee_id: edit.assigneeId }),
    ...(edit.startDate !== undefined && { start_date: edit.startDate }),
    ...(edit.dueDate !== undefined && { due_date: edit.dueDate }),
    ...(edit.position !== undefined && { position: edit.position }),
  };
  const changed = changeTask(tx, row, changes, at, marked);
  if (changed.assignee_id !== row.assignee_id) notifyAssigned(tx, changed, who.userId, at);
  if (changed.completed_at !== null && row.completed_at === null) {
    deps.instanceLeft(deps, tx, { task: changed, how: 'completed', by: who.userId }, now);
  }
  return changed;
}

/**
 * Stores changes of a task in the caller's transaction, keeps the search index in step, and on an instance of a series
 * marks what changed as overridden, where it is to be `marked`. Nothing is written when nothing differs.
 */
export function changeTask(
  tx: Tx,
  row: store.StoredTask,
  asked: Partial<TaskRow>,
  at: Instant,
  marked = true,
): store.StoredTask {
  const entries = Object.entries(asked) as [keyof TaskRow, never][];
  const changes: Partial<TaskRow> = Object.fromEntries(
    entries.filter(([field, value]) => value !== row[field]),
  );
  if (Object.keys(changes).length === 0) return row;
  if (changes.title !== undefined) changes.title_key = titleKey(changes.title);
  if (marked && row.recurring_task_id !== null) changes.overridden = overriddenAfter(row, changes);
  changes.updated_at = at;
  store.updateTaskRow(tx, row, changes);
  const changed = { ...row, ...changes };
  if (changes.title !== undefined || changes.description !== undefined) reindexTask(tx, changed);
  return changed;
}

/** The wire names of the columns that a series may have an opinion about. */
const OVERRIDABLE: Partial<Record<keyof TaskRow, string>> = {
  title: 'title',
  description: 'description',
  priority: 'priority',
  assignee_id: 'assigneeId',
  list_id: 'listId',
  status_id: 'statusId',
  start_date: 'startDate',
  due_date: 'dueDate',
};

function overriddenAfter(row: TaskRow, changes: Partial<TaskRow>): string {
  const names = Object.keys(changes).flatMap((column) => OVERRIDABLE[column as keyof TaskRow] ?? []);
  return JSON.stringify([...new Set([...store.overriddenIn(row), ...names])]);
}

const demandTask = (db: Db, who: Member, id: string): store.StoredTask =>
  demand(store.findTask(db, who.workspaceId, id), 'task');

/** Tells the assignee, unless they did it themselves. */
export const notifyAssigned = (tx: Tx, row: store.NewTask, actorId: string | null, at: Instant): void =>
  notify(
    tx,
    [row.assignee_id],
    {
      type: 'task.assigned',
      actorId,
      workspaceId: row.workspace_id,
      title: 'A task was assigned to you',
      body: row.title,
      data: { taskId: row.id },
    },
    at,
  );
