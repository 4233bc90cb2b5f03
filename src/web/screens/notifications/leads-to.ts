import type { Notification } from '../../../notifications/schema.ts';
import { addressOf } from '../../shell/addresses.ts';

/**
 * Where a notification leads: to its task, else to the people of its workspace. To none where the person is not, or not
 * yet: it stays among the notifications.
 */
export function leadsTo(
  { type, data }: Pick<Notification, 'type' | 'data'>,
  workspaceIds: readonly string[],
): string {
  const { workspaceId: w = '', taskId } = data;
  if (type === 'token.expiring') return addressOf('tokens');
  if (!workspaceIds.includes(w)) return addressOf('notifications');
  return taskId ? addressOf('task', { w, task: taskId }) : addressOf('settingsPeople', { w });
}
