import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { keyIn } from '../storage/keys.ts';
import { changeTasks } from '../storage/many-tasks.ts';
import { unassignSeries } from '../storage/series.ts';
import { openStatusKeys } from '../storage/status-templates.ts';
import type { Member } from './authorization.ts';

/** Takes someone's open tasks in a workspace from them, and those to come: they may not be an assignee there any more. */
export function* unassignOpenTasks(
  tx: Tx,
  { workspaceId, workspaceKey }: Member,
  userId: string,
  now: Instant,
): Steps<void> {
  yield* changeTasks(
    tx,
    workspaceKey,
    ({ and, eb }) =>
      and([
        eb('assignee_code', '=', keyIn('users', userId)),
        eb('status_code', 'in', openStatusKeys(workspaceId)),
      ]),
    { assignee_id: null, assignee_code: null, updated_at: now },
  );
  yield* unassignSeries(tx, workspaceId, userId, now);
}
