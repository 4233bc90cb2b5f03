import { type Db, prepared, query } from '../db/connection.ts';
import type { NotificationRow } from '../db/tables.ts';
import type { Instant } from '../kernel/instants.ts';
import { offsetOf, type PageRequest } from '../kernel/page.ts';
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

const insert = prepared<NotificationRow, unknown>((argument) =>
  query.insertInto('notifications').values({
    id: argument('id'),
    user_id: argument('user_id'),
    workspace_id: argument('workspace_id'),
    actor_id: argument('actor_id'),
    type: argument('type'),
    title: argument('title'),
    body: argument('body'),
    data: argument('data'),
    read_at: argument('read_at'),
    created_at: argument('created_at'),
  }),
);

export const insertNotification = (db: Db, row: NotificationRow) => db.run(insert(row));

/** A user's notifications, the newest first. */
export function listNotifications(db: Db, userId: string, only: { unread: boolean }, page: PageRequest) {
  let mine = query.selectFrom('notifications').where('user_id', '=', userId);
  if (only.unread) mine = mine.where('read_at', 'is', null);
  const total = db.one(mine.select(({ fn }) => fn.countAll<number>().as('total')))?.total ?? 0;
  const rows = db.all(
    mine
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(page.limit)
      .offset(offsetOf(page)),
  );
  return { total, items: rows.map(notificationOf) };
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

export const markAllRead = (db: Db, userId: string, now: Instant) =>
  db.run(
    query
      .updateTable('notifications')
      .set({ read_at: now })
      .where('user_id', '=', userId)
      .where('read_at', 'is', null),
  );

export const deleteNotification = (db: Db, userId: string, id: string) =>
  db.run(query.deleteFrom('notifications').where('id', '=', id).where('user_id', '=', userId));

export const deleteReadUntil = (db: Db, until: Instant) =>
  db.run(query.deleteFrom('notifications').where('read_at', '<=', until));
