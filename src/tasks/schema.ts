import { z } from '@hono/zod-openapi';
import {
  Description,
  Id,
  NullableId,
  NullableInstantInput,
  oneOf,
  Position,
  Title,
  WireId,
  WireInstant,
  WirePosition,
} from '../http/fields.ts';

/** Ascending; a priority is stored as its index. */
export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const;

export const Priority = oneOf('Priority', PRIORITIES).openapi({ example: 'high' });
export type Priority = z.output<typeof Priority>;

const Recurrence = z
  .object({
    recurringTaskId: WireId.nullable().openapi({ description: 'null once the series is deleted' }),
    occurrenceAt: WireInstant.openapi({ description: 'Never changes, whatever becomes of the due date' }),
    occurrenceNumber: z.int().openapi({ example: 3 }),
    overridden: z
      .array(z.string())
      .openapi({ description: 'Fields that differ from the series by intent', example: ['title'] }),
  })
  .openapi('Recurrence');

export const Task = z
  .object({
    id: WireId,
    workspaceId: WireId,
    spaceId: WireId,
    listId: WireId,
    title: z.string().openapi({ example: 'Buy milk' }),
    description: z.string().nullable().openapi({ example: 'Two litres, from the shop on the corner' }),
    priority: Priority,
    statusId: WireId,
    assigneeId: WireId.nullable(),
    creatorId: WireId.nullable(),
    startDate: WireInstant.nullable(),
    dueDate: WireInstant.nullable(),
    completedAt: WireInstant.nullable().openapi({
      description: 'Since when the status is a completed one',
      example: null,
    }),
    position: WirePosition,
    // Not nullable(): that would describe null as part of the shape that has the name.
    recurrence: z
      .union([Recurrence, z.null()])
      .openapi({ description: 'Of a task that a series made; else null', example: null }),
    createdAt: WireInstant,
    updatedAt: WireInstant,
  })
  .openapi('Task');
export type Task = z.output<typeof Task>;

const TaskFields = z.object({
  title: Title.openapi({ example: 'Buy milk' }),
  description: Description.optional(),
  priority: Priority.optional(),
  statusId: Id.optional().openapi({ description: "Of the list's status template; by default its first" }),
  assigneeId: NullableId.optional().openapi({ description: 'A member who is not a viewer' }),
  startDate: NullableInstantInput.optional(),
  dueDate: NullableInstantInput.optional(),
  position: Position.optional(),
});

export const TaskInput = TaskFields.extend({ listId: Id }).openapi({
  example: {
    title: 'Buy milk',
    listId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f',
    priority: 'high',
    dueDate: '2026-11-20T09:30:00.000Z',
  },
});
export type TaskInput = z.output<typeof TaskInput>;

export const TaskPatch = TaskFields.extend({
  title: Title.optional().openapi({ example: 'Buy oat milk' }),
  listId: Id.optional().openapi({ description: 'Only the present one; another list is reached by move' }),
});
export type TaskPatch = z.output<typeof TaskPatch>;

export const MoveInput = z.object({
  listId: Id,
  statusId: Id.optional().openapi({
    description: 'By default the same one, else one of the same title, else of the same type, else the first',
  }),
  position: Position.optional(),
});
export type MoveInput = z.output<typeof MoveInput>;
