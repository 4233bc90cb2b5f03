import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Issue, invalid, notFound, orNotFound } from '../kernel/errors.ts';
import { DAY, type Instant, toInstant } from '../kernel/instants.ts';
import { positionAfter } from '../kernel/positions.ts';
import type { List } from '../lists/schema.ts';
import { counterpartOf } from '../lists/statuses.ts';
import { userKeyOf } from '../storage/changes.ts';
import { lastPosition } from '../storage/insert-task.ts';
import { NO_SERIES } from '../storage/instances.ts';
import { findOccurrenceOf, updateOccurrence } from '../storage/occurrences.ts';
import { recordTask } from '../storage/record.ts';
import { isListBeingRemoved } from '../storage/removals.ts';
import { mergeBeforeCommit, PAGES_FOR_A_TASK } from '../storage/search-index.ts';
import { insertCommentIntoIndex, insertIntoIndex, mergeSome } from '../storage/searchable.ts';
import { findSeries, updateSeriesRow } from '../storage/series.ts';
import { deleteStepsUntil } from '../storage/series-steps.ts';
import type { TaskKeys, TaskRow, TrashRow } from '../storage/tables.ts';
import { type StoredTask, taskOf } from '../storage/task-fields.ts';
import * as store from '../storage/tasks.ts';
import * as trash from '../storage/trash.ts';
import {
  contentOf,
  insertCommentAgain,
  insertTaskAgain,
  labelsOf,
  type PackedComment,
  type PackedTask,
  packSomeTasks,
  personColumns,
  TASK_BATCH_SIZE,
} from '../storage/trash-contents.ts';
import { deletePacked, holdsOccurrencesOf, nextPacked } from '../storage/trash-rows.ts';
import { timezoneOf } from '../storage/users.ts';
import type { Member } from '../workspaces/authorization.ts';
import { requireWithinQuotas } from '../workspaces/quotas.ts';
import { dueInstant } from './due-times.ts';
import { completedAt, UNKNOWN_LIST } from './references.ts';
import type { Task } from './schema.ts';

/** A step restores at most so many. */
const COMMENT_BATCH_SIZE = 100;

type WholeTask = StoredTask & TaskKeys;

/** Whether what is deleted goes into the trash. */
export const hasTrash = ({ config }: Deps): boolean => config.trash.keep_days > 0;

/** Adds an entry to the trash for what this member deletes now. */
export const addEntry = (
  { config }: Deps,
  tx: Tx,
  who: Member,
  thing: Omit<TrashRow, 'workspace_code' | 'deleted_at' | 'deleted_by' | 'purge_at'>,
  now: number,
): trash.StoredEntry =>
  trash.insertEntry(tx, {
    ...thing,
    workspace_code: who.workspaceKey,
    deleted_at: toInstant(now),
    deleted_by: userKeyOf(tx, who.userId),
    purge_at: toInstant(now + config.trash.keep_days * DAY),
  });

/** 404 for a task whose list is being deleted for good: some of its comments may be gone. */
export function requireStaying(db: Db, { list_id: listId }: StoredTask): void {
  if (isListBeingRemoved(db, listId)) throw notFound('task');
}

/** Moves a task into the trash, with its comments, in the caller's transaction. */
export function* trashTask(deps: Deps, tx: Tx, who: Member, row: StoredTask, now: number): Steps<void> {
  requireStaying(tx, row);
  const { id, title, list_id: place_id } = row;
  const thing = { id, kind: 'task', title, place_id, item_count: 1, state: 'kept' } as const;
  const entry = addEntry(deps, tx, who, thing, now);
  while (packSomeTasks(tx, entry)) yield;
  mergeBeforeCommit(tx, PAGES_FOR_A_TASK);
  recordTask(tx, row, 'delete');
}

export const LIST_IS_GONE: Issue = { path: 'listId', message: 'Its list is gone: name another one' };

/** The list that a restored task goes to. */
function listFor(db: Db, who: Member, entry: trash.StoredEntry, listId: string | undefined): List {
  const list = store.findListWithStatuses(db, who.workspaceId, listId ?? entry.place_id ?? '');
  // What comes into one that is being deleted would go with it.
  if (!list || isListBeingRemoved(db, list.id))
    throw invalid(listId === undefined ? LIST_IS_GONE : UNKNOWN_LIST);
  return list;
}

/**
 * Restores a task from the trash, in the caller's transaction: to the list it was in, or to another one, at its end and
 * in the status that a move would give it. 404 for what is no task in the trash, 400 where its list is gone and none is
 * named, 403 while a quota is exceeded.
 */
export function* restoreTask(
  deps: Deps,
  tx: Tx,
  who: Member,
  id: string,
  { listId }: { listId?: string | undefined },
  now: number,
): Steps<Task> {
  const entry = trash.findEntry(tx, who.workspaceKey, id);
  if (entry?.kind !== 'task') throw notFound('task in the trash');
  const list = listFor(tx, who, entry, listId);
  requireWithinQuotas(deps, tx, who, []);
  while (restoreSome(tx, who.workspaceId, entry, () => list, toInstant(now))) yield;
  trash.deleteEntry(tx, entry);
  const row = orNotFound(store.findTask(tx, who.workspaceId, id), 'task');
  recordTask(tx, row, 'put');
  return taskOf(row);
}

/** Restores some tasks of an entry, then their comments, into the lists that `listOf` says; false when none is left. */
export function restoreSome(
  tx: Tx,
  workspaceId: string,
  entry: trash.StoredEntry,
  listOf: (listId: string) => List,
  now: Instant,
): boolean {
  const tasks = nextPacked(tx, entry, 'task', TASK_BATCH_SIZE);
  const restored = tasks.map((packed) => {
    const content = contentOf<PackedTask>(packed);
    const list = listOf(String(content.row.list_id));
    const placed = restoredRow(tx, workspaceId, content, list, now);
    const row = { ...placed, ...seriesColumns(tx, placed, entry) };
    insertTaskAgain(tx, row, labelsOf(tx, content.labels));
    return row;
  });
  const comments = tasks.length > 0 ? [] : nextPacked(tx, entry, 'comment', COMMENT_BATCH_SIZE);
  const said = comments.map((packed) => {
    const content = contentOf<PackedComment>(packed);
    insertCommentAgain(tx, workspaceId, content);
    return content.row;
  });
  const done = [...tasks, ...comments];
  if (done.length === 0) return false;
  deletePacked(tx, done);
  // Last, as the next statement would have the index written out in the same step.
  let unitsAdded = 0;
  for (const row of restored) unitsAdded += insertIntoIndex(tx, row.seq, row);
  for (const { code, workspace_code, body } of said) {
    unitsAdded += insertCommentIntoIndex(tx, code, workspace_code, body);
  }
  mergeSome(tx, PAGES_FOR_A_TASK * done.length, unitsAdded);
  return true;
}

/** A packed task as it is in that list, without what is gone by now. */
function restoredRow(tx: Tx, workspaceId: string, content: PackedTask, list: List, now: Instant): WholeTask {
  const packed = content.row as unknown as WholeTask & { version?: number };
  const status = counterpartOf({ ...content.status, color: '', position: 0 }, list.statuses);
  const assignee = personColumns(tx, content, 'assignee');
  const mayBeAssigned = assignee.id !== null && store.isAssignable(tx, workspaceId, assignee.id);
  const assigneeId = mayBeAssigned ? assignee.id : null;
  const creator = personColumns(tx, content, 'creator');
  const isAnother = status.id !== content.status.id || status.type !== content.status.type;
  const isElsewhere = list.id !== packed.list_id;
  const keys = store.keysOfListAndStatus(tx, list.id, status.id);
  return {
    ...packed,
    ...keys,
    workspace_id: workspaceId,
    space_id: list.spaceId,
    list_id: list.id,
    status_id: status.id,
    ...(isAnother && { completed_at: completedAt(status.type, packed.completed_at, now) }),
    assignee_id: assigneeId,
    assignee_code: mayBeAssigned ? assignee.code : null,
    creator_id: creator.id,
    creator_code: creator.code,
    ...(isElsewhere && {
      position: positionAfter(lastPosition(tx, packed.workspace_code, list.id)),
    }),
    // What fell due meanwhile is told to nobody.
    ...(assigneeId !== null &&
      packed.due_date !== null &&
      dueInstant(packed.due_date, timezoneOf(tx, assigneeId)) <= now && { due_noticed: packed.due_date }),
    ...(packed.version !== undefined && { version: packed.version + 1 }),
  };
}

/** Whether a series comes back by the same entry: its occurrences follow the tasks. */
const isRestoredWith = (tx: Tx, seriesId: string, entry: trash.StoredEntry): boolean =>
  entry.kind !== 'task' && holdsOccurrencesOf(tx, entry, seriesId);

/**
 * What a restored task is to its series. One whose occurrence was skipped by its deletion is an ordinary task; one of
 * an occurrence that was not is its instance again. Without that series or occurrence it only says when it was.
 */
function seriesColumns(tx: Tx, row: WholeTask, entry: trash.StoredEntry): Partial<TaskRow> {
  if (row.recurring_task_id === null || isRestoredWith(tx, row.recurring_task_id, entry)) return {};
  const series = findSeries(tx, row.workspace_id, row.recurring_task_id);
  const occurrence = series && findOccurrenceOf(tx, row);
  if (occurrence?.state === 'skipped') {
    deleteStepsUntil(tx, occurrence);
    return NO_SERIES;
  }
  if (!series || occurrence?.state !== 'deleted') return { recurring_task_id: null };
  updateOccurrence(tx, occurrence, { state: 'generated', task_id: row.id });
  const { next_number, next_local, next_task_id } = series;
  const isUpcoming = next_number === occurrence.number && next_local === occurrence.occurrence_local;
  if (isUpcoming && next_task_id === null) updateSeriesRow(tx, series, { next_task_id: row.id });
  return {};
}
