import { z } from '@hono/zod-openapi';
import { enumeration, queryFlag, WireId, WireInstant } from '../http/fields.ts';
import { PageQuery } from '../http/page-query.ts';

const NotificationType = enumeration('NotificationType', 'Type', [
  'task.assigned',
  'task.due',
  'comment.added',
  'comment.mentioned',
  'token.expiring',
  'workspace.invited',
  'workspace.member_added',
  'workspace.owner_changed',
]);

export const Notification = z
  .object({
    id: WireId,
    type: NotificationType,
    title: z.string().openapi({ example: 'Grace gave you a task' }),
    body: z.string().openapi({ example: 'Buy milk' }),
    data: z.record(z.string(), z.string()).openapi({
      description: 'Ids of what it is about',
      example: { workspaceId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' },
    }),
    readAt: WireInstant.nullable().openapi({ example: null }),
    createdAt: WireInstant,
  })
  .openapi('Notification');
export type Notification = z.output<typeof Notification>;

export const NotificationQuery = PageQuery.extend({
  unread: queryFlag('Unread').openapi({ description: '`true` leaves only those not read yet' }),
});
