import { ROW_BATCH_SIZE } from '../db/connection.ts';
import type { Deps } from '../deps.ts';
import { notFound, orNotFound } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import type { SignedIn } from '../sessions/actor.ts';
import { writeSignedIn } from '../sessions/authentication.ts';
import * as store from '../storage/notifications.ts';
import type { Notification } from './schema.ts';

/** Marks one of the caller's notifications as read; one that was read before stays as it is. */
export async function readNotification(deps: Deps, who: SignedIn, id: string): Promise<Notification> {
  const now = toInstant(deps.clock.now());
  const row = await writeSignedIn(deps, who, (tx) => {
    tx.tell({ userId: who.userId, about: 'unread' });
    return store.markRead(tx, who.userId, id, now);
  });
  return store.notificationOf(orNotFound(row, 'notification'));
}

/** Marks all of the caller's notifications as read, in commits of some. */
export async function readAllNotifications(deps: Deps, who: SignedIn): Promise<undefined> {
  const now = toInstant(deps.clock.now());
  const readSome = () =>
    writeSignedIn(deps, who, (tx) => {
      tx.tell({ userId: who.userId, about: 'unread' });
      return store.markSomeRead(tx, who.userId, ROW_BATCH_SIZE, now);
    });
  while ((await readSome()) === ROW_BATCH_SIZE);
}

/** Deletes one of the caller's notifications. */
export async function removeNotification(deps: Deps, who: SignedIn, id: string): Promise<undefined> {
  const removed = await writeSignedIn(deps, who, (tx) => {
    tx.tell({ userId: who.userId, about: 'unread' });
    return store.deleteNotification(tx, who.userId, id);
  });
  if (removed === 0) throw notFound('notification');
}
