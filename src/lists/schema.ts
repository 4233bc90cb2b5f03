import { z } from '@hono/zod-openapi';
import {
  Description,
  Id,
  oneOf,
  Position,
  Title,
  WireId,
  WireInstant,
  WirePosition,
} from '../http/fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { statusIssues } from './statuses.ts';

const STATUSES_AT_MOST = 50;

export const StatusType = oneOf('Type', ['unstarted', 'started', 'completed', 'canceled']);

const Color = z
  .string({ error: 'Color must be #rrggbb' })
  .regex(/^#[0-9a-fA-F]{6}$/, 'Color must be #rrggbb')
  .openapi({ example: '#2f6feb' });

export const Status = z
  .object({
    id: WireId,
    title: z.string().openapi({ example: 'To Do' }),
    type: StatusType,
    color: z.string().openapi({ example: '#2f6feb' }),
    position: WirePosition,
  })
  .openapi('Status');
export type Status = z.output<typeof Status>;

export const List = z
  .object({
    id: WireId,
    workspaceId: WireId,
    spaceId: WireId,
    title: z.string().openapi({ example: 'Groceries' }),
    statusTemplateId: WireId,
    statuses: z.array(Status),
    position: WirePosition,
    createdAt: WireInstant,
    updatedAt: WireInstant,
  })
  .openapi('List');
export type List = z.output<typeof List>;

export const ListInput = z.object({
  spaceId: Id,
  title: Title.openapi({ example: 'Groceries' }),
  statusTemplateId: Id.optional().openapi({ description: 'By default the default one of the workspace' }),
  position: Position.optional(),
});
export type ListInput = z.output<typeof ListInput>;

export const ListPatch = ListInput.partial().openapi({ example: { title: 'Groceries' } });
export type ListPatch = z.output<typeof ListPatch>;

export const ListQuery = PageQuery.extend({ spaceId: Id.optional() });

export const Space = z
  .object({
    id: WireId,
    workspaceId: WireId,
    title: z.string().openapi({ example: 'Home' }),
    description: z.string().nullable().openapi({ example: 'What keeps the house going' }),
    position: WirePosition,
    createdAt: WireInstant,
    updatedAt: WireInstant,
  })
  .openapi('Space');
export type Space = z.output<typeof Space>;

export const NewSpace = Space.extend({
  lists: z.array(List).openapi({ description: 'The one list it starts with' }),
}).openapi('NewSpace');
export type NewSpace = z.output<typeof NewSpace>;

export const SpaceInput = z.object({
  title: Title.openapi({ example: 'Home' }),
  description: Description.optional(),
  position: Position.optional(),
});
export type SpaceInput = z.output<typeof SpaceInput>;

export const SpacePatch = SpaceInput.partial();
export type SpacePatch = z.output<typeof SpacePatch>;

const IsDefault = z
  .boolean({ error: 'Is default must be true or false' })
  .openapi({ description: 'true makes it the default one in place of the present' });

export const StatusTemplate = z
  .object({
    id: WireId,
    workspaceId: WireId,
    title: z.string().openapi({ example: 'Editorial' }),
    isDefault: z.boolean().openapi({ description: 'New lists take this one' }),
    statuses: z.array(Status),
    createdAt: WireInstant,
    updatedAt: WireInstant,
  })
  .openapi('StatusTemplate');
export type StatusTemplate = z.output<typeof StatusTemplate>;

const NewStatus = z.object({
  title: Title.openapi({ example: 'In review' }),
  type: StatusType,
  color: Color.optional().openapi({ description: 'By default one that goes with the type' }),
  position: Position.optional().openapi({ description: 'By default after the one before it in the array' }),
});

/** A status that is kept, as its `id` says, with the fields that change; or a new one. */
const StatusEntry = NewStatus.partial()
  .extend({ id: Id.optional().openapi({ description: 'Of the status to keep; none for a new one' }) })
  .superRefine(
    (entry, context) => {
      if (entry.id !== undefined) return;
      for (const field of ['title', 'type'] as const) {
        if (entry[field] !== undefined) continue;
        const [missing] = NewStatus.shape[field].safeParse(undefined).error?.issues ?? [];
        context.addIssue({ code: 'custom', path: [field], message: missing?.message });
      }
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );
export type StatusEntry = z.output<typeof StatusEntry>;

const tooMany = `There may be at most ${STATUSES_AT_MOST} statuses`;

export const StatusTemplateInput = z.object({
  title: Title.openapi({ example: 'Editorial' }),
  statuses: z
    .array(NewStatus, { error: 'Statuses must be an array' })
    .max(STATUSES_AT_MOST, tooMany)
    .superRefine((statuses, context) => {
      for (const issue of statusIssues(statuses)) context.addIssue({ code: 'custom', ...issue });
    })
    .optional()
    .openapi({ description: 'By default To Do, In Progress, Done' }),
  isDefault: IsDefault.optional(),
});
export type StatusTemplateInput = z.output<typeof StatusTemplateInput>;

export const StatusTemplatePatch = z.object({
  title: Title.optional().openapi({ example: 'Editorial' }),
  statuses: z
    .array(StatusEntry, { error: 'Statuses must be an array' })
    .max(STATUSES_AT_MOST, tooMany)
    .optional()
    .openapi({ description: 'The whole array: a status without an entry is removed' }),
  isDefault: IsDefault.optional(),
});
export type StatusTemplatePatch = z.output<typeof StatusTemplatePatch>;
