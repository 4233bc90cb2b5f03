import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import type { DeletionQuery } from '../http/fields.ts';
import { Existing } from '../http/route.ts';
import { invalid, orNotFound, throwIfIssues } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { defined } from '../kernel/patch.ts';
import { positionAfter } from '../kernel/positions.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import { notify } from '../notifications/notify.ts';
import { deleteSomeComments } from '../storage/comments.ts';
import { insertTaskRow, lastPosition, type NewTask, type NextNumbers } from '../storage/insert-task.ts';
import { giveUpWords, indexTask } from '../storage/searchable.ts';
import { STEP_BYTES } from '../storage/step-bytes.ts';
import type { TaskRow } from '../storage/tables.ts';
import { dateAfter, type ShownTask, type StoredTask, taskOf } from '../storage/task-fields.ts';
import * as store from '../storage/tasks.ts';
import {
  checklistOf,
  columnsOf,
  itemTitles,
  labelsToJson,
  priorityRank,
  toJson,
} from '../storage/template-fields.ts';
import { numberIn } from '../storage/words.ts';
import { type Member, writeAs, writeStepsAs } from '../workspaces/authorization.ts';
import { claimId } from '../workspaces/client-ids.ts';
import { requireCapacity } from '../workspaces/quotas.ts';
import { changeTask } from './change-task.ts';
import { itemsFrom, titlesFrom } from './checklist.ts';
import { completedAt, planEdit, referencesOf } from './references.ts';
import type { MoveInput, Task, TaskInput, TaskPatch } from './schema.ts';
import { hasTrash, requireStaying, trashTask } from './trash-tasks.ts';

/** With more of them a task goes in steps. */
const MANY_COMMENTS = 50;

/** Makes a task, at the end of its list unless a position is given. 400 for an invalid list, status or person. */
export function createTask(deps: Deps, who: Member, input: TaskInput): Promise<Task | Existing<Task>> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => makeTask(deps, tx, who, input, now));
}

/** Makes a task in the caller's transaction. */
export function makeTask(
  deps: Deps,
  tx: Tx,
  who: Member,
  input: TaskInput,
  now: number,
): Task | Existing<Task> {
  const id = claimId(tx, input.id, now, (given) => {
    const same = store.findTask(tx, who.workspaceId, given);
    return same?.creator_id === who.userId ? taskOf(same) : undefined;
  });
  if (id instanceof Existing) return id;
  const { list, status, issues } = referencesOf(tx, who, input);
  if (!list || !status || issues.length > 0) throw invalid(...issues);
  const checklist = itemsFrom(input.checklist ?? [], [], now);
  const texts = [input.title, input.description, ...checklist.map(({ title }) => title)];
  requireCapacity(deps, tx, who, { tasks: 1, bytes: bytesOfText(...texts) });
  const at = toInstant(now);
  const row: NewTask = {
    id,
    workspace_code: who.workspaceKey,
    workspace_id: who.workspaceId,
    space_id: list.spaceId,
    list_id: list.id,
    status_id: status.id,
    priority: priorityRank(input.priority ?? 'none'),
    assignee_id: input.assigneeId ?? null,
    creator_id: who.userId,
    start_date: dateAfter(null, input.startDate, input.startDay),
    due_date: dateAfter(null, input.dueDate, input.dueDay),
    completed_at: completedAt(status.type, null, at),
    position: input.position ?? positionAfter(lastPosition(tx, who.workspaceKey, list.id)),
    recurring_task_id: null,
    occurrence_at: null,
    occurrence_number: null,
    overridden: null,
    created_at: at,
    updated_at: at,
    title: input.title,
    description: input.description ?? null,
    label_ids: labelsToJson(input.labelIds),
    checklist: toJson(checklist),
  };
  notifyAssigned(tx, row, who.userId, at);
  return taskOf(addTask(tx, row));
}

/** Stores a task with the next number, or `again` with its own, and makes it findable, in the caller's transaction. */
export function addTask(tx: Tx, row: NewTask, again?: Partial<NextNumbers>): ShownTask {
  const added = insertTaskRow(tx, row, again);
  indexTask(tx, added.seq, row);
  return added;
}

/** Deletes a task for good, with its words in the search index, in the caller's transaction. */
export function dropTask(tx: Tx, row: StoredTask): void {
  giveUpWords(tx, row.seq);
  store.deleteTaskRow(tx, row);
}

/** Reads a task of the workspace, for its viewers; 404 where there is none. */
export const readTask = (deps: Deps, who: Member, id: string): Task =>
  taskOf(orNotFound(store.findShownTask(deps.read, who.workspaceId, id), 'task'));

/** The task with this number, as it is written in `HOME-12`: 404 for a text that is no number of one here. */
export function readTaskByNumber(deps: Deps, who: Member, text: string): Task {
  const number = numberIn(text);
  const found =
    number === undefined ? undefined : store.findTaskByNumber(deps.read, who.workspaceKey, number);
  return taskOf(orNotFound(found, 'task'));
}

/**
 * Changes the given fields of a task; the others stay. 400 for a status of another template, a person who cannot be
 * assigned, or another list, which `moveTask` reaches.
 */
export function updateTask(
  deps: Deps,
  who: Member,
  id: string,
  patch: TaskPatch,
  ifMatch: Precondition,
): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) =>
    taskOf(editTask(deps, tx, who, requireTask(tx, who, id), patch, now, { mayMove: false, ifMatch })),
  );
}

/** Removes a task: into the trash, or for good. */
export function removeTask(
  deps: Deps,
  who: Member,
  id: string,
  { permanent = false }: DeletionQuery,
  ifMatch: Precondition,
): Promise<undefined> {
  const now = deps.clock.now();
  const remove = function* (tx: Tx): Steps<undefined> {
    const row = requireTask(tx, who, id);
    ifMatch(row);
    yield* deleteTask(deps, tx, who, row, permanent, now);
    return undefined;
  };
  const task = store.findTask(deps.read, who.workspaceId, id);
  const isMuch = task !== undefined && (task.comment_count > MANY_COMMENTS || task.more_bytes > STEP_BYTES);
  return writeStepsAs(deps, who, isMuch, remove);
}

/** Removes a task in the caller's transaction: into the trash, unless for good. */
export function* deleteTask(
  deps: Deps,
  tx: Tx,
  who: Member,
  row: StoredTask,
  permanent: boolean,
  now: number,
): Steps<void> {
  if (permanent || !hasTrash(deps)) {
    while (deleteSomeComments(tx, [row.seq])) yield;
    dropTask(tx, row);
  } else yield* trashTask(deps, tx, who, row, now);
  deps.onInstanceClosed(deps, tx, { task: row, how: 'deleted', by: who.userId }, now);
}

/**
 * Moves a task to a list of the same workspace, at its end unless a position is given; to its own list only the given
 * status and position change. The status becomes the one asked for, else its counterpart there.
 */
export function moveTask(
  deps: Deps,
  who: Member,
  id: string,
  input: MoveInput,
  ifMatch: Precondition,
): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) =>
    taskOf(editTask(deps, tx, who, requireTask(tx, who, id), input, now, { ifMatch })),
  );
}

/**
 * Changes a task in the caller's transaction, another `listId` moves it; and does what follows: the assignee is told,
 * the series of a completed instance goes on. On an instance of a series, what changes is `marked` as overridden, unless
 * it is the series that changes it. 400 for an invalid list, status or person; 412 after that; 404 to take it out of a
 * list whose deletion for good has begun.
 */
export function editTask(
  deps: Deps,
  tx: Tx,
  who: Member,
  row: StoredTask,
  edit: TaskPatch,
  now: number,
  {
    mayMove = true,
    marked = true,
    ifMatch,
  }: { mayMove?: boolean; marked?: boolean; ifMatch?: Precondition } = {},
): StoredTask {
  const at = toInstant(now);
  const plan = planEdit(tx, who, row, edit, at, mayMove);
  throwIfIssues(plan.issues);
  ifMatch?.(row);
  if (plan.changes.list_id !== undefined) requireStaying(tx, row);
  if (marked) requireCapacity(deps, tx, who, { tasks: 0, bytes: growthOf(row, edit) });
  const changes: Partial<TaskRow> = {
    ...plan.changes,
    ...defined(columnsOf({ ...edit, listId: undefined })),
    start_date: dateAfter(row.start_date, edit.startDate, edit.startDay),
    due_date: dateAfter(row.due_date, edit.dueDate, edit.dueDay),
    ...(edit.position !== undefined && { position: edit.position }),
    ...(edit.checklist !== undefined && {
      checklist: toJson(itemsFrom(edit.checklist, checklistOf(row), now)),
    }),
  };
  const changed = changeTask(tx, row, changes, at, marked);
  if (changed.assignee_id !== row.assignee_id) notifyAssigned(tx, changed, who.userId, at);
  if (changed.completed_at !== null && row.completed_at === null) {
    deps.onInstanceClosed(deps, tx, { task: row, how: 'completed', by: who.userId }, now);
  }
  return changed;
}

/** How many bytes of text an edit adds; below zero where it takes some away. */
const growthOf = (
  row: Pick<TaskRow, 'title' | 'description' | 'checklist'>,
  { title, description, checklist }: Pick<TaskPatch, 'title' | 'description' | 'checklist'>,
): number =>
  (title === undefined ? 0 : bytesOfText(title) - bytesOfText(row.title)) +
  (description === undefined ? 0 : bytesOfText(description) - bytesOfText(row.description)) +
  (checklist === undefined
    ? 0
    : bytesOfText(...titlesFrom(checklist, checklistOf(row))) - bytesOfText(...itemTitles(row)));

/** Finds a task of the workspace; 404 where there is none. */
export const requireTask = (db: Db, who: Member, id: string): StoredTask =>
  orNotFound(store.findTask(db, who.workspaceId, id), 'task');

/** Tells the assignee, unless they did it themselves. */
export const notifyAssigned = (tx: Tx, row: NewTask, actorId: string | null, at: Instant): void =>
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
