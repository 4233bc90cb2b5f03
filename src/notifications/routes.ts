import { pageRequest, pageShape } from '../http/page-query.ts';
import { route, tagged } from '../http/route.ts';
import { signedIn, signedInOrToken } from '../sessions/authentication.ts';
import { listNotifications } from '../storage/notifications.ts';
import { readAllNotifications, readNotification, removeNotification } from './notifications.ts';
import { Notification, NotificationQuery } from './schema.ts';

export const notificationRoutes = tagged('Notifications', [
  route({
    method: 'get',
    path: '/me/notifications',
    guard: signedInOrToken,
    query: NotificationQuery,
    response: pageShape('NotificationPage', Notification),
    operationId: 'listNotifications',
    summary: 'List my notifications',
    description: 'The newest first. Kept until 90 days after they were read.',
    handle: ({ deps, who, query }) =>
      listNotifications(
        deps.read,
        who.userId,
        { ...query, workspaceIds: who.cap?.workspaceIds ?? null },
        pageRequest(deps, query),
      ),
  }),
  route({
    method: 'post',
    path: '/me/notifications/read-all',
    guard: signedIn,
    operationId: 'readAllNotifications',
    summary: 'Mark all my notifications as read',
    description: 'Those read before keep the time at which they were read.',
    handle: ({ deps, who }) => readAllNotifications(deps, who),
  }),
  route({
    method: 'post',
    path: '/me/notifications/{notification_id}/read',
    guard: signedIn,
    response: Notification,
    operationId: 'readNotification',
    summary: 'Mark a notification as read',
    description: 'Sets `readAt`, unless it is set already.',
    handle: ({ deps, who, params }) => readNotification(deps, who, params.notification_id),
  }),
  route({
    method: 'delete',
    path: '/me/notifications/{notification_id}',
    guard: signedIn,
    operationId: 'deleteNotification',
    summary: 'Delete a notification',
    description: 'Removes it for good.',
    handle: ({ deps, who, params }) => removeNotification(deps, who, params.notification_id),
  }),
]);
