import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import {
  deleteRepeats,
  deleteRepeatsOfTask,
  insertNotification,
  keepNewestNotifications,
} from '../storage/notifications.ts';
import type { NotificationRow, NotificationType } from '../storage/tables.ts';
import { isDisabled } from '../storage/users.ts';
import { findStanding } from '../storage/workspaces.ts';

const KEPT_PER_USER = 1_000;

interface Notice {
  type: NotificationType;
  /** Whose act it tells of, who is never told of it; null for what time brought. */
  actorId: string | null;
  /** Null for what concerns no workspace. */
  workspaceId: string | null;
  title: string;
  body: string;
  /** Ids of what it is about, beside the workspace's. */
  data: Record<string, string>;
}

/**
 * Tells each of these users (null is nobody, and disabled accounts are told nothing, nor is anyone of a workspace that is
 * being deleted), in the transaction of what happened. A notice may quote names and titles: it goes with the workspace
 * and the account that they are from. The same task assigned or commented on again replaces what is unread of it; of one
 * user the newest thousand are kept.
 */
export function notify(tx: Tx, userIds: readonly (string | null)[], notice: Notice, now: Instant): void {
  const { type, actorId, workspaceId, title, body, data } = notice;
  for (const userId of userIds) {
    if (userId === null || userId === actorId || isDisabled(tx, userId)) continue;
    if (workspaceId !== null && !findStanding(tx, { workspaceId, userId })) continue;
    const row: NotificationRow = {
      id: newId(now),
      user_id: userId,
      workspace_id: workspaceId,
      actor_id: actorId,
      type,
      title,
      body,
      data: JSON.stringify({ ...(workspaceId !== null && { workspaceId }), ...data }),
      read_at: null,
      created_at: now,
    };
    if (type === 'task.assigned') deleteRepeats(tx, row);
    if (type === 'comment.added' || type === 'comment.mentioned')
      deleteRepeatsOfTask(tx, row, data.taskId ?? '');
    insertNotification(tx, row);
    keepNewestNotifications(tx, userId, KEPT_PER_USER);
    tx.tell({ userId, about: 'unread' });
  }
}
