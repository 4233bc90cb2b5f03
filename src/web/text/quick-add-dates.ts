import {
  addDays,
  addMonths,
  type Day,
  dayOfMonth,
  isDay,
  makeDay,
  nextWeek,
  WEEKDAYS,
  type Weekday,
  weekdayIndex,
  yearOf,
} from './days.ts';
import type { Word } from './quick-add-words.ts';
import { MONTHS } from './say-dates.ts';
import type { Time } from './zones.ts';

export interface DateContext {
  today: Day;
  weekStart: Weekday;
  /** How `12/5` is read here. */
  dayOrder: 'dmy' | 'mdy';
}

/** What was understood of some words: how many, and what they say; `isLoose` where that depends on what is around them. */
export interface Found<T> {
  words: number;
  value: T;
  isLoose?: boolean;
}

const MONTH_NAMES = MONTHS.map((name) => name.toLowerCase());
const WEEKDAY_ALIASES = new Map<string, Weekday>([
  ['tues', 'tuesday'],
  ['thur', 'thursday'],
  ['thurs', 'thursday'],
]);

/** The weekday that a word names, in full or short. */
export function weekdayNamed(low: string): Weekday | null {
  return WEEKDAYS.find((day) => day === low || day.slice(0, 3) === low) ?? WEEKDAY_ALIASES.get(low) ?? null;
}

function monthNamed(low: string): number | null {
  const index = MONTH_NAMES.findIndex((name) => name === low || name.slice(0, 3) === low);
  return index === -1 ? (low === 'sept' ? 9 : null) : index + 1;
}

export const wholeNumber = (low: string | undefined, max: number): number | null => {
  const number = low !== undefined && /^\d{1,4}$/.test(low) ? Number(low) : 0;
  return number >= 1 && number <= max ? number : null;
};

const isYear = (low: string | undefined): boolean => /^\d{4}$/.test(low ?? '');

/** Words that can be read one after the other as a phrase, from `index` on: a comma ends it, but that of `Jan 5, 2028`. */
export function phraseWords(words: readonly Word[], index: number): Word[] {
  const found: Word[] = [];
  for (let at = index; at < words.length; at++) {
    const word = words[at];
    if (!word || word.isPlain) break;
    found.push(word);
    const isBeforeYear = word.tail === ',' && found.length === 2 && isYear(words[at + 1]?.low);
    if (word.tail && !(isBeforeYear && monthNamed(found[0]?.low ?? ''))) break;
  }
  return found;
}

const shifted = (today: Day, count: number, unit: string): Day =>
  unit === 'm' ? addMonths(today, count) : addDays(today, unit === 'w' ? count * 7 : count);

function monthAndDay(month: number, day: number, year: string | undefined, today: Day): Found<Day> | null {
  if (year !== undefined && isYear(year)) {
    const exact = makeDay(Number(year), month, day);
    return exact === null ? null : { words: 3, value: exact };
  }
  for (let candidate = yearOf(today); candidate < yearOf(today) + 9; candidate++) {
    const next = makeDay(candidate, month, day);
    if (next && next >= today) return { words: 2, value: next };
  }
  return null;
}

const dayNumberOf = (low: string | undefined): number | null =>
  wholeNumber(low?.replace(/^(\d{1,2})(st|nd|rd|th)$/, '$1'), 31);

/** A day and a month, in either order, with or without a year. */
export function dayOfYearAt(lows: readonly string[], today: Day): Found<Day> | null {
  const [first = '', second = '', third] = lows;
  const month = monthNamed(first) ?? monthNamed(second);
  const day = monthNamed(first) ? dayNumberOf(second) : dayNumberOf(first);
  return month && day ? monthAndDay(month, day, third, today) : null;
}

function slashed(low: string, { today, dayOrder }: DateContext): { day: Day; hasYear: boolean } | null {
  const match = /^(\d{1,2})\/(\d{1,2})(?:\/(\d{4}))?$/.exec(low);
  if (!match) return null;
  const [first, second] = [Number(match[1]), Number(match[2])];
  const [day, month] = dayOrder === 'dmy' ? [first, second] : [second, first];
  const found = monthAndDay(month, day, match[3], today);
  return found && { day: found.value, hasYear: match[3] !== undefined };
}

/** How far ahead the weekday is; 0 on its own day. */
const daysAhead = (weekday: Weekday, from: Day): number =>
  (WEEKDAYS.indexOf(weekday) - weekdayIndex(from) + 7) % 7;

/** A date at the beginning of `lows`; `isLoose` where it counts only at the end or beside a time (`12/5`). */
export function dateAt(lows: readonly string[], context: DateContext): Found<Day> | null {
  const { today } = context;
  const [first = '', second = '', third = ''] = lows;
  if (first === 'today' || first === 'tod' || first === 'tonight') return { words: 1, value: today };
  if (first === 'tomorrow' || first === 'tom') return { words: 1, value: addDays(today, 1) };
  if (isDay(first)) return { words: 1, value: first };
  if (first === 'on' || first === 'by') {
    const behind = dateAt(lows.slice(1, 4), context);
    return behind && { ...behind, words: behind.words + 1 };
  }
  if (first === 'next') {
    const start = nextWeek(today, context.weekStart);
    if (second === 'week') return { words: 2, value: start };
    if (second === 'month') return { words: 2, value: addMonths(addDays(today, 1 - dayOfMonth(today)), 1) };
    const weekday = weekdayNamed(second);
    return weekday && { words: 2, value: addDays(start, daysAhead(weekday, start)) };
  }
  if (first === 'in' && /^(day|week|month)s?$/.test(third)) {
    const count = wholeNumber(second, 999);
    return count === null ? null : { words: 3, value: shifted(today, count, third[0] ?? 'd') };
  }
  const plus = /^\+(\d{1,3})([dwm])$/.exec(first);
  if (plus && Number(plus[1]) > 0)
    return { words: 1, value: shifted(today, Number(plus[1]), plus[2] ?? 'd') };
  const weekday = weekdayNamed(first);
  if (weekday) {
    return { words: 1, value: addDays(today, daysAhead(weekday, today) || 7) };
  }
  const slash = slashed(first, context);
  if (slash) return { words: 1, value: slash.day, isLoose: !slash.hasYear };
  return dayOfYearAt(lows, today);
}

const clock = (hour: number, minute: number): Time | null =>
  hour < 24 && minute < 60 ? `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}` : null;

function halfDay(text: string): Time | null {
  const match = /^(\d{1,2})(?::(\d\d))?(am|pm)$/.exec(text);
  const hour = Number(match?.[1]);
  if (!match || hour < 1 || hour > 12) return null;
  return clock((hour % 12) + (match[3] === 'pm' ? 12 : 0), Number(match[2] ?? 0));
}

const NAMED_TIMES = new Map<string, Time>([
  ['noon', '12:00'],
  ['midnight', '00:00'],
]);

/** A time at the beginning of `lows`; `isLoose` where it counts only beside a date (`noon`). */
export function timeAt(lows: readonly string[]): Found<Time> | null {
  const [first = '', second = ''] = lows;
  const named = NAMED_TIMES.get(first);
  if (named !== undefined) return { words: 1, value: named, isLoose: true };
  if (first === 'at') {
    const behind = timeAt(lows.slice(1));
    if (behind) return { words: behind.words + 1, value: behind.value };
    const hour = /^\d{1,2}$/.test(second) ? clock(Number(second), 0) : null;
    return hour === null ? null : { words: 2, value: hour };
  }
  const match = /^(\d{1,2}):(\d\d)$/.exec(first);
  const spaced = second === 'am' || second === 'pm' ? halfDay(first + second) : null;
  if (spaced) return { words: 2, value: spaced };
  const time = match ? clock(Number(match[1]), Number(match[2])) : halfDay(first);
  return time === null ? null : { words: 1, value: time };
}

/** How a locale writes day and month; of `C`, which WebKit on Linux may say, nothing is known. */
export function dayOrderOf(locale: string): 'dmy' | 'mdy' {
  if (locale === 'C') return 'dmy';
  const parts = new Intl.DateTimeFormat(locale, { month: 'numeric', day: 'numeric' }).formatToParts(0);
  const order = parts.map(({ type }) => type).filter((type) => type === 'day' || type === 'month');
  return order[0] === 'month' ? 'mdy' : 'dmy';
}
