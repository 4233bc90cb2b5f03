import { DAY, MINUTE } from '../../kernel/instants.ts';
import { WEEKDAYS } from '../../kernel/weekdays.ts';
import {
  dayAt,
  firstDayOfMonth,
  firstDayOfWeek,
  monthOf,
  msOfWall,
  remainder,
  startOfDay,
  weekdayOf,
  weekOf,
} from './calendar.ts';
import { type CompleteInterval, type MonthDay, WEEK_INDEXES } from './interval.ts';

export const FIRST_MS = Date.UTC(1900, 0, 1);
export const LAST_MS = Date.UTC(10_000, 0, 1) - 1;
const SAMPLE_DAYS = 365;

/**
 * The nominal dates of a rule as an endless sequence, counted from 0 at the first slot from `anchorDay` on. Every
 * period has as many slots as the next, so that an index is a matter of division: nothing is ever stepped through.
 */
export function slotsFrom(interval: CompleteInterval, anchorDay: number) {
  const { every, timezone, timeOfDay } = interval;
  const { periodOf, daysIn } = periodsOf(interval);
  const firstPeriod = periodOf(anchorDay);
  const size = daysIn(firstPeriod).length;
  const passed = daysIn(firstPeriod).filter((day) => day < anchorDay).length;
  const [hours, minutes] = (timeOfDay ?? '00:00').split(':').map(Number);
  const time = ((hours ?? 0) * 60 + (minutes ?? 0)) * MINUTE;

  const day = (index: number): number => {
    const position = index + passed;
    return daysIn(firstPeriod + Math.floor(position / size) * every)[position % size] ?? Number.NaN;
  };
  const wall = (onDay: number): number => onDay * DAY + time;
  const msOn = (onDay: number): number =>
    timeOfDay === null ? startOfDay(onDay, timezone) : msOfWall(wall(onDay), timezone);
  const ms = (index: number): number => msOn(day(index));

  const indexFrom = (fromDay: number): number => {
    const periods = Math.max(0, Math.floor((periodOf(fromDay) - firstPeriod) / every));
    let index = Math.max(0, periods * size - passed);
    while (day(index) < fromDay) index += 1;
    return index;
  };

  return {
    day,
    wall,
    ms,
    /** Whether two slots can fall on neighbouring days. */
    adjacent: interval.frequency === 'day' ? every === 1 : interval.frequency === 'week' && size > 1,
    has: (onDay: number): boolean => day(indexFrom(onDay)) === onDay,
    indexFrom,
    /** Index of the first slot later than an instant; a shift takes a slot less than two days from its date. */
    indexAfter: (afterMs: number): number => {
      const after = Math.min(afterMs, LAST_MS);
      let index = indexFrom(dayAt(Math.max(after, FIRST_MS), timezone) - 2);
      while (ms(index) <= after) index += 1;
      return index;
    },
    /** Days before `lastDay` that the zone skipped: their time of day comes at the instant of the next day's. */
    skippedDays: (firstDay: number, lastDay: number): number[] => {
      const skipped: number[] = [];
      // The offset rises by 24 hours where a day is skipped: seen from year to year, then found by bisection.
      const offsetOn = (onDay: number) => wall(onDay) - msOn(onDay);
      let offset = offsetOn(firstDay);
      for (let from = firstDay; from < lastDay; from += SAMPLE_DAYS) {
        const before = offset;
        let [low, high] = [from, Math.min(from + SAMPLE_DAYS, lastDay)];
        offset = offsetOn(high);
        if (offset - before < DAY / 2) continue;
        while (high - low > 1) {
          const middle = Math.floor((low + high) / 2);
          if (offsetOn(middle) - before < DAY / 2) low = middle;
          else high = middle;
        }
        if (msOn(low) === msOn(high)) skipped.push(low);
      }
      return skipped;
    },
  };
}

/** Numbers the periods of an interval, and names the days of its slots in each. */
function periodsOf(interval: CompleteInterval): {
  periodOf: (day: number) => number;
  daysIn: (period: number) => number[];
} {
  switch (interval.frequency) {
    case 'day':
      return { periodOf: (day) => day, daysIn: (day) => [day] };
    case 'week': {
      const weekStart = WEEKDAYS.indexOf(interval.firstDayOfWeek);
      const offsets = interval.daysOfWeek
        .map((name) => remainder(WEEKDAYS.indexOf(name) - weekStart, 7))
        .toSorted();
      return {
        periodOf: (day) => weekOf(day, weekStart),
        daysIn: (week) => offsets.map((offset) => firstDayOfWeek(week, weekStart) + offset),
      };
    }
    case 'month':
      return { periodOf: monthOf, daysIn: (month) => [dayInMonth(interval, month)] };
    case 'year':
      return {
        periodOf: (day) => Math.floor(monthOf(day) / 12),
        daysIn: (year) => [dayInMonth(interval, year * 12 + interval.month - 1)],
      };
  }
}

function dayInMonth({ dayOfMonth, weekIndex, daysOfWeek }: MonthDay, month: number): number {
  const first = firstDayOfMonth(month);
  const length = firstDayOfMonth(month + 1) - first;
  const last = first + length - 1;
  if (dayOfMonth !== undefined) return dayOfMonth === -1 ? last : Math.min(first + dayOfMonth - 1, last);
  const weekdays = daysOfWeek.map((name) => WEEKDAYS.indexOf(name));
  const days = Array.from({ length }, (_, n) => first + n).filter((day) => weekdays.includes(weekdayOf(day)));
  return days.at(weekIndex === 'last' ? -1 : WEEK_INDEXES.indexOf(weekIndex)) ?? last;
}
