import { z } from '@hono/zod-openapi';
import { oneOf } from '../http/fields.ts';
import {
  canonicalTimezone,
  FREQUENCIES,
  intervalIssues,
  MAX_EVERY,
  WEEK_INDEXES,
  WEEKDAYS,
  type Weekday,
} from './interval.ts';

export const COUNT_AT_MOST = 999;
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

// Not z.int(): its refusal of 1.5 would keep the rules between fields from being checked.
export const wholeNumber = (min: number, max: number, error: string) =>
  z
    .number({ error })
    .refine((value) => Number.isInteger(value) && value >= min && value <= max, error)
    .openapi({ type: 'integer', minimum: min, maximum: max });

export const isObject = ({ value }: { value: unknown }): boolean =>
  typeof value === 'object' && value !== null;

const timezone = 'Time zone must be an IANA name';
const dayOfMonth = 'Day of month must be from 1 to 31, or -1 for the last';
const daysOfWeek = 'Days of week must name one to seven days in full';

/** For examples. */
export const WEEKLY = {
  frequency: 'week',
  timeOfDay: '09:00',
  timezone: 'Europe/Paris',
  daysOfWeek: ['monday', 'thursday'],
};

export const Interval = z
  .object(
    {
      frequency: oneOf('Frequency', FREQUENCIES),
      every: wholeNumber(1, MAX_EVERY, `Every must be a whole number from 1 to ${MAX_EVERY}`)
        .optional()
        .openapi({ description: 'By month at most 120, by year at most 10', default: 1 }),
      timeOfDay: z
        .string({ error: 'Time of day must be HH:MM' })
        .regex(TIME_OF_DAY, 'Time of day must be HH:MM')
        .openapi({ example: '09:00' }),
      timezone: z
        .string({ error: timezone })
        .refine((name) => canonicalTimezone(name) !== null, timezone)
        .openapi({ example: 'Europe/Paris', maxLength: 64 }),
      // The names are checked by the list, so that the issue is at its path and not at an element's.
      daysOfWeek: z
        .array(z.custom<Weekday>().openapi({ type: 'string', enum: [...WEEKDAYS] }), { error: daysOfWeek })
        .refine(
          (days) => days.length > 0 && days.length < 8 && days.every((day) => WEEKDAYS.includes(day)),
          daysOfWeek,
        )
        .optional()
        .openapi({
          description: 'By week: the days, by default that of the start. By month or year: with weekIndex',
          minItems: 1,
          maxItems: 7,
        }),
      firstDayOfWeek: oneOf('First day of week', WEEKDAYS)
        .optional()
        .openapi({ description: 'By week: where a week begins when every is above 1', default: 'monday' }),
      dayOfMonth: wholeNumber(-1, 31, dayOfMonth)
        .refine((day) => day !== 0, dayOfMonth)
        .optional()
        .openapi({
          description:
            'By month or year; by default that of the start, -1 is the last. A shorter month gives its last day',
        }),
      weekIndex: oneOf('Week index', WEEK_INDEXES).optional().openapi({
        description: 'By month or year: which of the days named in daysOfWeek; instead of dayOfMonth',
      }),
      month: wholeNumber(1, 12, 'Month must be from 1 to 12')
        .optional()
        .openapi({ description: 'By year; by default that of the start' }),
    },
    { error: 'Interval must be an object' },
  )
  .superRefine(
    (interval, context) => {
      for (const { path, message } of intervalIssues(interval))
        context.addIssue({ code: 'custom', path: [path], message });
    },
    { when: isObject }, // also beside malformed fields, so that all issues come at once
  )
  .openapi('Interval', { example: WEEKLY });
/** As a client writes it: what is absent is implied by the start of the series. */
export type Interval = z.output<typeof Interval>;

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
      endBy({
        type: z.literal('count'),
        count: wholeNumber(
          1,
          COUNT_AT_MOST,
          `Count must be a whole number from 1 to ${COUNT_AT_MOST}`,
        ).openapi({ example: 10 }),
      }),
      endBy({
        type: z.literal('date'),
        endDate: z.iso
          .date({ error: 'End date must be YYYY-MM-DD' })
          .openapi({ description: 'Inclusive, in the time zone of the interval', example: '2026-12-31' }),
      }),
    ],
    { error: 'End condition must be of type never, count or date' },
  )
  .openapi('EndCondition');
export type EndCondition = z.output<typeof EndCondition>;
