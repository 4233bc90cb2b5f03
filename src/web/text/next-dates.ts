import {
  addDays,
  type Day,
  dayOfMonth,
  daysBetween,
  monthOf,
  startOfWeek,
  WEEKDAYS,
  type Weekday,
  weekdayIndex,
  weekdayOf,
  yearOf,
} from './days.ts';
import type { QuickTask } from './quick-add.ts';
import type { Repeat } from './quick-add-repeats.ts';
import { sayShortDay } from './say-dates.ts';
import { WEEK_INDEXES } from './say-rules.ts';
import type { Time } from './zones.ts';

const MOST_DAYS = 366 * 30;

const lastOf = (day: Day): number => new Date(Date.UTC(yearOf(day), monthOf(day), 0)).getUTCDate();

/** Whether a day is one of a rule that begins at `from`, without regard to its interval. */
function isDayOf(rule: Repeat, day: Day, from: Day): boolean {
  const { frequency, daysOfWeek = [weekdayOf(from)], month } = rule;
  if (frequency === 'day') return true;
  if (frequency === 'week') return daysOfWeek.includes(weekdayOf(day));
  if (frequency === 'year' && monthOf(day) !== (month ?? monthOf(from))) return false;
  return dayOfMonth(day) === dayMeant(rule, day, from);
}

/** Which day of the month that a day is in a rule means. */
function dayMeant(rule: Repeat, day: Day, from: Day): number {
  const last = lastOf(day);
  const { weekIndex, daysOfWeek, dayOfMonth: wanted = dayOfMonth(from) } = rule;
  if (!weekIndex || !daysOfWeek) return wanted === -1 ? last : Math.min(wanted, last);
  const before = weekdayIndex(day) - dayOfMonth(day) + 35;
  const days = Array.from({ length: last }, (_, n) => n + 1);
  const meant = days.filter((n) => daysOfWeek.some((name) => name === WEEKDAYS[(before + n) % 7]));
  return meant.at(weekIndex === 'last' ? -1 : WEEK_INDEXES.indexOf(weekIndex)) ?? last;
}

/** How many days, weeks, months or years a day is behind the beginning. */
function stepsTo(rule: Repeat, day: Day, from: Day, weekStart: Weekday): number {
  if (rule.frequency === 'day') return daysBetween(from, day);
  if (rule.frequency === 'week')
    return daysBetween(startOfWeek(from, weekStart), startOfWeek(day, weekStart)) / 7;
  const years = yearOf(day) - yearOf(from);
  return rule.frequency === 'year' ? years : years * 12 + monthOf(day) - monthOf(from);
}

/** The first days from `begin` on of a rule made on the day `from`, counted from the first of them. */
function daysFrom(rule: Repeat, from: Day, begin: Day, count: number, weekStart: Weekday): Day[] {
  const found: Day[] = [];
  for (let index = 0; index < MOST_DAYS && found.length < count; index++) {
    const day = addDays(begin, index);
    if (isDayOf(rule, day, from) && stepsTo(rule, day, found[0] ?? day, weekStart) % rule.every === 0)
      found.push(day);
  }
  return found;
}

type Dated = Pick<QuickTask, 'repeat' | 'day' | 'time' | 'end'>;
interface Present {
  day: Day;
  time: Time;
}

const hasPassed = (day: Day, time: Time | null, present: Present): boolean =>
  day < present.day || (day === present.day && (time === null || time <= present.time));

/** Whether the day a repeat starts on is its first date: it is one of the rule, and not over. */
export const startsOnItsDay = ({ repeat, day, time }: Dated, present: Present): boolean =>
  repeat !== null && day !== null && isDayOf(repeat, day, day) && !hasPassed(day, time, present);

/**
 * The next dates of a repeat that quick add understood, in words: those behind the day it starts on, else the first from
 * the present on. A preview, the server decides.
 */
export function nextDates(
  { repeat, day, time, end }: Dated,
  present: Present,
  count: number,
  weekStart: Weekday = 'monday',
): string[] {
  if (!repeat) return [];
  const from = day ?? present.day;
  const begin = day === null && hasPassed(from, time, present) ? addDays(from, 1) : from;
  const days = daysFrom(repeat, from, begin, count + 1, weekStart);
  const lasting = days.filter((one, index) => {
    if (end.type === 'count') return index < end.count;
    return end.type !== 'date' || one <= end.endDate;
  });
  return lasting
    .filter((one) => one !== day)
    .slice(0, count)
    .map((one) => sayShortDay(one, present.day));
}
