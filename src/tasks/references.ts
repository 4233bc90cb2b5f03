import type { Db } from '../db/connection.ts';
import type { Issue } from '../kernel/errors.ts';
import type { Instant } from '../kernel/instants.ts';
import { positionAfter } from '../kernel/positions.ts';
import type { List, Status } from '../lists/schema.ts';
import { counterpartOf } from '../lists/statuses.ts';
import { lastPosition } from '../storage/insert-task.ts';
import { knownLabels } from '../storage/labels.ts';
import { isOpen } from '../storage/status-types.ts';
import type { StatusType, TaskRow } from '../storage/tables.ts';
import type { StoredTask } from '../storage/task-fields.ts';
import * as store from '../storage/tasks.ts';
import type { Member } from '../workspaces/authorization.ts';
import { checklistIssues, ownIdIssues } from './checklist.ts';
import type { TaskInput, TaskPatch } from './schema.ts';

export const UNKNOWN_LIST: Issue = { path: 'listId', message: 'There is no such list in this workspace' };
const USE_MOVE: Issue = { path: 'listId', message: 'Use move to change the list' };
const UNKNOWN_LABEL: Issue = { path: 'labelIds', message: 'Must be labels of this workspace' };
const UNKNOWN_STATUS: Issue = { path: 'statusId', message: "Must be a status of the list's template" };

type References = {
  [Field in 'id' | 'listId' | 'statusId' | 'assigneeId' | 'labelIds' | 'checklist']?:
    | TaskInput[Field]
    | undefined;
};

/** Resolves the references of a new task, and validates them. */
export function referencesOf(
  db: Db,
  who: Member,
  { id: ownId, listId, statusId, assigneeId, labelIds, checklist }: References,
): { list: List | undefined; status: Status | undefined; issues: Issue[] } {
  const list = listId === undefined ? undefined : store.findListWithStatuses(db, who.workspaceId, listId);
  const status = list?.statuses.find(({ id }) => statusId === undefined || id === statusId);
  const issues: Issue[] = [];
  if (listId !== undefined && !list) issues.push(UNKNOWN_LIST);
  if (list && !status) issues.push(UNKNOWN_STATUS);
  if (assigneeId) issues.push(...assigneeIssues(db, who, assigneeId));
  issues.push(...labelIssues(db, who, labelIds), ...checklistIssues(db, checklist));
  issues.push(...ownIdIssues(ownId, checklist));
  return { list, status, issues };
}

/** Validates the references in an edit; no issues where there is no such task. */
export function editIssues(db: Db, who: Member, id: string, edit: TaskPatch, mayMove = true): Issue[] {
  const row = store.findTask(db, who.workspaceId, id);
  return row ? planEdit(db, who, row, edit, row.updated_at, mayMove).issues : [];
}

const assigneeIssues = (db: Db, who: Member, userId: string): Issue[] =>
  store.isAssignable(db, who.workspaceId, userId)
    ? []
    : [{ path: 'assigneeId', message: 'Must be a member of this workspace who is not a viewer' }];

const labelIssues = (db: Db, who: Member, ids: readonly string[] = []): Issue[] => {
  const known = knownLabels(db, who.workspaceId, ids);
  return ids.every((id) => known.has(id)) ? [] : [UNKNOWN_LABEL];
};

/** The columns an edit changes, and its invalid references. */
export function planEdit(
  db: Db,
  who: Member,
  row: StoredTask,
  edit: TaskPatch,
  at: Instant,
  mayMove: boolean,
): { changes: Partial<TaskRow>; issues: Issue[] } {
  const { listId = row.list_id } = edit;
  const issues = mayMove || listId === row.list_id ? [] : [USE_MOVE];
  const changes = placeFor(db, who, row, mayMove ? edit : { ...edit, listId: row.list_id }, at, issues);
  if (edit.assigneeId && (edit.assigneeId !== row.assignee_id || changes.assignee_id === null))
    issues.push(...assigneeIssues(db, who, edit.assigneeId));
  issues.push(...labelIssues(db, who, edit.labelIds), ...checklistIssues(db, edit.checklist, row));
  return { changes, issues };
}

/**
 * Where an edit leaves a task: its list, status and position. In another list it takes the status asked for, else the
 * counterpart of its present one, and goes to the end. Opened again, it loses an assignee who may not be one any
 * more. Adds to `issues` what is invalid.
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
  const list = store.findListWithStatuses(db, who.workspaceId, listId);
  if (!list) {
    issues.push(UNKNOWN_LIST);
    return {};
  }
  const status =
    statusId === undefined
      ? counterpartOf(statusOf(db, row), list.statuses)
      : list.statuses.find(({ id }) => id === statusId);
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
    list_id: list.id,
    space_id: list.spaceId,
    position: position ?? positionAfter(lastPosition(db, who.workspaceKey, list.id)),
  };
}

const keepsAssignee = (db: Db, { workspace_id, assignee_id }: TaskRow): boolean =>
  assignee_id === null || store.isAssignable(db, workspace_id, assignee_id);

/** The present status of a task. */
export function statusOf(db: Db, row: TaskRow): Status {
  const statuses = store.findListWithStatuses(db, row.workspace_id, row.list_id)?.statuses;
  const status = statuses?.find(({ id }) => id === row.status_id);
  if (!status) throw new Error('A task has a status that its list does not know');
  return status;
}

/** When a task counts as completed, once its status is of that type: since when it already did, or from now. */
export const completedAt = (type: StatusType, before: Instant | null, now: Instant): Instant | null =>
  type === 'completed' ? (before ?? now) : null;
