import { boundsOf, type Day, isWholeDay, startOfDay } from '../../kernel/days.ts';
import type { Instant } from '../../kernel/instants.ts';
import type { DateText } from '../tables.ts';

/*
 * As text a day stands at midnight UTC among the instants; in a zone it counts as its first instant. Both orders have
 * the same windows one after the other, one for each day. A window holds the text of that day alone, and the instants
 * that are between the two places where it may be.
 */

/** The day in whose window a due date stands. */
export function windowOf(date: DateText, zone: string): Day {
  const day = date.slice(0, 10);
  return date < endOfWindow(day, zone) ? day : boundsOf(day, zone).next;
}

/** The first text of the window of a day. */
export const startOfWindow = (day: Day, zone: string): DateText => earlier(day, startOfDay(day, zone));

/** The first text behind it. */
export function endOfWindow(day: Day, zone: string): DateText {
  const { next, end } = boundsOf(day, zone);
  return next === day ? end : earlier(next, end);
}

const earlier = (a: string, b: string): string => (a < b ? a : b);

/** Either end of a range of due dates. */
interface Edge {
  at: DateText;
  /** A day that is not on the side of this end where its text stands. */
  day?: Day;
}

export interface DueRange {
  /** Inclusive. */
  from?: Edge | undefined;
  /** Exclusive. */
  before?: Edge | undefined;
}

/** The end at an instant, or at the first one of a day. */
export function edgeAt(date: DateText, zone: string): Edge {
  const at: Instant = isWholeDay(date) ? startOfDay(date, zone) : date;
  const day = windowOf(at, zone);
  const isReached = startOfDay(day, zone) >= at;
  if (isReached === day >= at) return { at };
  // Nothing stands between a day and midnight UTC.
  return at === startOfDay(day, 'UTC') ? { at: day } : { at, day };
}

/** A range, as far as it is within another. */
export const overlapOf = (a: DueRange, b: DueRange): DueRange => ({
  from: a.from && b.from ? (a.from.at > b.from.at ? a.from : b.from) : (a.from ?? b.from),
  before: a.before && b.before ? (a.before.at < b.before.at ? a.before : b.before) : (a.before ?? b.before),
});
