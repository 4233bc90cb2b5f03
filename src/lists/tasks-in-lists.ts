import { sql } from 'kysely';
import { query } from '../db/connection.ts';
import type { StatusType } from '../db/tables.ts';
import type { Tx } from '../db/writer.ts';
import type { Instant } from '../kernel/instants.ts';

/** Tasks of the status `from` become tasks of `to`; both are the same when a status got another type. */
export interface StatusChange {
  from: string;
  to: { id: string; type: StatusType };
}

/**
 * Gives tasks of a workspace, or of one of its lists, their new statuses in the given order; `completed_at` follows:
 * set on entering a completed status, cleared on leaving it.
 */
export function restatusTasks(
  tx: Tx,
  where: { workspaceId: string; listId?: string },
  changes: readonly StatusChange[],
  now: Instant,
): void {
  for (const { from, to } of changes) {
    let tasks = query
      .updateTable('tasks')
      .set({
        status_id: to.id,
        completed_at: to.type === 'completed' ? sql<Instant>`ifnull(completed_at, ${now})` : null,
        updated_at: now,
      })
      .where('workspace_id', '=', where.workspaceId)
      .where('status_id', '=', from);
    if (where.listId !== undefined) tasks = tasks.where('list_id', '=', where.listId);
    tx.run(tasks);
  }
}

/** Tasks name the space of their list. */
export const moveTasksToSpace = (tx: Tx, workspaceId: string, listId: string, spaceId: string) =>
  tx.run(
    query
      .updateTable('tasks')
      .set({ space_id: spaceId })
      .where('list_id', '=', listId)
      .where('workspace_id', '=', workspaceId),
  );
