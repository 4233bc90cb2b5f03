import { z } from '@hono/zod-openapi';
import {
  Description,
  Id,
  InstantInput,
  NullableId,
  NullableInstantInput,
  oneOf,
  Title,
  WireId,
  WireInstant,
} from '../http/fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { Priority } from '../tasks/schema.ts';
import { FREQUENCIES, WEEK_INDEXES, WEEKDAYS } from './interval.ts';
import { EndCondition, Interval, isObject, WEEKLY, wholeNumber } from './schema.ts';

/** As answered: with what a client left out filled in. */
const CompleteInterval = z
  .object({
    frequency: z.enum(FREQUENCIES),
    every: z.int().openapi({ example: 1 }),
    timeOfDay: z.string().openapi({ example: '09:00' }),
    timezone: z.string().openapi({ example: 'Europe/Paris' }),
    daysOfWeek: z.array(z.enum(WEEKDAYS)).optional(),
    firstDayOfWeek: z.enum(WEEKDAYS).optional(),
    dayOfMonth: z.int().optional(),
    weekIndex: z.enum(WEEK_INDEXES).optional(),
    month: z.int().optional(),
  })
  .openapi('CompleteInterval', {
    description: 'The interval with the fields it implies filled in',
    example: { ...WEEKLY, every: 1, firstDayOfWeek: 'monday' },
  });

const CATCH_UPS = ['latest', 'all', 'none'] as const;
const STATES = ['active', 'paused', 'ended'] as const;

export const RecurringTask = z
  .object({
    id: WireId,
    workspaceId: WireId,
    listId: WireId,
    title: z.string().openapi({ example: 'Water the plants' }),
    description: z.string().nullable().openapi({ example: 'Not the cactus' }),
    priority: Priority,
    assigneeId: WireId.nullable(),
    interval: CompleteInterval,
    endCondition: EndCondition,
    startsAt: WireInstant,
    catchUp: z.enum(CATCH_UPS),
    state: z.enum(STATES),
    stateReason: z.enum(['completed', 'error']).nullable().openapi({
      description:
        '`completed`: no occurrence is left. `error`: its next occurrence could not be made, and it was paused',
      example: null,
    }),
    nextRunAt: WireInstant.nullable().openapi({
      description: 'The upcoming occurrence, whose task exists already; null unless the series is active',
    }),
    nextTaskId: WireId.nullable().openapi({
      description:
        'Of that occurrence; null when it is, and when the task went with another list it was moved to',
    }),
    nextOccurrenceNumber: z.int().nullable().openapi({
      description: 'Of that occurrence; null when it is',
      example: 3,
    }),
    creatorId: WireId.nullable(),
    createdAt: WireInstant,
    updatedAt: WireInstant,
  })
  .openapi('RecurringTask');
export type RecurringTask = z.output<typeof RecurringTask>;

const CatchUp = oneOf('Catch-up', CATCH_UPS).openapi({
  description: `What becomes of the occurrences that passed while the service was down: the last one is made, all of them (the last 366), or none. By default the last`,
});

const Template = z.object({
  title: Title.openapi({ example: 'Water the plants' }),
  listId: Id,
  description: Description.optional(),
  priority: Priority.optional(),
  assigneeId: NullableId.optional().openapi({ description: 'A member who is not a viewer' }),
});

const End = EndCondition.optional().openapi({
  description: 'By default never. A count counts the occurrences of the series from its number 1',
});

export const SeriesInput = Template.extend({
  interval: Interval,
  endCondition: End,
  startsAt: InstantInput.optional().openapi({
    description:
      'The first occurrence is at or after it; by default the time of creation. Nothing is made for the past',
  }),
  catchUp: CatchUp.optional(),
});
export type SeriesInput = z.output<typeof SeriesInput>;

export const SeriesPatch = SeriesInput.partial();
export type SeriesPatch = z.output<typeof SeriesPatch>;

export const SeriesQuery = PageQuery.extend({
  listId: Id.optional(),
  state: oneOf('State', STATES).optional(),
});
export type SeriesQuery = z.output<typeof SeriesQuery>;

const PREVIEWED_BY_DEFAULT = 10;
const PREVIEWED_AT_MOST = 100;

const Occurrence = z.object({
  at: WireInstant,
  local: z.string().openapi({ example: '2026-03-29T02:30' }),
  number: z.int().openapi({ example: 3 }),
  note: z.enum(['clamped', 'shifted', 'first-pass']).nullable().openapi({
    description:
      '`clamped`: the month lacks the day; `shifted`: clocks skip the local time; `first-pass`: they show it twice',
  }),
});

const Exhausted = z.boolean().openapi({ description: 'Whether none follows the last one shown' });

export const Preview = z
  .object({ occurrences: z.array(Occurrence), exhausted: Exhausted })
  .openapi('OccurrencePreview');
export type Preview = z.output<typeof Preview>;

export const ComingOccurrences = z
  .object({
    occurrences: z.array(Occurrence.extend({ taskId: WireId.nullable() })),
    exhausted: Exhausted,
  })
  .openapi('ComingOccurrences');
export type ComingOccurrences = z.output<typeof ComingOccurrences>;

export const PreviewInput = z.object({
  interval: Interval,
  endCondition: End,
  startsAt: InstantInput.optional().openapi({ description: 'By default now' }),
  after: InstantInput.optional().openapi({ description: 'Only later ones; by default all from the start' }),
  limit: wholeNumber(1, PREVIEWED_AT_MOST, `Limit must be a whole number from 1 to ${PREVIEWED_AT_MOST}`)
    .default(PREVIEWED_BY_DEFAULT)
    .openapi({ default: PREVIEWED_BY_DEFAULT }),
});
export type PreviewInput = z.output<typeof PreviewInput>;

export const OccurrencesQuery = z.object({
  limit: PageQuery.shape.limit
    .transform((limit = PREVIEWED_BY_DEFAULT) => Math.min(limit, PREVIEWED_AT_MOST))
    .openapi({
      default: PREVIEWED_BY_DEFAULT,
      description: `Clamped to ${PREVIEWED_AT_MOST}`,
    }),
});

export const SkipInput = z.object({
  occurrenceAt: InstantInput.optional().openapi({
    description:
      'The upcoming occurrence, to make a retry safe: when it is skipped already nothing more is; 400 for any other',
  }),
});
export type SkipInput = z.output<typeof SkipInput>;

export const SkippedRecurringTask = RecurringTask.extend({
  skipped: z.object({ occurrenceAt: WireInstant, occurrenceNumber: z.int().openapi({ example: 3 }) }),
}).openapi('SkippedRecurringTask');
export type SkippedRecurringTask = z.output<typeof SkippedRecurringTask>;

const ONE_INSTANCE_ONLY = ['statusId', 'dueDate'] as const;

const Updates = z
  .object(
    {
      ...Template.partial().shape,
      statusId: Id.optional().openapi({ description: 'With the mode this only' }),
      dueDate: NullableInstantInput.optional().openapi({ description: 'With the mode this only' }),
    },
    { error: 'Updates must be an object' },
  )
  .superRefine((updates, context) => {
    if (Object.values(updates).every((value) => value === undefined))
      context.addIssue({ code: 'custom', message: 'Updates must name at least one field to change' });
  });

export const EditModeInput = z
  .object({
    mode: oneOf('Mode', ['this', 'following', 'all']),
    updates: Updates,
  })
  .superRefine(
    ({ mode, updates }, context) => {
      if (mode !== 'following' && mode !== 'all') return;
      for (const field of ONE_INSTANCE_ONLY) {
        if (isObject({ value: updates }) && updates[field] !== undefined) {
          const message = `Can be changed with the mode this only`;
          context.addIssue({ code: 'custom', path: ['updates', field], message });
        }
      }
    },
    { when: isObject },
  );
export type EditModeInput = z.output<typeof EditModeInput>;
