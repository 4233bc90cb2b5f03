import { z } from '@hono/zod-openapi';
import { enumeration, Id, WireId, WireInstant } from '../http/fields.ts';
import { List, Space } from '../lists/schema.ts';
import { Task } from '../tasks/schema.ts';

export const TrashKind = enumeration('TrashKind', 'Kind', ['task', 'list', 'space']);

export const TrashEntry = z
  .object({
    id: WireId.openapi({ description: "The thing's own" }),
    kind: TrashKind,
    title: z.string().openapi({ example: 'Buy milk' }),
    deletedAt: WireInstant,
    deletedBy: WireId.nullable().openapi({ description: 'null once that account is gone' }),
    purgeAt: WireInstant.openapi({ description: 'From when it is deleted for good' }),
    itemCount: z.int().openapi({ description: 'Its tasks; of a task 1', example: 1 }),
  })
  .openapi('TrashEntry');
export type TrashEntry = z.output<typeof TrashEntry>;

export const RestoreInput = z
  .object({
    listId: Id.optional().openapi({ description: 'Where a task goes, in place of its list' }),
    spaceId: Id.optional().openapi({ description: 'Where a list goes, in place of its space' }),
  })
  .openapi('Restore');
export type RestoreInput = z.output<typeof RestoreInput>;

/** The thing that was restored. */
export const Restored = z.union([Task, List, Space]).openapi('Restored');
export type Restored = z.output<typeof Restored>;
