import { z } from '@hono/zod-openapi';
import { Description, Id, InstantInput, Position, Title } from '../http/fields.ts';

/** Ascending; a priority is stored as its index. */
export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const;

export const Priority = z.enum(PRIORITIES, { error: `Priority must be one of ${PRIORITIES.join(', ')}` });
export type Priority = z.output<typeof Priority>;

export const Recurrence = z
  .object({
    recurringTaskId: z.string().nullable().openapi({ description: 'null once the series is deleted' }),
    occurrenceAt: z.string().openapi({ description: 'Never changes, whatever becomes of the due date' }),
    occurrenceNumber: z.int(),
    overridden: z.array(z.string()).openapi({ description: 'Fields that differ from the series by intent' }),
  })
  .openapi('Recurrence');

export const Task = z
  .object({
    id: z.string(),
    workspaceId: z.string(),
    spaceId: z.string(),
    listId: z.string(),
    title: z.string(),
    description: z.string().nullable(),
    priority: Priority,
    statusId: z.string(),
    assigneeId: z.string().nullable(),
    creatorId: z.string().nullable(),
    startDate: z.string().nullable(),
    dueDate: z.string().nullable(),
    completedAt: z.string().nullable().openapi({ description: 'Since when the status is a completed one' }),
    position: z.number(),
    recurrence: Recurrence.nullable().openapi({ description: 'Of a task that a series made' }),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi('Task');
export type Task = z.output<typeof Task>;

const TaskFields = z.object({
  title: Title.openapi({ example: 'Buy milk' }),
  description: Description.optional(),
  priority: Priority.optional(),
  statusId: Id.optional().openapi({ description: "Of the list's status template; by default its first" }),
  assigneeId: Id.nullable().optional().openapi({ description: 'A member who is not a viewer' }),
  startDate: InstantInput.nullable().optional(),
  dueDate: InstantInput.nullable().optional(),
  position: Position.optional(),
});

export const TaskInput = TaskFields.extend({ listId: Id });
export type TaskInput = z.output<typeof TaskInput>;

export const TaskPatch = TaskFields.extend({
  title: Title.optional(),
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
