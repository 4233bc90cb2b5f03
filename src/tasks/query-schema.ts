import { z } from '@hono/zod-openapi';
import { hasLength, Id, InstantInput, oneOf, queryFlag, WireId } from '../http/fields.ts';
import { PageQuery, pageShape } from '../http/page-query.ts';
import { StatusType } from '../lists/schema.ts';
import { Priority, Task } from './schema.ts';

export const GROUPINGS = ['priority', 'statusId', 'assigneeId', 'listId', 'dueDate'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const SORT_KEYS = ['position', 'createdAt', 'updatedAt', 'dueDate', 'priority', 'title'] as const;
const ASKED_CHARACTERS_AT_MOST = 200;

/** A comma list of `element`; every part of it must be one, and the issue stands at the parameter itself. */
const anyOf = <Value extends string>(element: z.ZodType<Value>, rule: string, description: string) =>
  z
    .string()
    .transform((text, context) => {
      const parts = [...new Set(text.split(','))].map((part) => element.safeParse(part));
      const values = parts.flatMap((part) => (part.success ? [part.data] : []));
      if (values.length < parts.length) context.addIssue({ code: 'custom', message: rule });
      return values;
    })
    .optional()
    .openapi({
      type: 'string',
      description: `${description}; several, separated by commas, mean any of them`,
    });

const anyOfIds = (description: string) => anyOf(Id, 'Must be ids, separated by commas', description);

const Assignees = anyOf(
  z.union([z.literal('me'), z.literal('none'), Id]),
  'Must be me, none or ids, separated by commas',
  'Whose tasks: an id, `me` for the caller, `none` for those without an assignee',
);

/** A bare `+` in a URL means a space: here it can only have been the sign of an offset. */
const DueLimit = (description: string) =>
  z
    .preprocess(
      (text) => (typeof text === 'string' ? text.replace(/ (?=\d\d:\d\d$)/, '+') : text),
      InstantInput,
    )
    .optional()
    .openapi({ type: 'string', format: 'date-time', description, example: '2026-11-20T09:30:00.000Z' });

/** `GET …/tasks`: which tasks, in which order. */
export const TaskQuery = PageQuery.extend({
  assigneeId: Assignees,
  creatorId: anyOfIds('Who made it'),
  listId: anyOfIds('In this list'),
  spaceId: anyOfIds('In a list of this space'),
  statusId: anyOfIds('In this status'),
  statusType: anyOf(
    StatusType,
    `Must be of ${StatusType.options.join(', ')}, separated by commas`,
    `In a status of this type: ${StatusType.options.join(', ')}`,
  ),
  priority: anyOf(
    Priority,
    `Must be of ${Priority.options.join(', ')}, separated by commas`,
    `Of this priority: ${Priority.options.join(', ')}`,
  ),
  dueAfter: DueLimit('Due at this instant or later'),
  dueBefore: DueLimit('Due before this instant'),
  completed: queryFlag('Completed').openapi({ description: 'In a completed status, or in any other' }),
  recurringTaskId: anyOfIds('Made by this series'),
  sortBy: oneOf('Sort by', SORT_KEYS).default('createdAt').openapi({
    description:
      'Titles ignore case and accents, and count by their first 64 characters; priority ascends from none to urgent; tasks without a due date come last either way',
  }),
  sortOrder: oneOf('Sort order', ['asc', 'desc']).default('asc'),
});
export type TaskQuery = z.output<typeof TaskQuery>;

/** `GET …/tasks/query`. */
export const GroupedTaskQuery = TaskQuery.extend({
  groupBy: oneOf('Group by', GROUPINGS).optional(),
});
export type GroupedTaskQuery = z.output<typeof GroupedTaskQuery>;

/** `GET …/tasks/search`. */
export const SearchQuery = PageQuery.extend({
  q: z
    .string({ error: `q must be 1 to ${ASKED_CHARACTERS_AT_MOST} characters` })
    .trim()
    .refine(hasLength(1, ASKED_CHARACTERS_AT_MOST), `q must be 1 to ${ASKED_CHARACTERS_AT_MOST} characters`)
    .openapi({
      minLength: 1,
      maxLength: ASKED_CHARACTERS_AT_MOST,
      description:
        'Words, or beginnings of words, that must all occur. Of a word the first 40 characters count; what is longer ' +
        'than 17 characters in a script without spaces is sought part by part',
      example: 'milk',
    }),
  listId: TaskQuery.shape.listId,
  statusId: TaskQuery.shape.statusId,
  assigneeId: TaskQuery.shape.assigneeId,
});
export type SearchQuery = z.output<typeof SearchQuery>;

export const TaskGroup = z
  .object({
    key: z.string().nullable().openapi({
      description: 'The value that its tasks share, a day as `2026-11-20`; null for tasks that have none',
      example: 'high',
    }),
    label: z.string().openapi({ description: 'The same for people', example: 'High' }),
    total: z.int().openapi({ description: 'Tasks in the whole group', example: 1 }),
    taskIds: z.array(WireId).openapi({ description: 'Those of them on this page' }),
  })
  .openapi('TaskGroup');
export type TaskGroup = z.output<typeof TaskGroup>;

export const TaskPage = pageShape(Task);
export type TaskPage = z.output<typeof TaskPage>;

export const GroupedTaskPage = TaskPage.extend({
  groups: z.array(TaskGroup).optional().openapi({ description: 'With `groupBy` only' }),
});
export type GroupedTaskPage = z.output<typeof GroupedTaskPage>;
