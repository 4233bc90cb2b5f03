import type { NotificationType } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { insertNotification } from './store.ts';

interface Notice {
  type: NotificationType;
  /** Whose act it tells of, who is never told of it; null for what time brought. */
  actorId: string | null;
  workspaceId: string;
  title: string;
  body: string;
  /** Ids of what it is about, beside the workspace's. */
  data: Record<string, string>;
}

/**
 * Tells each of these users (null is nobody), in the transaction of what happened. A notice may quote names and
 * titles: it goes with the workspace and the account that they are from.
 */
export function notify(tx: Tx, userIds: readonly (string | null)[], notice: Notice, now: Instant): void {
  const { type, actorId, workspaceId, title, body, data } = notice;
  for (const userId of userIds) {
    if (userId === null || userId === actorId) continue;
    insertNotification(tx, {
      id: newId(now),
      user_id: userId,
      workspace_id: workspaceId,
      actor_id: actorId,
      type,
      title,
      body,
      data: JSON.stringify({ workspaceId, ...data }),
      read_at: null,
      created_at: now,
    });
  }
}
