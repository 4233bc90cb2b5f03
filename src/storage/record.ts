import { sql } from 'kysely';
import { statement } from '../db/connection.ts';
import type { Change } from '../db/journal.ts';
import type { Tx } from '../db/tx.ts';
import type { TaskRow } from './tables.ts';

type Names = Record<string, unknown>;

/** Columns that nobody sees: keys of other columns, and what is kept for the server's own work. */
const HIDDEN = /(?:_code|_key|_noticed)$|^updated_at$|^more_bytes$|^version$|^in_transit$/;

/** Returns the wire names of changed columns; nothing for columns that nobody sees. */
const fieldsOf = (changes: Names): string[] =>
  Object.keys(changes)
    .filter((column) => !HIDDEN.test(column))
    .map((column) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));

/** What a statement sets the version of a row to whose shown fields it changes. */
export const RAISED = sql<number>`version + 1`;

/** The version that goes with changed columns: raised where one of them is shown. */
export const raisedBy = (changes: Names): { version?: typeof RAISED } =>
  fieldsOf(changes).length > 0 ? { version: RAISED } : {};

/** A row with its changes and the version that `raisedBy` gives it. */
export const withChanges = <Row extends { version: number }, Changes extends Names>(
  row: Row,
  changes: Changes,
) => ({
  ...row,
  ...changes,
  version: row.version + (fieldsOf(changes).length > 0 ? 1 : 0),
});

/** What a task is recorded by: its id, and the scopes that hold it. */
export type TaskScope = Pick<TaskRow, 'id' | 'workspace_id' | 'list_id' | 'space_id' | 'recurring_task_id'>;
export const SCOPE_COLUMNS = 'id, workspace_id, list_id, space_id, recurring_task_id';

/** Records a task with the scopes that hold it; `changes` are the columns set, none for a task made or deleted. */
export function recordTask(tx: Tx, row: TaskScope, op: 'put' | 'delete', changes?: Names): void {
  const fields = changes && fieldsOf(changes);
  if (fields?.length === 0) return;
  tx.record({
    workspaceId: row.workspace_id,
    kind: 'task',
    id: row.id,
    op,
    ...(fields && { fields }),
    within: {
      // Of a task that moves, the scope must hold both places.
      ...(changes?.list_id === undefined && { list: row.list_id }),
      ...(changes?.space_id === undefined && { space: row.space_id }),
      ...(row.recurring_task_id !== null &&
        changes?.recurring_task_id === undefined && { recurringTask: row.recurring_task_id }),
    },
  });
}

interface Row {
  id: string;
  workspace_id: string;
}

/** Records a thing of a workspace other than a task; `changes` as for tasks. */
export function recordThing(
  tx: Tx,
  kind: Exclude<Change['kind'], 'task' | 'member' | 'workspace'>,
  row: Row,
  op: 'put' | 'delete',
  changes?: Names,
): void {
  const fields = changes && fieldsOf(changes);
  if (fields?.length === 0) return;
  tx.record({ workspaceId: row.workspace_id, kind, id: row.id, op, ...(fields && { fields }) });
}

/**
 * Records the active series whose upcoming tasks are among those about to be deleted, which a trigger takes from them;
 * not the series that go into the trash with them.
 */
export function recordLosses(tx: Tx, taskSeqs: readonly number[]): void {
  const losing = statement<Row>(
    `select series.id, series.workspace_id from json_each(?) as going
      join tasks as task on task.seq = going.value
      join recurring_series as series on series.id = task.recurring_task_id
      where series.next_task_id = task.id and series.state = 'active'
        and not exists (select 1 from trash_rows where trash_rows.id = series.id)`,
    [JSON.stringify(taskSeqs)],
  );
  for (const series of tx.all(losing))
    recordThing(tx, 'recurringTask', series, 'put', { next_task_id: null });
}

/** Records a workspace whose own fields changed. */
export const recordWorkspace = (tx: Tx, workspaceId: string, fields: readonly string[]): void =>
  tx.record({ workspaceId, kind: 'workspace', id: workspaceId, op: 'put', fields });

/** Records a member; their comings and goings change the workspace too, which tells how many it has. */
export function recordMember(
  tx: Tx,
  workspaceId: string,
  userId: string,
  op: 'put' | 'delete',
  fields?: readonly string[],
): void {
  tx.record({ workspaceId, kind: 'member', id: userId, op, ...(fields && { fields }) });
  if (fields) return;
  recordWorkspace(tx, workspaceId, ['memberCount']);
  tx.tell({ userId, about: 'workspaces' });
}
