import { type Db, query } from '../db/connection.ts';
import { readPage } from '../db/read-page.ts';
import type { NotificationRow } from '../db/tables.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Notification } from './schema.ts';

export const notificationOf = (row: NotificationRow): Notification => ({
  id: row.id,
  type: row.type,
  title: row.title,
  body: row.body,
  data: JSON.parse(row.data) as Notification['data'],
  readAt: row.read_at,
  createdAt: row.created_at,
});

export const insertNotification = (db: Db, row: NotificationRow) =>
  db.run(query.insertInto('notifications').values(row));

/** A user's notifications, the newest first. */
export function listNotifications(
  db: Db,
  userId: string,
  only: { unread?: boolean | undefined },
  page: PageRequest,
): Page<Notification> {
  let mine = query.selectFrom('notifications').selectAll().where('user_id', '=', userId);
  if (only.unread) mine = mine.where('read_at', 'is', null);
  return readPage(db, page, mine.orderBy('created_at', 'desc').orderBy('id', 'desc'), notificationOf);
}

/** Keeps the instant of the first reading. */
export const markRead = (db: Db, userId: string, id: string, now: Instant) =>
  db.one(
    query
      .updateTable('notifications')
      .set(({ fn, ref, val }) => ({ read_at: fn.coalesce(ref('read_at'), val(now)) }))
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returningAll(),
  );

/** Answers how many it marked, at most so many. */
export function markSomeRead(db: Db, userId: string, most: number, now: Instant): number {
  const unread = ids.where('user_id', '=', userId).where('read_at', 'is', null);
  return db.run(
    query.updateTable('notifications').set({ read_at: now }).where('id', 'in', unread.limit(most)),
  );
}

export const deleteNotification = (db: Db, userId: string, id: string) =>
  db.run(query.deleteFrom('notifications').where('id', '=', id).where('user_id', '=', userId));

/** Answers how many it deleted, at most so many. */
export const deleteSomeReadUntil = (db: Db, until: Instant, most: number): number =>
  db.run(query.deleteFrom('notifications').where('id', 'in', ids.where('read_at', '<=', until).limit(most)));

const ids = query.selectFrom('notifications').select('id');
