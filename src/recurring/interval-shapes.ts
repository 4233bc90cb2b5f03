import { z } from '@hono/zod-openapi';
import { describeComponent } from '../http/components.ts';
import { enumeration, TimeZone, Weekday } from '../http/fields.ts';
import { FREQUENCIES, MAX_EVERY, TEN_YEARS, WEEK_INDEXES } from './recurrence/interval.ts';

/** For examples. */
export const WEEKLY = {
  frequency: 'week',
  timeOfDay: '09:00',
  timezone: 'Europe/Paris',
  daysOfWeek: ['monday', 'thursday'],
};

// Not z.int(): its error of 1.5 would keep the rules between fields from being checked.
export const wholeNumber = (min: number, max: number, error: string) =>
  z
    .number({ error })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, error)
    .openapi({ type: 'integer', minimum: min, maximum: max });

export const Frequency = enumeration('Frequency', 'Frequency', FREQUENCIES);
export const WeekIndex = enumeration('WeekIndex', 'Week index', WEEK_INDEXES);

const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Null means days without a time. */
export const NullableTimeOfDay = z
  .string({ error: 'Time of day must be HH:MM' })
  .regex(TIME_OF_DAY, 'Time of day must be HH:MM')
  .nullable()
  .openapi({
    type: ['string', 'null'],
    pattern: TIME_OF_DAY.source,
    description:
      'Hours and minutes on the clocks of the time zone, from `00:00` to `23:59`, always two digits each; null for days ' +
      'without a time: instances have a `dueDay`, and `occurrenceAt` is the first instant of that day in the time zone',
    example: '09:00',
  });

const dayOfMonth = 'Day of month must be from 1 to 31, or -1 for the last';

export const DayOfMonth = wholeNumber(-1, 31, dayOfMonth)
  .refine((day) => day !== 0, dayOfMonth)
  .openapi({
    not: { const: 0 },
    description:
      'From 1 to 31, or -1 for the last day; by default that of the start. A shorter month gives its last day',
  });

export const Month = wholeNumber(1, 12, 'Month must be from 1 to 12').openapi({
  description: 'By default that of the start',
});

const daysOf = (description: string) => z.array(Weekday).min(1).max(7).openapi({ description });
const everyUpTo = (max: number, of: string) =>
  wholeNumber(1, max, '')
    .optional()
    .openapi({ description: `Every so many ${of}; by default 1` });

const WEEKS_FROM = 'Where a week begins, which matters when `every` is above 1; by default monday';
const NTH_DAYS = 'With `weekIndex`: the days it counts';
const NTH = WeekIndex.optional().openapi({
  description: 'Which of the days named in `daysOfWeek`; in place of `dayOfMonth`',
});

const clock = { timeOfDay: NullableTimeOfDay, timezone: TimeZone };
const monthDay = {
  dayOfMonth: DayOfMonth.optional(),
  weekIndex: NTH,
  daysOfWeek: daysOf(NTH_DAYS).optional(),
};

/** What clients are told of an interval, which the shape that validates checks in one piece. */
describeComponent(
  'Interval',
  z
    .discriminatedUnion('frequency', [
      z
        .object({ frequency: z.literal('day'), every: everyUpTo(MAX_EVERY, 'days'), ...clock })
        .openapi('IntervalDay'),
      z
        .object({
          frequency: z.literal('week'),
          every: everyUpTo(MAX_EVERY, 'weeks'),
          ...clock,
          daysOfWeek: daysOf('The days; by default that of the start').optional(),
          firstDayOfWeek: Weekday.optional().openapi({ description: WEEKS_FROM }),
        })
        .openapi('IntervalWeek'),
      z
        .object({
          frequency: z.literal('month'),
          every: everyUpTo(TEN_YEARS.month, 'months'),
          ...clock,
          ...monthDay,
        })
        .openapi('IntervalMonth'),
      z
        .object({
          frequency: z.literal('year'),
          every: everyUpTo(TEN_YEARS.year, 'years'),
          ...clock,
          month: Month.optional(),
          ...monthDay,
        })
        .openapi('IntervalYear'),
    ])
    .openapi({
      description: 'The rhythm of a series: which fields there are depends on `frequency`',
      example: WEEKLY,
    }),
);

const every = z.int().openapi({ example: 1 });

/** As returned: with what a client left out filled in. */
export const CompleteInterval = z
  .discriminatedUnion('frequency', [
    z.object({ frequency: z.literal('day'), every, ...clock }).openapi('CompleteIntervalDay'),
    z
      .object({
        frequency: z.literal('week'),
        every,
        ...clock,
        daysOfWeek: z.array(Weekday),
        firstDayOfWeek: Weekday,
      })
      .openapi('CompleteIntervalWeek'),
    z
      .object({ frequency: z.literal('month'), every, ...clock, ...monthDay })
      .openapi('CompleteIntervalMonth'),
    z
      .object({ frequency: z.literal('year'), every, ...clock, month: Month, ...monthDay })
      .openapi('CompleteIntervalYear'),
  ])
  .openapi('CompleteInterval', {
    description: 'The interval with the fields it implies filled in',
    example: { ...WEEKLY, every: 1, firstDayOfWeek: 'monday' },
  });
