import type { Db } from '../db/connection.ts';
import { type Day, dayOf, instantAt, isWholeDay } from '../kernel/days.ts';
import { DAY, type Instant, toInstant, toMs } from '../kernel/instants.ts';
import { firstUnnoticedInstant, noticedUntil, unnoticedDays } from '../storage/due-tasks.ts';

/** When a day is due, in the zone of the assignee. */
const TIME_OF_DAY = '09:00';

/** When the assignee, who is in `zone`, is told that a task is due. */
export const dueInstant = (date: Day | Instant, zone: string): Instant =>
  isWholeDay(date) ? instantAt(date, TIME_OF_DAY, zone) : date;

/** In UTC, from which no zone is a day away. */
export const dayBeside = (instant: Instant, ms: number): Day => dayOf(toInstant(toMs(instant) + ms), 'UTC');

/** Whether the time of a day came, in a zone, after the one instant, and by the other. */
export const isBetween = (day: Day, zone: string | null, after: Instant, until: Instant): boolean => {
  const at = dueInstant(day, zone ?? 'UTC');
  return after < at && at <= until;
};

/** When the longest past due task was due of those whose assignees were not told; undefined where all were. */
export function firstUnnoticed(db: Db, now: Instant): Instant | undefined {
  const until = noticedUntil(db);
  if (until === undefined) return undefined;
  const days = unnoticedDays(db, dayBeside(until, -2 * DAY), dayBeside(now, DAY));
  const dueAt = days
    .filter(({ due_date: day, timezone }) => isBetween(day, timezone, until, now))
    .map(({ due_date: day, timezone }) => dueInstant(day, timezone ?? 'UTC'));
  const first = firstUnnoticedInstant(db, until, now);
  return [...dueAt, ...(first == null ? [] : [first])].sort()[0];
}
