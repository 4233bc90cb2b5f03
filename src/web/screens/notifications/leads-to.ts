import type { Notification } from '../../../notifications/schema.ts';
import { addressOf } from '../../shell/addresses.ts';
import { withQuery } from '../../shell/router.ts';

/**
 * Where a notification leads: to its task and the comment it tells of, else to the people of its workspace. To none where
 * the person is not, or not yet: it stays among the notifications.
 */
export function leadsTo(
  { type, data }: Pick<Notification, 'type' | 'data'>,
  workspaceIds: readonly string[],
): string {
  const { workspaceId: w = '', taskId, commentId } = data;
  if (type === 'token.expiring') return addressOf('tokens');
  if (!workspaceIds.includes(w)) return addressOf('notifications');
  return taskId
    ? withQuery(addressOf('task', { w, task: taskId }), { comment: commentId })
    : addressOf('settingsPeople', { w });
}
