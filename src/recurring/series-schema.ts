import { z } from '@hono/zod-openapi';
import {
  enumeration,
  Id,
  InstantInput,
  InstantOrDayInput,
  isObject,
  NewId,
  NullableDayInput,
  NullableInstantInput,
  orNull,
  queryFlag,
  Title,
  WireId,
  WireInstant,
  WireVersion,
} from '../http/fields.ts';
import { PageQuery } from '../http/page-query.ts';
import { GivenTemplate, neverDayAndInstant, ShownTemplate } from '../tasks/schema.ts';
import { CompleteInterval, WEEKLY, wholeNumber } from './interval-shapes.ts';
import { EndCondition, Interval } from './rule-schema.ts';

const CATCH_UPS = ['latest', 'all', 'none'] as const;
const STATES = ['active', 'paused', 'ended'] as const;

const CatchUp = enumeration('CatchUp', 'Catch-up', CATCH_UPS, {
  description:
    'Which of the occurrences that passed while the service was down are made: the last one (the default), all of them (the last 366), or none',
});
export const State = enumeration('RecurringTaskState', 'State', STATES);
export const StateReason = enumeration('StateReason', 'Reason', ['completed', 'error']);
const OccurrenceNote = enumeration('OccurrenceNote', 'Note', ['clamped', 'shifted', 'first-pass']);
const EditMode = enumeration('EditMode', 'Mode', ['this', 'following', 'all']);

export const RecurringTask = z
  .object({
    id: WireId,
    workspaceId: WireId,
    listId: WireId,
    ...ShownTemplate.shape,
    title: ShownTemplate.shape.title.openapi({ example: 'Water the plants' }),
    description: ShownTemplate.shape.description.openapi({ example: 'Not the cactus' }),
    checklist: ShownTemplate.shape.checklist.openapi({
      description: 'In order; each instance begins with these items, none of them done',
    }),
    interval: CompleteInterval,
    endCondition: EndCondition,
    startsAt: WireInstant,
    catchUp: CatchUp,
    state: State,
    stateReason: orNull(StateReason).openapi({
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
    version: WireVersion,
  })
  .openapi('RecurringTask');
export type RecurringTask = z.output<typeof RecurringTask>;

const NEEDED = { title: Title.openapi({ example: 'Water the plants' }), listId: Id };

const Template = z.object({
  ...GivenTemplate.shape,
  ...NEEDED,
  checklist: GivenTemplate.shape.checklist.openapi({
    description:
      'The whole array, in order: what has no entry is removed. Of one instance, or what each one begins with: nothing is ticked by it then, and items that stay keep their ticks',
  }),
});

const End = EndCondition.optional().openapi({
  description: 'By default never. A count counts the occurrences of the series from its number 1',
});

export const SeriesFields = Template.extend({
  interval: Interval,
  endCondition: End,
  startsAt: InstantInput.optional().openapi({
    description:
      'The first occurrence is at or after it; by default the time of creation, or this day for a rule of days and a ' +
      'task that is due today. Nothing is made for the past',
  }),
  catchUp: CatchUp.optional(),
});

const OF_TASK = 'Required without a `taskId`; by default as in that task';

export const SeriesInput = SeriesFields.extend({
  id: NewId,
  taskId: Id.optional().openapi({
    description: 'An open task of no series, which becomes the first instance; what is not given is as in it',
  }),
  title: NEEDED.title.optional().openapi({ description: OF_TASK }),
  listId: NEEDED.listId
    .optional()
    .openapi({ description: `${OF_TASK}, whose list no other may take the place of` }),
})
  .superRefine(
    (given, context) => {
      if (given.taskId !== undefined) return;
      const others = context.issues.splice(0);
      for (const field of ['title', 'listId'] as const) {
        if (given[field] !== undefined) continue;
        for (const { message } of NEEDED[field].safeParse(undefined).error?.issues ?? [])
          context.addIssue({ code: 'custom', path: [field], message });
      }
      context.issues.push(...others);
    },
    { when: isObject },
  )
  .openapi('NewRecurringTask', {
    example: {
      title: 'Water the plants',
      listId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f',
      interval: WEEKLY,
    },
  });
export type SeriesInput = z.output<typeof SeriesInput>;

export const SeriesDeletion = z.object({
  keepUpcoming: queryFlag('Keep upcoming').openapi({
    description: 'With `true` the upcoming instance stays, as an ordinary task',
  }),
});
export type SeriesDeletion = z.output<typeof SeriesDeletion>;

export const SeriesPatch = SeriesFields.partial().openapi('RecurringTaskChanges');
export type SeriesPatch = z.output<typeof SeriesPatch>;

export const SeriesQuery = PageQuery.extend({
  listId: Id.optional(),
  state: State.optional(),
});
export type SeriesQuery = z.output<typeof SeriesQuery>;

export const PREVIEWED_BY_DEFAULT = 10;
const MAX_PREVIEWED = 100;

const Occurrence = z
  .object({
    at: WireInstant,
    local: z.string().openapi({ example: '2026-03-29T02:30' }),
    number: z.int().openapi({ example: 3 }),
    note: orNull(OccurrenceNote).openapi({
      description:
        '`clamped`: the month lacks the day; `shifted`: clocks skip the local time; `first-pass`: they show it twice',
    }),
  })
  .openapi('Occurrence');

const Exhausted = z.boolean().openapi({ description: 'Whether none follows the last one shown' });

export const Preview = z
  .object({ occurrences: z.array(Occurrence), exhausted: Exhausted })
  .openapi('OccurrencePreview');
export type Preview = z.output<typeof Preview>;

const ComingOccurrence = Occurrence.extend({ taskId: WireId.nullable() }).openapi('ComingOccurrence');

export const ComingOccurrences = z
  .object({
    occurrences: z.array(ComingOccurrence),
    exhausted: Exhausted,
  })
  .openapi('ComingOccurrences');
export type ComingOccurrences = z.output<typeof ComingOccurrences>;

export const PreviewInput = z
  .object({
    interval: Interval,
    endCondition: End,
    startsAt: InstantInput.optional().openapi({ description: 'By default now' }),
    after: InstantInput.optional().openapi({ description: 'Only later ones; by default all from the start' }),
    limit: wholeNumber(1, MAX_PREVIEWED, `Limit must be a whole number from 1 to ${MAX_PREVIEWED}`)
      .optional()
      .openapi({ description: `By default ${PREVIEWED_BY_DEFAULT}` }),
  })
  .openapi('OccurrencePreviewInput');
export type PreviewInput = z.output<typeof PreviewInput>;

const CalendarOccurrence = ComingOccurrence.extend({
  recurringTaskId: WireId,
  title: z.string().openapi({ example: 'Water the plants' }),
  listId: WireId,
}).openapi('CalendarOccurrence');
export type CalendarOccurrence = z.output<typeof CalendarOccurrence>;

export const CalendarOccurrences = z
  .object({
    items: z.array(CalendarOccurrence),
    hasMore: z.boolean().openapi({ description: 'Whether more follow the last one shown' }),
  })
  .openapi('CalendarOccurrences');
export type CalendarOccurrences = z.output<typeof CalendarOccurrences>;

export const CalendarQuery = z.object({
  from: InstantOrDayInput.openapi({ description: 'Inclusive; a day is its first instant in your time zone' }),
  to: InstantOrDayInput.openapi({
    description: 'Exclusive, at most 62 days later',
    example: '2026-12-20T09:30:00.000Z',
  }),
});
export type CalendarQuery = z.output<typeof CalendarQuery>;

export const OccurrencesQuery = z.object({
  limit: PageQuery.shape.limit
    .transform((limit = PREVIEWED_BY_DEFAULT) => Math.min(limit, MAX_PREVIEWED))
    .openapi({
      default: PREVIEWED_BY_DEFAULT,
      description: `Clamped to ${MAX_PREVIEWED}`,
    }),
});

export const SkipInput = z
  .object({
    occurrenceAt: InstantInput.optional().openapi({
      description:
        'The upcoming occurrence, to make a retry safe: when it is skipped already nothing more is; 400 for any other',
    }),
  })
  .openapi('OccurrenceSkip');
export type SkipInput = z.output<typeof SkipInput>;

export const StepBackInput = z
  .object({
    occurrenceAt: InstantInput.openapi({ description: 'Of the present upcoming occurrence' }),
  })
  .openapi('OccurrenceStepBack');
export type StepBackInput = z.output<typeof StepBackInput>;

export const SkippedRecurringTask = RecurringTask.extend({
  skipped: z.object({ occurrenceAt: WireInstant, occurrenceNumber: z.int().openapi({ example: 3 }) }),
}).openapi('SkippedRecurringTask');
export type SkippedRecurringTask = z.output<typeof SkippedRecurringTask>;

const ONE_INSTANCE_ONLY = ['statusId', 'dueDate', 'dueDay', 'startDate', 'startDay'] as const;

const Updates = z
  .object(
    {
      ...Template.partial().shape,
      statusId: Id.optional().openapi({ description: 'With the mode `this` only' }),
      dueDate: NullableInstantInput.optional().openapi({ description: 'With the mode `this` only' }),
      dueDay: NullableDayInput.optional().openapi({ description: 'With the mode `this` only' }),
      startDate: NullableInstantInput.optional().openapi({ description: 'With the mode `this` only' }),
      startDay: NullableDayInput.optional().openapi({ description: 'With the mode `this` only' }),
    },
    { error: 'Updates must be an object' },
  )
  .superRefine(neverDayAndInstant, { when: isObject })
  .superRefine((updates, context) => {
    if (Object.values(updates).every((value) => value === undefined))
      context.addIssue({ code: 'custom', message: 'Updates must name at least one field to change' });
  })
  .openapi('InstanceChanges');

export const EditModeInput = z
  .object({
    mode: EditMode,
    updates: Updates,
  })
  .superRefine(
    ({ mode, updates }, context) => {
      if (mode !== 'following' && mode !== 'all') return;
      for (const field of ONE_INSTANCE_ONLY) {
        if (isObject({ value: updates }) && updates[field] !== undefined) {
          const message = `Can be changed with the mode "this" only`;
          context.addIssue({ code: 'custom', path: ['updates', field], message });
        }
      }
    },
    { when: isObject },
  )
  .openapi('InstanceEdit');
export type EditModeInput = z.output<typeof EditModeInput>;
