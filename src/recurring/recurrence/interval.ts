import type { Issue } from '../../kernel/errors.ts';
import { WEEKDAYS, type Weekday } from '../../kernel/weekdays.ts';
import { dateOf, weekdayOf } from './calendar.ts';

export const FREQUENCIES = ['day', 'week', 'month', 'year'] as const;
export const WEEK_INDEXES = ['first', 'second', 'third', 'fourth', 'last'] as const;

export const MAX_EVERY = 365;
/** The most periods that make ten years. */
export const TEN_YEARS = { month: 120, year: 10 };

export type Frequency = (typeof FREQUENCIES)[number];
type WeekIndex = (typeof WEEK_INDEXES)[number];

/** Either a number, or the n-th among some days of the week. */
export type MonthDay =
  | { dayOfMonth: number; weekIndex?: undefined; daysOfWeek?: undefined }
  | { dayOfMonth?: undefined; weekIndex: WeekIndex; daysOfWeek: Weekday[] };

/** As a client writes it: what is absent is implied by the start of the series. */
interface GivenInterval {
  frequency: Frequency;
  every?: number | undefined;
  timeOfDay: string | null;
  timezone: string;
  daysOfWeek?: Weekday[] | undefined;
  firstDayOfWeek?: Weekday | undefined;
  dayOfMonth?: number | undefined;
  weekIndex?: WeekIndex | undefined;
  month?: number | undefined;
}

/** An interval with nothing left to imply; without a time of day its occurrences are days. */
export type CompleteInterval = { every: number; timeOfDay: string | null; timezone: string } & (
  | { frequency: 'day' }
  | { frequency: 'week'; daysOfWeek: Weekday[]; firstDayOfWeek: Weekday }
  | ({ frequency: 'month' } & MonthDay)
  | ({ frequency: 'year'; month: number } & MonthDay)
);

const OPTIONAL = ['daysOfWeek', 'firstDayOfWeek', 'dayOfMonth', 'weekIndex', 'month'] as const;

const BELONGING: Record<Frequency, readonly (typeof OPTIONAL)[number][]> = {
  day: [],
  week: ['daysOfWeek', 'firstDayOfWeek'],
  month: ['daysOfWeek', 'dayOfMonth', 'weekIndex'],
  year: ['daysOfWeek', 'dayOfMonth', 'weekIndex', 'month'],
};

/**
 * What the fields of an interval forbid each other, every issue at once; paths are relative to the interval. Fields
 * may still be malformed: that is for the schema to say.
 */
export function intervalIssues(interval: { readonly [field in keyof GivenInterval]?: unknown }): Issue[] {
  const frequency = FREQUENCIES.find((known) => known === interval.frequency);
  if (!frequency) return [];
  const issues: Issue[] = [];
  const given = (field: keyof GivenInterval) => interval[field] !== undefined;
  for (const field of OPTIONAL) {
    if (given(field) && !BELONGING[frequency].includes(field))
      issues.push({ path: field, message: `An interval by ${frequency} has no ${field}` });
  }
  const max = frequency === 'month' || frequency === 'year' ? TEN_YEARS[frequency] : undefined;
  if (max && typeof interval.every === 'number' && interval.every > max)
    issues.push({ path: 'every', message: `Every must be at most ${max} by ${frequency}` });
  if (frequency === 'month' || frequency === 'year') {
    if (given('weekIndex') && !given('daysOfWeek'))
      issues.push({ path: 'daysOfWeek', message: 'weekIndex needs daysOfWeek' });
    if (given('daysOfWeek') && !given('weekIndex'))
      issues.push({
        path: 'daysOfWeek',
        message: `An interval by ${frequency} has daysOfWeek only with weekIndex`,
      });
    if (given('weekIndex') && given('dayOfMonth'))
      issues.push({ path: 'dayOfMonth', message: 'dayOfMonth and weekIndex exclude each other' });
  }
  return issues;
}

/** Fills in what a valid interval left to the day (a day number, on the calendar of its zone) it starts on. */
export function completeInterval(interval: GivenInterval, startDay: number): CompleteInterval {
  const { frequency, every = 1, timeOfDay, timezone, firstDayOfWeek = 'monday' } = interval;
  const rhythm = { every, timeOfDay, timezone };
  const [, startMonth, startDayOfMonth] = dateOf(startDay).split('-').map(Number);
  const { daysOfWeek, weekIndex, dayOfMonth = startDayOfMonth ?? 1, month = startMonth ?? 1 } = interval;
  const days = WEEKDAYS.filter((name, n) =>
    daysOfWeek ? daysOfWeek.includes(name) : n === weekdayOf(startDay),
  );
  const monthDay = weekIndex ? { weekIndex, daysOfWeek: days } : { dayOfMonth };
  switch (frequency) {
    case 'day':
      return { frequency, ...rhythm };
    case 'week':
      return { frequency, ...rhythm, daysOfWeek: days, firstDayOfWeek };
    case 'month':
      return { frequency, ...rhythm, ...monthDay };
    case 'year':
      return { frequency, ...rhythm, month, ...monthDay };
  }
}
