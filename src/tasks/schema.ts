import { z } from '@hono/zod-openapi';
import { describeComponent } from '../http/components.ts';
import {
  boundedArray,
  Description,
  enumeration,
  Id,
  isObject,
  NewId,
  NullableDayInput,
  NullableId,
  NullableInstantInput,
  orNull,
  Position,
  Title,
  WireDay,
  WireId,
  WireInstant,
  WirePosition,
  WireVersion,
} from '../http/fields.ts';

/** Ascending; a priority is stored as its index. */
export const PRIORITIES = ['none', 'low', 'medium', 'high', 'urgent'] as const;

export const Priority = enumeration('Priority', 'Priority', PRIORITIES, { example: 'high' });
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

export const MAX_LABELS_OF_TASK = 50;
export const MAX_ITEMS = 100;
export const TOO_MANY_LABELS = `A task may have at most ${MAX_LABELS_OF_TASK} labels`;
export const TOO_MANY_ITEMS = `A checklist may have at most ${MAX_ITEMS} items`;

export const ChecklistItem = z
  .object({
    id: WireId,
    title: z.string().openapi({ example: 'Compare prices' }),
    isDone: z.boolean(),
  })
  .openapi('ChecklistItem');
export type ChecklistItem = z.output<typeof ChecklistItem>;

const IsDone = z.boolean({ error: 'Is done must be true or false' });

export const MISSING_ITEM_TITLE = Title.safeParse(undefined).error?.issues[0]?.message ?? '';

/** An item of a checklist that is given as a whole. */
const ChecklistEntry = z
  .object({
    id: NewId.openapi({
      description: 'Of an item to keep, whose other fields may be left out; or of a new one',
    }),
    title: Title.optional().openapi({ example: 'Compare prices' }),
    isDone: IsDone.optional().openapi({ description: 'By default as it was, of a new one false' }),
  })
  .refine(({ id, title }) => id !== undefined || title !== undefined, {
    path: ['title'],
    error: MISSING_ITEM_TITLE,
    when: isObject,
  })
  .openapi('ChecklistEntry');
export type ChecklistEntry = z.output<typeof ChecklistEntry>;

const Checklist = boundedArray(ChecklistEntry, MAX_ITEMS, {
  error: 'Checklist must be an array',
  tooMany: TOO_MANY_ITEMS,
});

export const ChecklistItemInput = z
  .object({
    id: NewId,
    title: Title.openapi({ example: 'Compare prices' }),
    isDone: IsDone.optional(),
  })
  .openapi('NewChecklistItem');
export type ChecklistItemInput = z.output<typeof ChecklistItemInput>;

export const ChecklistItemPatch = ChecklistItemInput.omit({ id: true })
  .partial()
  .openapi('ChecklistItemChanges');
export type ChecklistItemPatch = z.output<typeof ChecklistItemPatch>;

export const LabelIds = boundedArray(Id, MAX_LABELS_OF_TASK, {
  error: 'Label ids must be an array',
  tooMany: TOO_MANY_LABELS,
});

/** What a task, and the series that gives it to its tasks, have in common. */
export const ShownTemplate = z.object({
  title: z.string().openapi({ example: 'Buy milk' }),
  description: z.string().nullable().openapi({ example: 'Two litres, from the shop on the corner' }),
  priority: Priority,
  assigneeId: WireId.nullable(),
  labelIds: z.array(WireId),
  checklist: z.array(ChecklistItem).openapi({ description: 'In order' }),
});

/** The same, as it is given. */
export const GivenTemplate = z.object({
  title: Title.openapi({ example: 'Buy milk' }),
  description: Description.optional(),
  priority: Priority.optional(),
  assigneeId: NullableId.optional().openapi({ description: 'A member who is not a viewer' }),
  labelIds: LabelIds.optional().openapi({ description: 'Labels of the workspace; the whole array' }),
  checklist: Checklist.optional().openapi({
    description: 'The whole array, in order: what has no entry is removed',
  }),
});

const A_DAY = 'In place of the instant: a day without a time';

export const Task = z
  .object({
    id: WireId,
    number: z.int().openapi({
      description:
        "Counts up in the workspace and is never given twice; behind the workspace's key: `HOME-12`",
      example: 12,
    }),
    workspaceId: WireId,
    spaceId: WireId,
    listId: WireId,
    ...ShownTemplate.shape,
    statusId: WireId,
    creatorId: WireId.nullable(),
    startDate: WireInstant.nullable(),
    startDay: WireDay.nullable().openapi({ description: A_DAY, example: null }),
    dueDate: WireInstant.nullable(),
    dueDay: WireDay.nullable().openapi({ description: A_DAY, example: null }),
    completedAt: WireInstant.nullable().openapi({
      description: 'Since when the status is a completed one',
      example: null,
    }),
    position: WirePosition,
    commentCount: z.int().openapi({ example: 0 }),
    recurrence: orNull(Recurrence).openapi({
      description: 'Of a task that a series made; else null',
      example: null,
    }),
    createdAt: WireInstant,
    updatedAt: WireInstant,
    version: WireVersion,
  })
  .openapi('Task');
export type Task = z.output<typeof Task>;
// Known before any route: of one that is not, a property cannot say anything of its own.
describeComponent('Task', Task);

const A_DAY_GIVEN = `${A_DAY}; to set either clears the other`;

/** Adds an issue for each of a task's dates that is given as a day and as an instant. */
export function neverDayAndInstant(
  given: { [Field in 'startDate' | 'startDay' | 'dueDate' | 'dueDay']?: unknown },
  context: { addIssue(issue: { code: 'custom'; path: string[]; message: string }): void },
): void {
  for (const [day, instant] of [
    ['startDay', 'startDate'],
    ['dueDay', 'dueDate'],
  ] as const) {
    if (given[day] == null || given[instant] == null) continue;
    context.addIssue({ code: 'custom', path: [day], message: `Cannot be set together with ${instant}` });
  }
}

const TaskFields = z.object({
  ...GivenTemplate.shape,
  statusId: Id.optional().openapi({ description: "Of the list's status template; by default its first" }),
  startDate: NullableInstantInput.optional(),
  startDay: NullableDayInput.optional().openapi({ description: A_DAY_GIVEN }),
  dueDate: NullableInstantInput.optional(),
  dueDay: NullableDayInput.optional().openapi({ description: A_DAY_GIVEN }),
  position: Position.optional(),
});

export const TaskInput = TaskFields.extend({ id: NewId, listId: Id })
  .superRefine(neverDayAndInstant, { when: isObject })
  .openapi('NewTask', {
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
})
  .superRefine(neverDayAndInstant, { when: isObject })
  .openapi('TaskChanges');
export type TaskPatch = z.output<typeof TaskPatch>;

export const MoveInput = z
  .object({
    listId: Id,
    statusId: Id.optional().openapi({
      description:
        'By default the same one, else one of the same title, else of the same type, else the first',
    }),
    position: Position.optional(),
  })
  .openapi('TaskMove');
export type MoveInput = z.output<typeof MoveInput>;
