import { z } from '@hono/zod-openapi';
import {
  commaList,
  enumeration,
  hasLength,
  Id,
  InstantOrDayInput,
  queryFlag,
  TimeZoneInput,
  WireId,
} from '../http/fields.ts';
import { PageQuery, pageShape } from '../http/page-query.ts';
import { StatusType } from '../lists/schema.ts';
import { Priority, Task } from './schema.ts';

export const GROUPINGS = ['priority', 'statusId', 'assigneeId', 'listId', 'dueDate'] as const;
export type Grouping = (typeof GROUPINGS)[number];

const SORT_KEYS = ['position', 'createdAt', 'updatedAt', 'dueDate', 'priority', 'title'] as const;
const MAX_ASKED_CHARACTERS = 200;
/** More ids than fit into a URL that servers and proxies take. */
const MAX_VALUES = 500;

type Items = { $ref: string } | { type: 'string'; format?: 'uuid'; enum?: string[] } | { anyOf: Items[] };

/** A comma list of `element`; every part of it must be one, and the issue stands at the parameter itself. */
const anyOf = <Value extends string>(
  element: z.ZodType<Value>,
  items: Items,
  rule: string,
  description: string,
  { most = MAX_VALUES, meaning = 'any of them' } = {},
) =>
  commaList(
    z
      .string()
      .transform((text, context) => {
        const asked = [...new Set(text.split(','))];
        const parts = asked.slice(0, most).map((part) => element.safeParse(part));
        const values = parts.flatMap((part) => (part.success ? [part.data] : []));
        if (values.length < asked.length) context.addIssue({ code: 'custom', message: rule });
        return [...new Set(values)];
      })
      .optional()
      .openapi({
        type: 'array',
        items,
        minItems: 1,
        param: { style: 'form', explode: false },
        description: `${description}; several, separated by commas, mean ${meaning}`,
      }),
  );

const AN_ID: Items = { type: 'string', format: 'uuid' };
const ASSIGNEE: Items = { anyOf: [{ type: 'string', enum: ['me', 'none'] }, AN_ID] };
const component = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const IDS_RULE = 'Must be ids, separated by commas';
const anyOfIds = (description: string) => anyOf(Id, AN_ID, IDS_RULE, description);

const MAX_LABELS = 50;
const LABELS_RULE = `Must be at most ${MAX_LABELS} ids, separated by commas`;
const labels = (description: string, meaning: string) =>
  anyOf(Id, AN_ID, LABELS_RULE, description, { most: MAX_LABELS, meaning });

const Assignees = anyOf(
  z.union([z.literal('me'), z.literal('none'), Id]),
  ASSIGNEE,
  'Must be me, none or ids, separated by commas',
  'Whose tasks: an id, `me` for the caller, `none` for those without an assignee',
);

/** A bare `+` in a URL means a space: here it can only have been the sign of an offset. */
const DueLimit = (description: string) =>
  z
    .preprocess(
      (text) => (typeof text === 'string' ? text.replace(/ (?=\d\d:\d\d$)/, '+') : text),
      InstantOrDayInput,
    )
    .optional()
    .openapi({
      type: 'string',
      description: `${description}; of a day, \`2026-12-24\`, its first instant`,
      example: '2026-11-20T09:30:00.000Z',
    });

/** `Etc/GMT+5` has such a `+` too. */
const AskedTimeZone = z
  .preprocess((text) => (typeof text === 'string' ? text.replace(/ (?=\d+$)/, '+') : text), TimeZoneInput)
  .optional()
  .openapi({
    type: 'string',
    description: "Where days begin, an IANA time zone; by default the caller's own setting, else UTC",
    example: 'Europe/Paris',
  });

/** `GET …/tasks`: which tasks, in which order. */
export const TaskQuery = PageQuery.extend({
  assigneeId: Assignees,
  creatorId: anyOfIds('Who made it'),
  listId: anyOfIds('In this list'),
  spaceId: anyOfIds('In a list of this space'),
  statusId: anyOfIds('In this status'),
  statusType: anyOf(
    StatusType,
    component('StatusType'),
    `Must be of ${StatusType.options.join(', ')}, separated by commas`,
    'In a status of this type',
  ),
  priority: anyOf(
    Priority,
    component('Priority'),
    `Must be of ${Priority.options.join(', ')}, separated by commas`,
    'Of this priority',
  ),
  dueAfter: DueLimit('Due at this instant or later'),
  dueBefore: DueLimit('Due before this instant'),
  timezone: AskedTimeZone,
  completed: queryFlag('Completed').openapi({ description: 'In a completed status, or in any other' }),
  recurringTaskId: anyOfIds('Made by this series'),
  labelId: labels('With this label', 'at least one of them'),
  allLabelIds: labels('With this label', 'every one of them'),
  sortBy: enumeration('TaskSortKey', 'Sort by', SORT_KEYS).default('createdAt').openapi({
    default: 'createdAt',
    description:
      'Titles ignore case and accents, and count by their first 64 characters; priority ascends from none to urgent; a due day counts as its first instant; tasks without a due date come last either way',
  }),
  sortOrder: enumeration('SortOrder', 'Sort order', ['asc', 'desc'])
    .default('asc')
    .openapi({ default: 'asc' }),
});
export type TaskQuery = z.output<typeof TaskQuery>;

/** `GET …/tasks/query`. */
export const GroupedTaskQuery = TaskQuery.extend({
  groupBy: enumeration('TaskGrouping', 'Group by', GROUPINGS).optional(),
});
export type GroupedTaskQuery = z.output<typeof GroupedTaskQuery>;

/** `GET …/tasks/search`. */
export const SearchQuery = PageQuery.extend({
  q: z
    .string({ error: `q must be 1 to ${MAX_ASKED_CHARACTERS} characters` })
    .trim()
    .refine(hasLength(1, MAX_ASKED_CHARACTERS), `q must be 1 to ${MAX_ASKED_CHARACTERS} characters`)
    .openapi({
      minLength: 1,
      maxLength: MAX_ASKED_CHARACTERS,
      description:
        'Words, or beginnings of words, that must all occur. Of a word the first 40 characters count; what is longer ' +
        'than 17 characters in a script without spaces is sought part by part',
      example: 'milk',
    }),
  listId: TaskQuery.shape.listId,
  statusId: TaskQuery.shape.statusId,
  assigneeId: TaskQuery.shape.assigneeId,
  labelId: TaskQuery.shape.labelId,
  allLabelIds: TaskQuery.shape.allLabelIds,
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

export const TaskPage = pageShape('TaskPage', Task);
export type TaskPage = z.output<typeof TaskPage>;

export const GroupedTaskPage = TaskPage.extend({
  groups: z.array(TaskGroup).optional().openapi({ description: 'With `groupBy` only' }),
}).openapi('GroupedTaskPage');
export type GroupedTaskPage = z.output<typeof GroupedTaskPage>;
