import { pageRequest, pageShape } from '../http/page-query.ts';
import { route } from '../http/route.ts';
import { signedIn } from '../sessions/door.ts';
import { readAllNotifications, readNotification, removeNotification } from './notifications.ts';
import { Notification, NotificationQuery } from './schema.ts';
import { listNotifications } from './store.ts';

export const notificationRoutes = [
  route({
    method: 'get',
    path: '/me/notifications',
    door: signedIn,
    query: NotificationQuery,
    status: 200,
    answer: pageShape(Notification),
    tag: 'Notifications',
    summary: 'List my notifications',
    description: 'The newest first. Kept until 90 days after they were read.',
    handle: ({ deps, who, query }) =>
      listNotifications(deps.read, who.userId, query, pageRequest(deps, query)),
  }),
  route({
    method: 'post',
    path: '/me/notifications/read-all',
    door: signedIn,
    status: 204,
    tag: 'Notifications',
    summary: 'Mark all my notifications as read',
    handle: ({ deps, who }) => readAllNotifications(deps, who),
  }),
  route({
    method: 'post',
    path: '/me/notifications/{notification_id}/read',
    door: signedIn,
    status: 200,
    answer: Notification,
    tag: 'Notifications',
    summary: 'Mark a notification as read',
    handle: ({ deps, who, params }) => readNotification(deps, who, params.notification_id),
  }),
  route({
    method: 'delete',
    path: '/me/notifications/{notification_id}',
    door: signedIn,
    status: 204,
    tag: 'Notifications',
    summary: 'Delete a notification',
    handle: ({ deps, who, params }) => removeNotification(deps, who, params.notification_id),
  }),
];
