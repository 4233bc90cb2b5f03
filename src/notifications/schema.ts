import { z } from '@hono/zod-openapi';
import { PageQuery } from '../http/page-query.ts';

export const Notification = z
  .object({
    id: z.string(),
    type: z.enum(['task.assigned', 'task.due', 'workspace.invited', 'workspace.member_added']),
    title: z.string(),
    body: z.string(),
    data: z.record(z.string(), z.string()).openapi({
      description: 'Ids of what it is about',
      example: { workspaceId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' },
    }),
    readAt: z.string().nullable(),
    createdAt: z.string(),
  })
  .openapi('Notification');
export type Notification = z.output<typeof Notification>;

export const NotificationQuery = PageQuery.extend({
  unread: z
    .enum(['true', 'false'], { error: 'Unread must be true or false' })
    .optional()
    .openapi({ description: '`true` leaves only those not read yet' }),
});
