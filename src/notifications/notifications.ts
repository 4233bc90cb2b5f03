import type { Deps } from '../deps.ts';
import { demand, notFound } from '../kernel/errors.ts';
import { DAY, toInstant } from '../kernel/instants.ts';
import { type SignedIn, writeSignedIn } from '../sessions/door.ts';
import type { Notification } from './schema.ts';
import * as store from './store.ts';

const KEPT_AFTER_READING_MS = 90 * DAY;

/** Marks one of the caller's notifications as read; one that was read before stays as it is. */
export async function readNotification(deps: Deps, who: SignedIn, id: string): Promise<Notification> {
  const now = toInstant(deps.clock.now());
  const row = await writeSignedIn(deps, who, (tx) => store.markRead(tx, who.userId, id, now));
  return store.notificationOf(demand(row, 'notification'));
}

/** Marks all of the caller's notifications as read. */
export async function readAllNotifications(deps: Deps, who: SignedIn): Promise<undefined> {
  const now = toInstant(deps.clock.now());
  await writeSignedIn(deps, who, (tx) => store.markAllRead(tx, who.userId, now));
}

/** Deletes one of the caller's notifications. */
export async function removeNotification(deps: Deps, who: SignedIn, id: string): Promise<undefined> {
  const removed = await writeSignedIn(deps, who, (tx) => store.deleteNotification(tx, who.userId, id));
  if (removed === 0) throw notFound('notification');
}

/** Deletes what was read long ago. */
export async function purgeNotifications({ clock, write }: Deps): Promise<void> {
  const until = toInstant(clock.now() - KEPT_AFTER_READING_MS);
  await write((tx) => store.deleteReadUntil(tx, until));
}
