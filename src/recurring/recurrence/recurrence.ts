import { isWholeDay } from '../../kernel/days.ts';
import { type Instant, toInstant, toMs } from '../../kernel/instants.ts';
import type { EndCondition, Interval } from '../rule-schema.ts';
import { dateOf, dayAt, dayOf, localOf, momentOfWall, msOfWall, startOfDay, wallOf } from './calendar.ts';
import { type CompleteInterval, completeInterval } from './interval.ts';
import { FIRST_MS, LAST_MS, slotsFrom } from './slots.ts';

const LAST_DAY = dayOf('9999-12-31');
/** Skipped calendar days are history; the rules that zones follow after their tables know only daylight saving. */
const LAST_SKIPPED_DAY = dayOf('2100-01-01');

/** All that decides when a series occurs; plain data. */
export interface Rule {
  interval: CompleteInterval;
  /** Local date of the first occurrence; periods are counted from the one it lies in. */
  anchor: string;
  endCondition: EndCondition;
}

export interface Occurrence {
  at: Instant;
  /** The nominal local time, `YYYY-MM-DDTHH:MM`; without a time of day the day alone. */
  local: string;
  /** 1 is the first of the rule. */
  number: number;
  /**
   * `clamped`: the month lacks the day asked for; `shifted`: clocks skip the local time; `first-pass`: they show it
   * twice. A change of clocks goes before `clamped`, which `local` shows already.
   */
  note: null | 'clamped' | 'shifted' | 'first-pass';
}

/**
 * The rule of a series. Implied fields come from the local date of `startsAt`; the anchor is the first slot at or
 * after it. Takes a valid interval: an unknown zone throws RangeError, here and in everything that takes a rule.
 */
export function createRule(interval: Interval, endCondition: EndCondition, startsAt: Instant): Rule {
  const startMs = Math.min(Math.max(toMs(startsAt), FIRST_MS), LAST_MS);
  const startDay = dayAt(startMs, interval.timezone);
  const complete = completeInterval(interval, startDay);
  const slots = slotsFrom({ ...complete, every: 1 }, startDay - 2);
  const anchorDay = slots.day(slots.indexAfter(startMs - 1));
  return { interval: complete, anchor: dateOf(anchorDay), endCondition: normalizeEndCondition(endCondition) };
}

/** The first occurrence later than an instant, or null. The time it takes does not grow with the series. */
export function occurrenceAfter(rule: Rule, after: Instant): Occurrence | null {
  const series = seriesOf(rule);
  return series.occurrence(series.indexAfter(toMs(after)));
}

/** The last occurrence not later than an instant, or null. */
export function occurrenceAtOrBefore(rule: Rule, at: Instant): Occurrence | null {
  const series = seriesOf(rule);
  const index = series.lastIndex(toMs(at));
  return index < 0 ? null : series.occurrence(index);
}

/** The occurrences in order: those later than `after`, or all; `fromNumber` leaves out those before it, but for a few. */
export function* occurrences(
  rule: Rule,
  after?: Instant,
  fromNumber = 1,
): Generator<Occurrence, void, undefined> {
  const series = seriesOf(rule);
  // The slot of a number has that index, but for slots that share their instant with the one before.
  const first = Math.max(after === undefined ? 0 : series.indexAfter(toMs(after)), fromNumber - 1);
  let number = series.number(first);
  let previous: Occurrence | undefined;
  for (let index = first; ; index += 1) {
    const occurrence = series.occurrence(index, number);
    if (!occurrence) return;
    if (occurrence.at === previous?.at) continue;
    yield occurrence;
    previous = occurrence;
    number += 1;
  }
}

/** At most `limit` occurrences, and whether none follows them. */
export function preview(
  rule: Rule,
  { after, limit }: { after?: Instant | undefined; limit: number },
): { occurrences: Occurrence[]; exhausted: boolean } {
  const shown: Occurrence[] = [];
  for (const occurrence of occurrences(rule, after)) {
    if (shown.length === limit) return { occurrences: shown, exhausted: false };
    shown.push(occurrence);
  }
  return { occurrences: shown, exhausted: true };
}

/** The instant of a nominal local time or day, for when the data of its zone has changed. */
export const instantOf = (local: string, timezone: string): Instant =>
  toInstant(isWholeDay(local) ? startOfDay(dayOf(local), timezone) : msOfWall(wallOf(local), timezone));

/** What the end condition says, without what a client may have sent beside it. */
function normalizeEndCondition(end: EndCondition): EndCondition {
  if (end.type === 'count') return { type: end.type, count: end.count };
  if (end.type === 'date') return { type: end.type, endDate: end.endDate };
  return { type: end.type };
}

/** The slots of a rule, and which of them are occurrences. Of slots on one instant only the first is. */
function seriesOf({ interval, anchor, endCondition }: Rule) {
  const anchorDay = dayOf(anchor);
  const slots = slotsFrom(interval, anchorDay);
  const { timeOfDay, timezone } = interval;
  const lastDay = endCondition.type === 'date' ? Math.min(dayOf(endCondition.endDate), LAST_DAY) : LAST_DAY;
  const dayOfMonth = ('dayOfMonth' in interval && interval.dayOfMonth) || 0;
  const lastNumber = endCondition.type === 'count' ? endCondition.count : Number.POSITIVE_INFINITY;

  /** Slots up to that one which share their instant with the slot before. */
  const doubles = (index: number): number => {
    if (!slots.adjacent) return 0;
    const skipped = slots.skippedDays(anchorDay, Math.min(slots.day(index), LAST_SKIPPED_DAY));
    return skipped.filter((day) => slots.has(day) && slots.has(day + 1)).length;
  };
  const number = (index: number): number => index + 1 - doubles(index);
  const isDouble = (index: number): boolean => slots.ms(index) === slots.ms(index - 1);

  return {
    ...slots,
    number,
    occurrence: (index: number, known?: number): Occurrence | null => {
      const day = slots.day(index);
      // Of a month beyond all dates it is NaN.
      if (!(day <= lastDay)) return null;
      const ordinal = known ?? number(index);
      const wall = slots.wall(day);
      const { ms, change } =
        timeOfDay === null ? { ms: startOfDay(day, timezone), change: null } : momentOfWall(wall, timezone);
      if (ordinal > lastNumber || ms > LAST_MS) return null;
      const local = timeOfDay === null ? dateOf(day) : localOf(wall);
      const clamped = Number(local.slice(8, 10)) < dayOfMonth;
      return { at: toInstant(ms), local, number: ordinal, note: change ?? (clamped ? 'clamped' : null) };
    },
    /** Index of the last occurrence not later than an instant, below 0 if there is none. */
    lastIndex: (ms: number): number => {
      let index = Math.min(slots.indexAfter(ms), slots.indexFrom(lastDay + 1)) - 1;
      index = Math.min(index, lastNumber - 1 + doubles(index));
      while (index > 0 && (number(index) > lastNumber || isDouble(index))) index -= 1;
      return index;
    },
  };
}
