import { z } from '@hono/zod-openapi';
import { describeComponent } from '../http/components.ts';
import { boundedArray, isObject, oneOf, TimeZoneInput } from '../http/fields.ts';
import { WEEKDAYS, type Weekday } from '../kernel/weekdays.ts';
import {
  DayOfMonth,
  Frequency,
  Month,
  NullableTimeOfDay,
  WEEKLY,
  WeekIndex,
  wholeNumber,
} from './interval-shapes.ts';
import { intervalIssues, MAX_EVERY } from './recurrence/interval.ts';

export const MAX_COUNT = 999;

const daysOfWeek = 'Days of week must name one to seven days in full';

export const Interval = z
  .object(
    {
      frequency: Frequency,
      every: wholeNumber(1, MAX_EVERY, `Every must be a whole number from 1 to ${MAX_EVERY}`).optional(),
      timeOfDay: NullableTimeOfDay,
      timezone: TimeZoneInput,
      // The names are checked by the list, so that the issue is at its path and not at an element's.
      daysOfWeek: boundedArray(z.custom<Weekday>(), WEEKDAYS.length, {
        error: daysOfWeek,
        tooMany: daysOfWeek,
      })
        .refine((days) => days.length > 0 && days.every((day) => WEEKDAYS.includes(day)), daysOfWeek)
        .optional(),
      firstDayOfWeek: oneOf('First day of week', WEEKDAYS).optional(),
      dayOfMonth: DayOfMonth.optional(),
      weekIndex: WeekIndex.optional(),
      month: Month.optional(),
    },
    { error: 'Interval must be an object' },
  )
  .superRefine(
    (interval, context) => {
      for (const { path, message } of intervalIssues(interval))
        context.addIssue({ code: 'custom', path: [path], message });
    },
    { when: isObject },
  )
  .openapi('Interval', { example: WEEKLY });
/** As a client writes it: what is absent is implied by the start of the series. */
export type Interval = z.output<typeof Interval>;

const Count = wholeNumber(1, MAX_COUNT, `Count must be a whole number from 1 to ${MAX_COUNT}`).openapi({
  description: 'The occurrence with this number is the last',
  example: 10,
});

const EndDate = z.iso
  .date({ error: 'End date must be YYYY-MM-DD' })
  .openapi({ description: 'Inclusive, in the time zone of the interval', example: '2026-12-31' });

/** Unknown keys are ignored, but what belongs to another type of end is a contradiction. */
const endBy = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject(shape).superRefine(
    (end: Record<string, unknown>, context) => {
      for (const field of ['count', 'endDate']) {
        if (end[field] !== undefined && !(field in shape))
          context.addIssue({ code: 'custom', message: `End condition of this type has no ${field}` });
      }
    },
    { when: isObject },
  );

export const EndCondition = z
  .discriminatedUnion(
    'type',
    [
      endBy({ type: z.literal('never') }),
      endBy({ type: z.literal('count'), count: Count }),
      endBy({ type: z.literal('date'), endDate: EndDate }),
    ],
    { error: 'End condition must be of type never, count or date' },
  )
  .openapi('EndCondition');
export type EndCondition = z.output<typeof EndCondition>;

describeComponent(
  'EndCondition',
  z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('never') }).openapi('EndConditionNever'),
      z.object({ type: z.literal('count'), count: Count }).openapi('EndConditionCount'),
      z.object({ type: z.literal('date'), endDate: EndDate }).openapi('EndConditionDate'),
    ])
    .openapi({ description: 'When a series ends: which fields there are depends on `type`' }),
);
