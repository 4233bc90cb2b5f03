import { WEEKDAYS } from '../src/kernel/weekdays.ts';
import { WEEK_INDEXES } from '../src/recurring/recurrence/interval.ts';
import type { Occurrence } from '../src/recurring/recurrence/recurrence.ts';
import type { EndCondition, Interval } from '../src/recurring/rule-schema.ts';

/*
 * The rules of recurring series once more, told in the slowest and plainest way: look at every day of the calendar in
 * turn. Shares no arithmetic with the module under test, not even the way from local time to instant.
 */

const HOUR = 3_600_000;

/** The occurrences of a series among the first `days` days of the calendar, from its start on. */
export function* walk(
  interval: Interval,
  end: EndCondition,
  startsAt: string,
  days: number,
): Generator<Occurrence, void, undefined> {
  const { timezone, timeOfDay } = interval;
  const startMs = Date.parse(startsAt);
  const startDate = Temporal.Instant.from(startsAt).toZonedDateTimeISO(timezone).toPlainDate();
  let anchor: Temporal.PlainDate | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  let number = 0;
  for (let n = -2; n < days; n += 1) {
    const date = startDate.add({ days: n });
    if (end.type === 'date' && date.toString() > end.endDate) return;
    const { matches, clamped } = look(interval, date, startDate);
    if (!matches) continue;
    const { ms, note } =
      timeOfDay === null
        ? { ms: firstMomentOf(date, timezone), note: null }
        : momentOf(date, timeOfDay, timezone);
    if (ms < startMs) continue;
    anchor ??= date;
    if (periodsBetween(interval, anchor, date) % (interval.every ?? 1) !== 0) continue;
    if (ms === lastMs) continue;
    lastMs = ms;
    number += 1;
    if (end.type === 'count' && number > end.count) return;
    yield {
      at: new Date(ms).toISOString(),
      local: timeOfDay === null ? `${date}` : `${date}T${timeOfDay}`,
      number,
      note: note ?? (clamped ? 'clamped' : null),
    };
  }
}

function look(interval: Interval, date: Temporal.PlainDate, start: Temporal.PlainDate) {
  const { frequency, weekIndex, daysOfWeek, dayOfMonth = start.day, month = start.month } = interval;
  const yes = { matches: true, clamped: false };
  const no = { matches: false, clamped: false };
  if (frequency === 'day') return yes;
  if (frequency === 'week') {
    const names = daysOfWeek ?? [weekdayName(start)];
    return names.includes(weekdayName(date)) ? yes : no;
  }
  if (frequency === 'year' && date.month !== month) return no;
  if (!weekIndex) {
    if (dayOfMonth === -1) return date.day === date.daysInMonth ? yes : no;
    if (date.day === dayOfMonth) return yes;
    return date.day === date.daysInMonth && date.day < dayOfMonth ? { matches: true, clamped: true } : no;
  }
  const alike = (other: number) => (daysOfWeek ?? []).includes(weekdayName(date.with({ day: other })));
  if (!alike(date.day)) return no;
  const ranked = Array.from({ length: date.daysInMonth }, (_, n) => n + 1).filter(alike);
  const wanted = weekIndex === 'last' ? ranked.length - 1 : WEEK_INDEXES.indexOf(weekIndex);
  return ranked[wanted] === date.day ? yes : no;
}

function periodsBetween(interval: Interval, from: Temporal.PlainDate, to: Temporal.PlainDate): number {
  const weekStart = (date: Temporal.PlainDate) => {
    let first = date;
    while (weekdayName(first) !== (interval.firstDayOfWeek ?? 'monday')) first = first.subtract({ days: 1 });
    return first;
  };
  switch (interval.frequency) {
    case 'day':
      return from.until(to, { largestUnit: 'day' }).days;
    case 'week':
      return weekStart(from).until(weekStart(to), { largestUnit: 'day' }).days / 7;
    case 'month':
      return (to.year - from.year) * 12 + to.month - from.month;
    case 'year':
      return to.year - from.year;
  }
}

/** Tries the offsets in force a day and a half before and after: the first under which the clock does show the time. */
export function momentOf(
  date: Temporal.PlainDate,
  timeOfDay: string,
  timezone: string,
): { ms: number; note: 'shifted' | 'first-pass' | null } {
  const wall = Date.parse(`${date}T${timeOfDay}Z`);
  const offsetAt = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).offsetNanoseconds / 1e6;
  // Unlike the rules of summer time, a gap of a whole day may lie in the way: 12 hours more on either side.
  const offsets = [offsetAt(wall - 36 * HOUR), offsetAt(wall + 36 * HOUR)];
  const moments = [...new Set(offsets.map((offset) => wall - offset))].filter(
    (ms) => wall - ms === offsetAt(ms),
  );
  if (moments.length > 1) return { ms: Math.min(...moments), note: 'first-pass' };
  const [only] = moments;
  return only === undefined ? { ms: wall - (offsets[0] ?? 0), note: 'shifted' } : { ms: only, note: null };
}

/** Looks at every quarter of an hour, then halves the one in which the zone's calendar turns to the day, or past it. */
function firstMomentOf(date: Temporal.PlainDate, timezone: string): number {
  const isReached = (ms: number) =>
    Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDate().toString() >=
    date.toString();
  let after = Date.parse(`${date}T00:00Z`) - 16 * HOUR;
  while (!isReached(after)) after += HOUR / 4;
  let before = after - HOUR / 4;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (isReached(middle)) after = middle;
    else before = middle;
  }
  return after;
}

const weekdayName = (date: Temporal.PlainDate) => WEEKDAYS[date.dayOfWeek - 1] ?? 'monday';
