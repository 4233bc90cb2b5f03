import { z } from '@hono/zod-openapi';
import {
  boundedArray,
  Description,
  enumeration,
  Id,
  isObject,
  NewId,
  Position,
  Title,
  WireId,
  WireInstant,
  WirePosition,
  WireVersion,
} from '../http/fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { statusIssues } from './status-issues.ts';

const MAX_STATUSES = 50;

export const StatusType = enumeration('StatusType', 'Type', [
  'unstarted',
  'started',
  'completed',
  'canceled',
]);

export const Color = z
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
    version: WireVersion,
  })
  .openapi('List');
export type List = z.output<typeof List>;

export const ListInput = z
  .object({
    id: NewId,
    spaceId: Id,
    title: Title.openapi({ example: 'Groceries' }),
    statusTemplateId: Id.optional().openapi({ description: 'By default the default one of the workspace' }),
    position: Position.optional(),
  })
  .openapi('NewList');
export type ListInput = z.output<typeof ListInput>;

export const ListPatch = ListInput.omit({ id: true })
  .partial()
  .openapi('ListChanges', { example: { title: 'Groceries' } });
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
    version: WireVersion,
  })
  .openapi('Space');
export type Space = z.output<typeof Space>;

export const CreatedSpace = Space.extend({
  lists: z.array(List).openapi({ description: 'The one list it starts with' }),
}).openapi('CreatedSpace');
export type CreatedSpace = z.output<typeof CreatedSpace>;

export const SpaceInput = z
  .object({
    id: NewId,
    title: Title.openapi({ example: 'Home' }),
    description: Description.optional(),
    position: Position.optional(),
  })
  .openapi('NewSpace');
export type SpaceInput = z.output<typeof SpaceInput>;

export const SpacePatch = SpaceInput.omit({ id: true }).partial().openapi('SpaceChanges');
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

const NewStatus = z
  .object({
    title: Title.openapi({ example: 'In review' }),
    type: StatusType,
    color: Color.optional().openapi({ description: 'By default one that goes with the type' }),
    position: Position.optional().openapi({ description: 'By default after the one before it in the array' }),
  })
  .openapi('NewStatus');

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
    { when: isObject },
  )
  .openapi('StatusEntry');
export type StatusEntry = z.output<typeof StatusEntry>;

const ofStatuses = {
  error: 'Statuses must be an array',
  tooMany: `There may be at most ${MAX_STATUSES} statuses`,
};

export const StatusTemplateInput = z
  .object({
    title: Title.openapi({ example: 'Editorial' }),
    statuses: boundedArray(NewStatus, MAX_STATUSES, ofStatuses)
      .superRefine((statuses, context) => {
        for (const issue of statusIssues(statuses)) context.addIssue({ code: 'custom', ...issue });
      })
      .optional()
      .openapi({ description: 'By default To Do, In Progress, Done' }),
    isDefault: IsDefault.optional(),
  })
  .openapi('NewStatusTemplate');
export type StatusTemplateInput = z.output<typeof StatusTemplateInput>;

export const StatusTemplatePatch = z
  .object({
    title: Title.optional().openapi({ example: 'Editorial' }),
    statuses: boundedArray(StatusEntry, MAX_STATUSES, ofStatuses)
      .optional()
      .openapi({ description: 'The whole array: a status without an entry is removed' }),
    isDefault: IsDefault.optional(),
  })
  .openapi('StatusTemplateChanges');
export type StatusTemplatePatch = z.output<typeof StatusTemplatePatch>;
