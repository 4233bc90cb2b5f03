import {
  addDays,
  type Day,
  dayOfMonth,
  daysBetween,
  monthOf,
  startOfWeek,
  WEEKDAYS,
  weekdayIndex,
  yearOf,
} from './days.ts';
import type { Repeat } from './quick-add-repeats.ts';
import { sayShortDay } from './say-dates.ts';

const MOST_DAYS = 366 * 30;
const WEEKS = ['first', 'second', 'third', 'fourth'] as const;

const lastOf = (day: Day): number => new Date(Date.UTC(yearOf(day), monthOf(day), 0)).getUTCDate();

/** Whether a day is one of a rule that begins at `from`, without regard to its interval. */
function isDayOf(rule: Repeat, day: Day, from: Day): boolean {
  const { frequency, daysOfWeek, weekIndex, month } = rule;
  if (frequency === 'day') return true;
  const isWeekday = daysOfWeek?.some((name) => WEEKDAYS.indexOf(name) === weekdayIndex(day)) ?? false;
  if (frequency === 'week') return daysOfWeek ? isWeekday : weekdayIndex(day) === weekdayIndex(from);
  if (frequency === 'year' && monthOf(day) !== (month ?? monthOf(from))) return false;
  if (weekIndex && daysOfWeek) {
    if (!isWeekday) return false;
    if (weekIndex === 'last') return dayOfMonth(day) + 7 > lastOf(day);
    return Math.ceil(dayOfMonth(day) / 7) === WEEKS.indexOf(weekIndex) + 1;
  }
  return dayOfMonth(day) === Math.min(rule.dayOfMonth ?? dayOfMonth(from), lastOf(day));
}

/** How many days, weeks, months or years a day is behind the beginning. */
function stepsTo(rule: Repeat, day: Day, from: Day): number {
  if (rule.frequency === 'day') return daysBetween(from, day);
  if (rule.frequency === 'week')
    return daysBetween(startOfWeek(from, 'monday'), startOfWeek(day, 'monday')) / 7;
  const years = yearOf(day) - yearOf(from);
  return rule.frequency === 'year' ? years : years * 12 + monthOf(day) - monthOf(from);
}

/** The first dates of a rule from a day on, in words: a preview, the server decides. */
export function nextDates(rule: Repeat, from: Day, count: number): string[] {
  const found: string[] = [];
  for (let index = 0; index < MOST_DAYS && found.length < count; index++) {
    const day = addDays(from, index);
    if (stepsTo(rule, day, from) % rule.every === 0 && isDayOf(rule, day, from))
      found.push(sayShortDay(day, from));
  }
  return found;
}
