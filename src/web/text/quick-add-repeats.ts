import { dayOfMonth, monthOf, WEEKDAYS, type Weekday } from './days.ts';
import {
  type DateContext,
  dateAt,
  dayOfYearAt,
  type Found,
  weekdayNamed,
  wholeNumber,
} from './quick-add-dates.ts';
import type { Word } from './quick-add-words.ts';
import { type EndCondition, type Interval, WEEK_INDEXES } from './say-rules.ts';

/** A rule without its time and zone. */
export type Repeat = Omit<Interval, 'timeOfDay' | 'timezone' | 'firstDayOfWeek'> & { every: number };

const UNITS = ['day', 'week', 'month', 'year'] as const;
const MAX_EVERY = { day: 365, week: 365, month: 120, year: 10 };
const WORKING_DAYS = WEEKDAYS.slice(0, 5);

type Unit = (typeof UNITS)[number];

const unitNamed = (low: string | undefined): Unit | null =>
  UNITS.find((unit) => low === unit || low === `${unit}s`) ?? null;

const ordinalOf = (low: string | undefined): number | null =>
  wholeNumber(/^(\d{1,2})(st|nd|rd|th)$/.exec(low ?? '')?.[1], 31);

/** `mon and thu`, `mon wed fri`, `mon, wed & fri`: only white space, a comma and a word for `and` may stand between them. */
function weekdaysAt(words: readonly Word[], from: number): Found<Weekday[]> | null {
  const days: Weekday[] = [];
  let end = from;
  for (let index = from; ; ) {
    const word = words[index];
    const day = word && !word.isPlain ? weekdayNamed(word.low) : null;
    if (!word || !day) break;
    days.push(day);
    end = ++index;
    if (word.tail !== '' && word.tail !== ',') break;
    const next = words[index];
    if (next && !next.isPlain && /^(and|&)$/.test(next.low) && next.tail === '') index++;
  }
  const sorted = WEEKDAYS.filter((day) => days.includes(day));
  return sorted.length > 0 ? { words: end - from, value: sorted } : null;
}

const indexNamed = (low: string | undefined): (typeof WEEK_INDEXES)[number] | null =>
  WEEK_INDEXES.find((index) => index === low) ?? WEEK_INDEXES[(ordinalOf(low) ?? 0) - 1] ?? null;

/** `on the last fri`, `on the 15th`, `15th`, `the last day`, behind a month. */
function inMonth(lows: readonly string[]): Found<Partial<Repeat>> | null {
  const on = lows[0] === 'on' ? 1 : 0;
  const skip = lows[on] === 'the' ? on + 1 : on;
  const [first, second] = lows.slice(skip);
  const weekIndex = indexNamed(first);
  const weekday = second === undefined ? null : weekdayNamed(second);
  if (first === 'last' && second === 'day') return { words: skip + 2, value: { dayOfMonth: -1 } };
  if (weekIndex && (weekday || second === 'weekday')) {
    const daysOfWeek = weekday ? [weekday] : [...WORKING_DAYS];
    return { words: skip + 2, value: { weekIndex, daysOfWeek } };
  }
  const dayOfMonth = ordinalOf(first) ?? (skip === 2 ? wholeNumber(first, 31) : null);
  return dayOfMonth === null ? null : { words: skip + 1, value: { dayOfMonth } };
}

function inYear(lows: readonly string[]): Found<Partial<Repeat>> | null {
  // A leap year, so that 29 February is a day.
  const date = lows[0] === 'on' ? dayOfYearAt(lows.slice(1, 3), '2028-01-01') : null;
  return date && { words: 3, value: { month: monthOf(date.value), dayOfMonth: dayOfMonth(date.value) } };
}

const ADVERBS = new Map<string, Unit>([
  ['daily', 'day'],
  ['weekly', 'week'],
  ['monthly', 'month'],
  ['yearly', 'year'],
]);

/**
 * A repeat at the beginning of `words` (consecutive ones), whose lower-case texts are `lows`; `isLoose` where it counts
 * only at the end (`daily`).
 */
export function repeatAt(words: readonly Word[], lows: readonly string[]): Found<Repeat> | null {
  const adverb = ADVERBS.get(lows[0] ?? '');
  if (adverb) return { words: 1, value: { frequency: adverb, every: 1 }, isLoose: true };
  if (lows[0] !== 'every') return null;
  if (lows[1] === 'weekday')
    return { words: 2, value: { frequency: 'week', every: 1, daysOfWeek: [...WORKING_DAYS] } };
  const isOther = lows[1] === 'other';
  const first = isOther ? 2 : 1;
  const days = words.slice(0, first).some(({ tail }) => tail !== '') ? null : weekdaysAt(words, first);
  if (days) {
    const every = isOther ? 2 : 1;
    return { words: first + days.words, value: { frequency: 'week', every, daysOfWeek: days.value } };
  }
  const nth = ordinalOf(lows[1]) === null ? null : inMonth(lows.slice(1));
  if (nth) return { words: nth.words + 1, value: { frequency: 'month', every: 1, ...nth.value } };

  const count = isOther ? 2 : wholeNumber(lows[1], 365);
  const head = count === null ? 2 : 3;
  const frequency = unitNamed(lows[head - 1]);
  const every = count ?? 1;
  if (!frequency || every > MAX_EVERY[frequency]) return null;
  const rest = lows.slice(head);
  let more: Found<Partial<Repeat>> | null = null;
  if (frequency === 'week' && rest[0] === 'on') {
    const on = weekdaysAt(words, head + 1);
    more = on && { words: on.words + 1, value: { daysOfWeek: on.value } };
  }
  if (frequency === 'month') more = inMonth(rest);
  if (frequency === 'year') more = inYear(rest);
  return { words: head + (more?.words ?? 0), value: { frequency, every, ...more?.value } };
}

/** `until …` or `… times` at the beginning of `lows`. */
export function endAt(lows: readonly string[], context: DateContext): Found<EndCondition> | null {
  if (lows[0] === 'until') {
    const date = dateAt(lows.slice(1), context);
    return date && { words: date.words + 1, value: { type: 'date', endDate: date.value } };
  }
  const skip = lows[0] === 'for' ? 1 : 0;
  const count = wholeNumber(lows[skip], 999);
  if (count === null || !/^times?$/.test(lows[skip + 1] ?? '')) return null;
  return { words: skip + 2, value: { type: 'count', count } };
}
