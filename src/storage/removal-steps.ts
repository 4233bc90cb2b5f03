import { query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { deleteMemberChanges } from './changes.ts';
import { scheduleErasure } from './erasure.ts';
import { recordTask, recordThing, SCOPE_COLUMNS, type TaskScope } from './record.ts';
import { IS_USER, type RemovalPart, TASK_IS_IN } from './removal-parts.ts';
import { deleteRemoval } from './removals.ts';
import { TABLE_TRAITS, type TableTraits } from './table-traits.ts';
import type { RemovalRow } from './tables.ts';

/** Takes at most so many rows of a part away, part after part; with the last of them the thing itself, and returns true. */
export function takeRemovalStep(tx: Tx, { kind, id }: RemovalRow, most: number): boolean {
  if (leavesWords(tx, kind, id)) scheduleErasure(tx, 'search');
  if (kind === 'user') recordReferences(tx, id, most);
  const isDone = PARTS[kind].every((part) => part(tx, id, most) < most);
  if (!isDone) return false;
  recordRemoval(tx, kind, id);
  tx.run(query.deleteFrom(TABLES[kind]).where('id', '=', id));
  deleteRemoval(tx, { kind, id });
  return true;
}

/** Records that a list or space is gone; of a user, who was a member, no id stays. */
function recordRemoval(tx: Tx, kind: RemovalRow['kind'], id: string): void {
  if (kind === 'user') deleteMemberChanges(tx, id);
  if (kind !== 'space' && kind !== 'list') return;
  const [gone] = tx.all(query.selectFrom(TABLES[kind]).select(['id', 'workspace_id']).where('id', '=', id));
  if (gone) recordThing(tx, kind, gone, 'delete');
}

/** Records what a step is about to take a user from, as assignee or creator. */
function recordReferences(tx: Tx, userId: string, most: number): void {
  for (const as of ['assignee', 'creator'] as const) {
    const change = { [`${as}_id`]: null };
    const tasks = statement<TaskScope>(
      `select ${SCOPE_COLUMNS} from tasks where ${IS_USER(`${as}_code`)} limit ?`,
      [userId, most],
    );
    for (const task of tx.all(tasks)) recordTask(tx, task, 'put', change);
    const series = statement<{ id: string; workspace_id: string }>(
      `select id, workspace_id from recurring_series where ${as}_id = ? limit ?`,
      [userId, most],
    );
    for (const row of tx.all(series)) recordThing(tx, 'recurringTask', row, 'put', change);
  }
}

/** The search index is cleared as a whole, which is too much to do for a list that is empty. */
const leavesWords = (tx: Tx, kind: RemovalRow['kind'], id: string): boolean =>
  kind === 'user' ||
  kind === 'workspace' ||
  tx.one(statement(`select 1 from tasks where ${TASK_IS_IN[kind]} limit 1`, [id])) !== undefined;

const TABLES = { user: 'users', workspace: 'workspaces', space: 'spaces', list: 'lists' } as const;

/** What may be much, and goes before the thing itself, in the order of the tables; the rest goes by the foreign keys. */
const partsOf = (kind: RemovalRow['kind']): readonly RemovalPart[] =>
  Object.values<TableTraits>(TABLE_TRAITS).flatMap(({ goesWith }) => {
    const how = goesWith?.[kind] ?? [];
    return typeof how === 'string' ? [] : how;
  });

const PARTS = {
  user: partsOf('user'),
  workspace: partsOf('workspace'),
  space: partsOf('space'),
  list: partsOf('list'),
};
