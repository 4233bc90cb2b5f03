import { sql } from 'kysely';
import { type Db, prepared, query } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Notification } from '../notifications/schema.ts';
import { readPage } from './read-page.ts';
import type { NotificationRow } from './tables.ts';

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

/** Deletes the unread ones that said the same: the newer one stands for them. */
export const deleteRepeats = (db: Db, row: NotificationRow) =>
  db.run(unreadDeletion(row).where('data', '=', row.data));

/** The same, of whatever else than the task the notifications tell. */
export const deleteRepeatsOfTask = (db: Db, row: NotificationRow, taskId: string) =>
  db.run(unreadDeletion(row).where(sql<string>`data ->> 'taskId'`, '=', taskId));

const unreadDeletion = ({ user_id: userId, type }: NotificationRow) =>
  query
    .deleteFrom('notifications')
    .where('user_id', '=', userId)
    .where('read_at', 'is', null)
    .where('type', '=', type);

/** Keeps the newest of a user, at most so many. */
export function keepNewestNotifications(db: Db, userId: string, most: number): void {
  const older = ids.where('user_id', '=', userId).orderBy('created_at', 'desc').orderBy('id', 'desc');
  db.run(query.deleteFrom('notifications').where('id', 'in', older.limit(most).offset(most)));
}

/** Deletes what someone has not read of a workspace that they left. */
export const deleteUnreadOf = (db: Db, userId: string, workspaceId: string) =>
  db.run(
    query
      .deleteFrom('notifications')
      .where('user_id', '=', userId)
      .where('workspace_id', '=', workspaceId)
      .where('read_at', 'is', null),
  );

/** A user's notifications, the newest first. */
export function listNotifications(
  db: Db,
  userId: string,
  only: { unread?: boolean | undefined; workspaceIds: readonly string[] | null },
  page: PageRequest,
): Page<Notification> {
  let mine = query.selectFrom('notifications').selectAll().where('user_id', '=', userId);
  if (only.workspaceIds) mine = mine.where('workspace_id', 'in', only.workspaceIds);
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

/** Returns how many it marked, at most so many. */
export function markSomeRead(db: Db, userId: string, most: number, now: Instant): number {
  const unread = ids.where('user_id', '=', userId).where('read_at', 'is', null);
  return db.run(
    query.updateTable('notifications').set({ read_at: now }).where('id', 'in', unread.limit(most)),
  );
}

export const deleteNotification = (db: Db, userId: string, id: string) =>
  db.run(query.deleteFrom('notifications').where('id', '=', id).where('user_id', '=', userId));

const ids = query.selectFrom('notifications').select('id');

const unreadOf = (userId: string) =>
  query
    .selectFrom('notifications')
    .select(({ fn }) => [fn.countAll<number>().as('count'), fn.max('id').as('newestId')])
    .where('user_id', '=', userId)
    .where('read_at', 'is', null);

/** How many notifications a user has not read, and the newest of them, which may have taken the place of another. */
export interface Unread {
  count: number;
  newestId: string | null;
}

const allUnread = prepared<{ userId: string }, Unread>((argument) => unreadOf(argument('userId')));

export const readUnread = (db: Db, userId: string, workspaceIds: readonly string[] | null = null): Unread =>
  (workspaceIds
    ? db.one(unreadOf(userId).where('workspace_id', 'in', workspaceIds))
    : db.cached(allUnread({ userId }))[0]) ?? { count: 0, newestId: null };

/** Replaces the title of a workspace in the notifications that tell it. */
export const retitleInNotifications = (db: Db, workspaceId: string, from: string, to: string) =>
  db.run(
    query
      .updateTable('notifications')
      .set({
        title: sql<string>`replace(title, ${from}, ${to})`,
        body: sql<string>`replace(body, ${from}, ${to})`,
      })
      .where('workspace_id', '=', workspaceId)
      .where('type', 'in', ['workspace.invited', 'workspace.member_added', 'workspace.owner_changed']),
  );
