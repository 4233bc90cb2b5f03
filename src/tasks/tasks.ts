import type { Db } from '../db/connection.ts';
import type { StatusType, TaskRow } from '../db/tables.ts';
import type { Tx } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import { demand, demandSound, type Issue, invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { positionAfter } from '../kernel/positions.ts';
import type { List, Status } from '../lists/schema.ts';
import { counterpartOf, isOpen } from '../lists/statuses.ts';
import { notify } from '../notifications/notify.ts';
import { type Member, writeAs } from '../workspaces/door.ts';
import type { MoveInput, Task, TaskInput, TaskPatch } from './schema.ts';
import { indexTask, reindexTask } from './search.ts';
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
      title_key: titleKey(input.title),
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

export const readTask = (deps: Deps, who: Member, id: string): Task =>
  store.taskOf(demand(store.findShownTask(deps.read, who.workspaceId, id), 'task'));

/**
 * Changes the given fields of a task; the others stay. 400 for a status of another template, a person who cannot be
 * assigned, or another list, which `moveTask` reaches.
 */
export function updateTask(deps: Deps, who: Member, id: string, patch: TaskPatch): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = demandTask(tx, who, id);
    const { listId, ...edit } = patch;
    const issues = staysIn(row, listId) ? [] : [USE_MOVE];
    return store.taskOf(editTask(deps, tx, who, row, edit, now, { issues }));
  });
}

/** Removes a task. */
export function removeTask(deps: Deps, who: Member, id: string): Promise<undefined> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = demandTask(tx, who, id);
    store.deleteTaskRow(tx, row);
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
 * it is the series that changes it. 400 for a list, status or person that will not do, after the `issues` already found.
 */
export function editTask(
  deps: Deps,
  tx: Tx,
  who: Member,
  row: store.StoredTask,
  edit: TaskPatch,
  now: number,
  { issues = [], marked = true }: { issues?: Issue[]; marked?: boolean } = {},
): store.StoredTask {
  const at = toInstant(now);
  const plan = planEdit(tx, who, row, edit, at);
  demandSound([...issues, ...plan.issues]);
  const changes: Partial<TaskRow> = {
    ...plan.place,
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

export const UNKNOWN_LIST: Issue = { path: 'listId', message: 'There is no such list in this workspace' };
const USE_MOVE: Issue = { path: 'listId', message: 'Use move to change the list' };
const UNKNOWN_STATUS: Issue = { path: 'statusId', message: "Must be a status of the list's template" };

const demandTask = (db: Db, who: Member, id: string): store.StoredTask =>
  demand(store.findTask(db, who.workspaceId, id), 'task');

const staysIn = (row: TaskRow, listId: string | undefined): boolean =>
  listId === undefined || listId === row.list_id;

/** What is given of a new task refers to these; `issues` tell what will not do. */
function referencesOf(
  db: Db,
  who: Member,
  { listId, statusId, assigneeId }: Partial<TaskInput>,
): { place: List | undefined; status: Status | undefined; issues: Issue[] } {
  const place = listId === undefined ? undefined : store.findPlace(db, who.workspaceId, listId);
  const status = place?.statuses.find(({ id }) => statusId === undefined || id === statusId);
  const issues: Issue[] = [];
  if (listId !== undefined && !place) issues.push(UNKNOWN_LIST);
  if (place && !status) issues.push(UNKNOWN_STATUS);
  if (assigneeId) issues.push(...assigneeIssues(db, who, assigneeId));
  return { place, status, issues };
}

/** What will not do of the list, status and assignee of a new task. */
export const newTaskIssues = ({ read }: Deps, who: Member, input: Partial<TaskInput>): Issue[] =>
  referencesOf(read, who, input).issues;

/** What will not do of the list, status and assignee of an edit; nothing where there is no such task. */
export function editIssues({ read, clock }: Deps, who: Member, id: string, edit: TaskPatch): Issue[] {
  const row = store.findTask(read, who.workspaceId, id);
  return row ? planEdit(read, who, row, edit, toInstant(clock.now())).issues : [];
}

/** As `editIssues`, of an edit that must leave the task in its list. */
export function patchIssues(deps: Deps, who: Member, id: string, { listId, ...edit }: TaskPatch): Issue[] {
  const row = store.findTask(deps.read, who.workspaceId, id);
  return [...(row && !staysIn(row, listId) ? [USE_MOVE] : []), ...editIssues(deps, who, id, edit)];
}

export const assigneeIssues = (db: Db, who: Member, userId: string): Issue[] =>
  store.isAssignable(db, who.workspaceId, userId)
    ? []
    : [{ path: 'assigneeId', message: 'Must be a member of this workspace who is not a viewer' }];

/** Where an edit leaves a task, and what it refers to that will not do. */
function planEdit(
  db: Db,
  who: Member,
  row: TaskRow,
  edit: TaskPatch,
  at: Instant,
): { place: Partial<TaskRow>; issues: Issue[] } {
  const issues: Issue[] = [];
  const place = placeFor(db, who, row, edit, at, issues);
  if (edit.assigneeId && (edit.assigneeId !== row.assignee_id || place.assignee_id === null))
    issues.push(...assigneeIssues(db, who, edit.assigneeId));
  return { place, issues };
}

/**
 * Where an edit leaves a task: its list, status and position. In another list it takes the status asked for, else the
 * counterpart of its present one, and goes to the end. Opened again, it stays with nobody who may not be assigned any
 * more. Adds to the issues what will not do.
 */
function placeFor(
  db: Db,
  who: Member,
  row: TaskRow,
  { listId = row.list_id, statusId, position }: TaskPatch,
  at: Instant,
  issues: Issue[],
): Partial<TaskRow> {
  const staysInList = listId === row.list_id;
  if (staysInList && statusId === undefined) return {};
  const place = store.findPlace(db, who.workspaceId, listId);
  if (!place) {
    issues.push(UNKNOWN_LIST);
    return {};
  }
  const status =
    statusId === undefined
      ? counterpartOf(statusOf(db, row), place.statuses)
      : place.statuses.find(({ id }) => id === statusId);
  if (!status) {
    issues.push(UNKNOWN_STATUS);
    return {};
  }
  const state = {
    status_id: status.id,
    completed_at: completedAt(status.type, row.completed_at, at),
    ...(isOpen(status.type) && !keepsAssignee(db, row) && { assignee_id: null }),
  };
  if (staysInList) return state;
  return {
    ...state,
    list_id: place.id,
    space_id: place.spaceId,
    position: position ?? positionAfter(store.lastPosition(db, who.workspaceCode, place.id)),
  };
}

const keepsAssignee = (db: Db, { workspace_id, assignee_id }: TaskRow): boolean =>
  assignee_id === null || store.isAssignable(db, workspace_id, assignee_id);

function statusOf(db: Db, row: TaskRow): Status {
  const statuses = store.findPlace(db, row.workspace_id, row.list_id)?.statuses;
  const status = statuses?.find(({ id }) => id === row.status_id);
  if (!status) throw new Error('A task has a status that its list does not know');
  return status;
}

/** When a task counts as completed, once its status is of that type: since when it already did, or from now. */
export const completedAt = (type: StatusType, before: Instant | null, now: Instant): Instant | null =>
  type === 'completed' ? (before ?? now) : null;

/** Tells the assignee, unless they did it themselves. */
export function notifyAssigned(tx: Tx, row: store.NewTask, actorId: string | null, at: Instant): void {
  if (row.assignee_id === null || row.assignee_id === actorId) return;
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
}
