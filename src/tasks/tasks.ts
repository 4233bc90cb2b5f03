import type { StatusRow, TaskRow } from '../db/tables.ts';
import type { Tx } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import { type Issue, invalid, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { positionAfter } from '../kernel/positions.ts';
import { counterpartOf } from '../lists/statuses.ts';
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
    const { place, status } = demandReferences(tx, who, input);
    const at = toInstant(now);
    const row: store.NewTask = {
      id: newId(now),
      workspace_id: who.workspaceId,
      space_id: place.spaceId,
      list_id: place.listId,
      status_id: status.id,
      priority: store.priorityRank(input.priority ?? 'none'),
      assignee_id: input.assigneeId ?? null,
      creator_id: who.userId,
      start_date: input.startDate ?? null,
      due_date: input.dueDate ?? null,
      completed_at: completedAt(status.type, null, at),
      position: input.position ?? positionAfter(store.lastPosition(tx, who.workspaceId, place.listId)),
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
    addTask(tx, who.workspaceCode, row);
    notifyAssigned(tx, row, who.userId, at);
    return store.taskOf(row);
  });
}

/** Stores a task and makes it findable, in the caller's transaction. */
export function addTask(tx: Tx, workspaceCode: number, row: store.NewTask): void {
  const seq = store.insertTaskRow(tx, row);
  indexTask(tx, workspaceCode, seq, row);
}

export function readTask(deps: Deps, who: Member, id: string): Task {
  const row = store.findTask(deps.read, who.workspaceId, id);
  if (!row) throw notFound('task');
  return store.taskOf(row);
}

/**
 * Changes the given fields of a task; the others stay. 400 for a status of another template, a person who cannot be
 * assigned, or another list, which `moveTask` reaches.
 */
export function updateTask(deps: Deps, who: Member, id: string, patch: TaskPatch): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = store.findTask(tx, who.workspaceId, id);
    if (!row) throw notFound('task');
    const status = patch.statusId === undefined ? undefined : statusFor(tx, who, row, patch.statusId);
    const issues: Issue[] = [];
    if (patch.listId !== undefined && patch.listId !== row.list_id) {
      issues.push({ path: 'listId', message: 'Use move to change the list' });
    }
    if (patch.statusId !== undefined && !status) issues.push(UNKNOWN_STATUS);
    if (patch.assigneeId && patch.assigneeId !== row.assignee_id)
      issues.push(...assigneeIssues(tx, who, patch.assigneeId));
    if (issues.length > 0) throw invalid(...issues);
    const at = toInstant(now);
    const changed = changeTask(
      tx,
      who.workspaceCode,
      row,
      {
        ...(patch.title !== undefined && { title: patch.title }),
        ...(patch.description !== undefined && { description: patch.description }),
        ...(patch.priority !== undefined && { priority: store.priorityRank(patch.priority) }),
        ...(patch.assigneeId !== undefined && { assignee_id: patch.assigneeId }),
        ...(patch.startDate !== undefined && { start_date: patch.startDate }),
        ...(patch.dueDate !== undefined && { due_date: patch.dueDate }),
        ...(patch.position !== undefined && { position: patch.position }),
        ...(status && { status_id: status.id, completed_at: completedAt(status.type, row.completed_at, at) }),
      },
      at,
    );
    if (changed.assignee_id !== row.assignee_id) notifyAssigned(tx, changed, who.userId, at);
    if (changed.completed_at !== null && row.completed_at === null) deps.instanceLeft(deps, tx, changed, now);
    return store.taskOf(changed);
  });
}

/** Removes a task. */
export function removeTask(deps: Deps, who: Member, id: string): Promise<undefined> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = store.findTask(tx, who.workspaceId, id);
    if (!row) throw notFound('task');
    store.deleteTaskRow(tx, row);
    deps.instanceLeft(deps, tx, row, now);
    return undefined;
  });
}

/**
 * Moves a task to a list of the same workspace, at its end unless a position is given; to its own list only the given
 * status and position change. The status becomes the one asked for, else its counterpart there.
 */
export function moveTask(deps: Deps, who: Member, id: string, input: MoveInput): Promise<Task> {
  const now = deps.clock.now();
  return writeAs(deps, who, (tx) => {
    const row = store.findTask(tx, who.workspaceId, id);
    if (!row) throw notFound('task');
    const at = toInstant(now);
    const changed = changeTask(tx, who.workspaceCode, row, destination(tx, who, row, input, at), at);
    if (changed.completed_at !== null && row.completed_at === null) deps.instanceLeft(deps, tx, changed, now);
    return store.taskOf(changed);
  });
}

/**
 * Stores changes of a task in the caller's transaction, keeps the search index in step, and marks what changed as
 * overridden on an instance of a series. Nothing is written when nothing differs.
 */
export function changeTask(
  tx: Tx,
  workspaceCode: number,
  row: store.StoredTask,
  asked: Partial<TaskRow>,
  at: Instant,
): store.StoredTask {
  const entries = Object.entries(asked) as [keyof TaskRow, never][];
  const changes: Partial<TaskRow> = Object.fromEntries(
    entries.filter(([field, value]) => value !== row[field]),
  );
  if (Object.keys(changes).length === 0) return row;
  if (changes.title !== undefined) changes.title_key = titleKey(changes.title);
  if (row.recurring_task_id !== null) changes.overridden = overriddenAfter(row, changes);
  changes.updated_at = at;
  store.updateTaskRow(tx, row, changes);
  const changed = { ...row, ...changes };
  if (changes.title !== undefined || changes.description !== undefined)
    reindexTask(tx, workspaceCode, row.seq, changed);
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

const UNKNOWN_LIST: Issue = { path: 'listId', message: 'There is no such list in this workspace' };
const UNKNOWN_STATUS: Issue = { path: 'statusId', message: "Must be a status of the list's template" };

/** What a new task refers to, all of it checked at once. */
function demandReferences(tx: Tx, who: Member, input: TaskInput): { place: store.Place; status: StatusRow } {
  const place = store.findPlace(tx, who.workspaceId, input.listId);
  const status = place?.statuses.find(({ id }) => input.statusId === undefined || id === input.statusId);
  const issues: Issue[] = [];
  if (!place) issues.push(UNKNOWN_LIST);
  else if (!status) issues.push(UNKNOWN_STATUS);
  if (input.assigneeId) issues.push(...assigneeIssues(tx, who, input.assigneeId));
  if (!place || !status || issues.length > 0) throw invalid(...issues);
  return { place, status };
}

const assigneeIssues = (tx: Tx, who: Member, userId: string): Issue[] =>
  store.isAssignable(tx, who.workspaceId, userId)
    ? []
    : [{ path: 'assigneeId', message: 'Must be a member of this workspace who is not a viewer' }];

const statusFor = (tx: Tx, who: Member, row: TaskRow, statusId: string): StatusRow | undefined =>
  store.findPlace(tx, who.workspaceId, row.list_id)?.statuses.find(({ id }) => id === statusId);

function destination(tx: Tx, who: Member, row: TaskRow, input: MoveInput, at: Instant): Partial<TaskRow> {
  const place = store.findPlace(tx, who.workspaceId, input.listId);
  if (!place) throw invalid(UNKNOWN_LIST);
  const status =
    input.statusId === undefined
      ? counterpartOf(statusOf(tx, row), place.statuses)
      : place.statuses.find(({ id }) => id === input.statusId);
  if (!status) throw invalid(UNKNOWN_STATUS);
  const staysInList = place.listId === row.list_id;
  const last = () => positionAfter(store.lastPosition(tx, who.workspaceId, place.listId));
  return {
    list_id: place.listId,
    space_id: place.spaceId,
    status_id: status.id,
    completed_at: completedAt(status.type, row.completed_at, at),
    position: input.position ?? (staysInList ? row.position : last()),
  };
}

function statusOf(tx: Tx, row: TaskRow): StatusRow {
  const statuses = store.findPlace(tx, row.workspace_id, row.list_id)?.statuses;
  const status = statuses?.find(({ id }) => id === row.status_id);
  if (!status) throw new Error('A task has a status that its list does not know');
  return status;
}

/** When a task counts as completed, once its status is of that type: since when it already did, or from now. */
const completedAt = (type: StatusRow['type'], before: Instant | null, now: Instant): Instant | null =>
  type === 'completed' ? (before ?? now) : null;

/** Tells the assignee, unless they did it themselves. */
function notifyAssigned(tx: Tx, row: store.NewTask, actorId: string | null, at: Instant): void {
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
