import { codeIn } from '../db/codes.ts';
import { query } from '../db/connection.ts';
import { changeTasks } from '../db/many-tasks.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Member } from './door.ts';

/** Takes someone's open tasks in a workspace from them, and those to come: they may not be an assignee there any more. */
export function* unassignOpenTasks(
  tx: Tx,
  { workspaceId, workspaceCode }: Member,
  userId: string,
  now: Instant,
): Steps<void> {
  const open = query
    .selectFrom('statuses')
    .select('code')
    .where('workspace_id', '=', workspaceId)
    .where('type', 'in', ['unstarted', 'started']);
  yield* changeTasks(
    tx,
    workspaceCode,
    ({ and, eb }) => and([eb('assignee_code', '=', codeIn('users', userId)), eb('status_code', 'in', open)]),
    { assignee_id: null, assignee_code: null, updated_at: now },
  );
  tx.run(
    query
      .updateTable('recurring_series')
      .set({ assignee_id: null, updated_at: now })
      .where('assignee_id', '=', userId)
      .where('workspace_id', '=', workspaceId),
  );
}
