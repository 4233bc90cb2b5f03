import { purgeAccounts } from './auth/purge.ts';
import type { Deps } from './deps.ts';
import { purgeNotifications } from './notifications/notifications.ts';
import { sweep } from './recurring/sweep.ts';
import { notifyDue } from './tasks/due.ts';
import { purgeInvitations } from './workspaces/invitations.ts';

/** What time brings, once a minute and at start; safe to repeat. */
export async function tick(deps: Deps): Promise<void> {
  deps.refusals.sumUp();
  if (deps.config.recurrence.sweep) await sweep(deps);
  await notifyDue(deps);
  await purgeAccounts(deps);
  await purgeInvitations(deps);
  await purgeNotifications(deps);
}
