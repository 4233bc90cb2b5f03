import { type SqlBool, sql } from 'kysely';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { List } from '../lists/schema.ts';
import { saveItems } from './checklists.ts';
import { keyIn } from './keys.ts';
import { saveTaskLabels } from './labels.ts';
import { findList, listOf } from './lists.ts';
import { keysIn, putBack } from './long-texts.ts';
import { raisedBy, recordLosses, recordTask, SCOPE_COLUMNS, type TaskScope, withChanges } from './record.ts';
import { REWRITTEN_STEP_BYTES, TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import type { DateText, Role, TaskKeys, TaskRow } from './tables.ts';
import { PAGED, type PagedTask, SHOWN, type ShownTask, type StoredTask } from './task-fields.ts';
import { itemIds, labelIdsOf } from './template-fields.ts';

const PAGED_BY_SEQ = `select ${PAGED}
  from tasks not indexed where workspace_code = ? and seq in (select value from json_each(?))`;

/** The tasks of a workspace with these numbers, in no order. */
export const readPagedTasks = (
  db: Db,
  workspaceKey: number,
  found: readonly { seq: number }[],
): PagedTask[] => db.all(statement<PagedTask>(PAGED_BY_SEQ, [workspaceKey, keysIn(found, 'seq')]));

/** Reads what was left out of these tasks of one workspace. */
export function completeTasks(db: Db, tasks: readonly PagedTask[]): void {
  const long = tasks.filter(({ left_out }) => left_out > 0);
  if (long[0])
    putBack(long, db.all(statement(LONG_TEXTS, [long[0].workspace_code, keysIn(long, 'seq')])), 'seq');
}

const LONG_TEXTS = `select seq, description, checklist from tasks not indexed
  where workspace_code = ? and seq in (select value from json_each(?))`;

const byId = prepared<{ workspaceId: string; id: string }, StoredTask>((argument) =>
  query
    .selectFrom('tasks')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where('id', '=', argument('id'))
    .where(sql<SqlBool>`list_code not in (select code from lists where in_transit = 1)`),
);

/** A task that may be changed: not while its list is on its way into the trash or out of it. Null finds none. */
export const findTask = (db: Db, workspaceId: string, id: string | null) =>
  id === null ? undefined : db.one(byId({ workspaceId, id }));

const SHOWN_BY_ID = `select ${SHOWN} from tasks where workspace_id = ? and id = ?`;

/** As it is on the wire, without what is kept for storing it. */
export const findShownTask = (db: Db, workspaceId: string, id: string) =>
  db.one(statement<ShownTask>(SHOWN_BY_ID, [workspaceId, id]));

/** Whether the list of a task is on its way into the trash or out of it. */
export const isInTransit = (db: Db, workspaceId: string, id: string | null): boolean =>
  id !== null && !findTask(db, workspaceId, id) && findShownTask(db, workspaceId, id) !== undefined;

const SHOWN_BY_NUMBER = `select ${SHOWN} from tasks where workspace_code = ? and number = ?`;

/** The task that has this number in the workspace. */
export const findTaskByNumber = (db: Db, workspaceKey: number, number: number) =>
  db.one(statement<ShownTask>(SHOWN_BY_NUMBER, [workspaceKey, number]));

const listAndStatusKeys = prepared<
  Pick<TaskRow, 'list_id' | 'status_id'>,
  Pick<TaskKeys, 'list_code' | 'status_code'>
>((argument) =>
  query.selectNoFrom([
    keyIn('lists', argument('list_id')).as('list_code'),
    keyIn('statuses', argument('status_id')).as('status_code'),
  ]),
);

/** What the indexes know a list and a status by. */
export function keysOfListAndStatus(db: Db, list_id: string, status_id: string) {
  const [keys] = db.cached(listAndStatusKeys({ list_id, status_id }));
  if (!keys) throw new Error('A select without a source returned nothing');
  return keys;
}

/** Stores the changed fields of a task and returns it as it is then. */
export function updateTaskRow(tx: Tx, row: StoredTask, changes: Partial<TaskRow>): StoredTask {
  tx.run(
    query
      .updateTable('tasks')
      .set({ ...changes, ...keysFor(changes), ...raisedBy(changes) })
      .where('workspace_code', '=', row.workspace_code)
      .where('seq', '=', row.seq),
  );
  const { label_ids, checklist } = changes;
  if (label_ids !== undefined) saveTaskLabels(tx, row.workspace_id, row.seq, labelIdsOf({ label_ids }));
  if (checklist !== undefined) saveItems(tx, row.seq, itemIds({ checklist }));
  recordTask(tx, row, 'put', changes);
  return withChanges(row, changes);
}

const keysFor = ({
  list_id,
  status_id,
  assignee_id,
  creator_id,
}: Partial<Pick<TaskRow, 'list_id' | 'status_id' | 'assignee_id' | 'creator_id'>>) => ({
  ...(list_id !== undefined && { list_code: keyIn('lists', list_id) }),
  ...(status_id !== undefined && { status_code: keyIn('statuses', status_id) }),
  ...(assignee_id !== undefined && { assignee_code: keyIn('users', assignee_id) }),
  ...(creator_id !== undefined && { creator_code: keyIn('users', creator_id) }),
});

/** Notes that the assignee of a task was told of this due date, which nobody sees. */
export const saveDueNoticed = (tx: Tx, seq: number, due: DateText) =>
  tx.run(statement('update tasks set due_noticed = ? where seq = ?', [due, seq]));

/** Deletes a task, which its series loses. */
export function deleteTaskRow(tx: Tx, row: StoredTask): void {
  if (row.recurring_task_id !== null) recordLosses(tx, [row.seq]);
  tx.run(
    query.deleteFrom('tasks').where('workspace_code', '=', row.workspace_code).where('seq', '=', row.seq),
  );
  recordTask(tx, row, 'delete');
}

/** What is told of a task that another change releases, or takes back. */
export type ReleasedTask = TaskScope & { seq: number };

/** Takes instances out of the series that `isSeries` finds; returns how many, or `most` where more are left. */
export function releaseSome(tx: Tx, isSeries: string, argument: string, most: number): number {
  const found = tx.all(
    statement<ReleasedTask & { bytes: number }>(
      `select seq, ${SCOPE_COLUMNS}, ${TEMPLATE_BYTES} as bytes from tasks
        where recurring_task_id in (select id from recurring_series where ${isSeries}) limit ?`,
      [argument, most],
    ),
  );
  const some = withinStep(found, REWRITTEN_STEP_BYTES);
  for (const task of some) saveSeriesOf(tx, task, null);
  return some.length < found.length ? most : found.length;
}

/** Makes a task an instance of a series, or of none. */
export function saveSeriesOf(tx: Tx, { seq, ...task }: ReleasedTask, seriesId: string | null): void {
  tx.run(
    statement('update tasks set recurring_task_id = ?, version = version + 1 where seq = ?', [seriesId, seq]),
  );
  recordTask(tx, task, 'put', { recurring_task_id: seriesId });
}

/** The list that tasks may be put into, with its statuses. */
export function findListWithStatuses(db: Db, workspaceId: string, listId: string): List | undefined {
  const row = findList(db, workspaceId, listId);
  return row && listOf(db, row);
}

const assignable = prepared<{ workspaceId: string; userId: string }, { role: Role }>((argument) =>
  query
    .selectFrom('members')
    .select('role')
    .where('workspace_id', '=', argument('workspaceId'))
    .where('user_id', '=', argument('userId'))
    .where('role', '!=', sql.lit('viewer')),
);

/** Whether tasks of the workspace may be given to that user: a member who is not a viewer. */
export const isAssignable = (db: Db, workspaceId: string, userId: string): boolean =>
  db.cached(assignable({ workspaceId, userId })).length > 0;
