import { z } from '@hono/zod-openapi';

export const Role = z.enum(['owner', 'admin', 'member', 'viewer']);

export const Workspace = z
  .object({
    id: z.string(),
    title: z.string(),
    ownerId: z.string(),
    role: Role.openapi({ description: 'Your own role in it' }),
    memberCount: z.int(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi('Workspace');
export type Workspace = z.output<typeof Workspace>;
