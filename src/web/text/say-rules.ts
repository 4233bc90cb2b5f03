import { type Day, WEEKDAYS, type Weekday } from './days.ts';
import { plainTime, SHORT_MONTHS, SHORT_WEEKDAYS, sayShortDay } from './say-dates.ts';

export const WEEK_INDEXES = ['first', 'second', 'third', 'fourth', 'last'] as const;

/** The rule of a series, as it crosses the wire. */
export interface Interval {
  frequency: 'day' | 'week' | 'month' | 'year';
  every?: number;
  timeOfDay: string | null;
  timezone: string;
  daysOfWeek?: Weekday[];
  firstDayOfWeek?: Weekday;
  dayOfMonth?: number;
  weekIndex?: (typeof WEEK_INDEXES)[number];
  month?: number;
}

export type EndCondition =
  | { type: 'never' }
  | { type: 'count'; count: number }
  | { type: 'date'; endDate: Day };

const WORKING_DAYS = WEEKDAYS.slice(0, 5).join();

/** `1st`, `2nd`, `15th`. */
export function ordinal(number: number): string {
  const tens = number % 100;
  const suffix = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${suffix}`;
}

const joined = (words: string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

const sortedDays = (days: Weekday[]): Weekday[] => WEEKDAYS.filter((day) => days.includes(day));
const sayDays = (days: Weekday[]): string =>
  joined(sortedDays(days).map((day) => SHORT_WEEKDAYS[WEEKDAYS.indexOf(day)] ?? ''));

function sayWhich({ weekIndex, daysOfWeek = [], dayOfMonth }: Interval): string | null {
  if (weekIndex) {
    const isWorking = sortedDays(daysOfWeek).join() === WORKING_DAYS;
    const days = daysOfWeek.length === 7 ? 'day' : isWorking ? 'weekday' : sayDays(daysOfWeek);
    return `the ${weekIndex} ${days}`;
  }
  if (dayOfMonth === undefined) return null;
  return dayOfMonth === -1 ? 'the last day' : `the ${ordinal(dayOfMonth)}`;
}

function sayBase(interval: Interval): string {
  const { frequency, every = 1, daysOfWeek = [], dayOfMonth, month } = interval;
  const unit = every === 1 ? `Every ${frequency}` : `Every ${every} ${frequency}s`;
  if (frequency === 'week') {
    if (daysOfWeek.length === 0) return unit;
    if (every === 1 && sortedDays(daysOfWeek).join() === WORKING_DAYS) return 'Every weekday';
    return `${unit} on ${sayDays(daysOfWeek)}`;
  }
  if (frequency === 'day') return unit;
  const which = sayWhich(interval);
  if (frequency === 'month' || month === undefined) return which ? `${unit} on ${which}` : unit;
  const monthName = SHORT_MONTHS[month - 1];
  if (!which) return `${unit} in ${monthName}`;
  return dayOfMonth !== undefined && dayOfMonth > 0
    ? `${unit} on ${dayOfMonth} ${monthName}`
    : `${unit} on ${which} of ${monthName}`;
}

/**
 * A rule in words: `Every 2 weeks on Mon and Thu at 9:00, until 31 Dec`. The zone is named where it is not `zone`.
 */
export function sayRule(interval: Interval, end: EndCondition, today: Day, zone: string): string {
  const parts = [
    sayBase(interval) + (interval.timeOfDay === null ? '' : ` at ${plainTime(interval.timeOfDay)}`),
  ];
  if (interval.timezone !== zone) parts.push(interval.timezone);
  if (end.type === 'date') parts.push(`until ${sayShortDay(end.endDate, today)}`);
  if (end.type === 'count') parts.push(end.count === 1 ? 'once' : `${end.count} times`);
  return parts.join(', ');
}
