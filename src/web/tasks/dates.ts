import { compareTexts } from '../data/live-list.ts';
import type { Task } from '../data/rows.ts';
import { addDays, type Day, daysBetween, weekdayIndex } from '../text/days.ts';
import { PRIORITIES } from '../text/priorities.ts';
import { plainTime, SHORT_WEEKDAYS, sayShortDay } from '../text/say-dates.ts';
import { localOf, millisecondsOf, startOfDay, type Time } from '../text/zones.ts';

type Dated = Pick<Task, 'dueDate' | 'dueDay'>;

/** The local day a task is due on, and the time where it has one. */
export function dueOf({ dueDate, dueDay }: Dated, zone: string): { day: Day; time: Time | null } | null {
  if (dueDay !== null) return { day: dueDay, time: null };
  return dueDate === null ? null : localOf(dueDate, zone);
}

/** The local day a task starts on, and the time where it has one. */
export const startOf = (
  { startDate, startDay }: Pick<Task, 'startDate' | 'startDay'>,
  zone: string,
): { day: Day; time: Time | null } | null => dueOf({ dueDate: startDate, dueDay: startDay }, zone);

/** Of the two the one that is asked for. */
export const dateOf = (task: Task, kind: 'due' | 'start', zone: string) =>
  kind === 'due' ? dueOf(task, zone) : startOf(task, zone);

/** Whether it is due on a local day or before. */
export const isDueBy = ({ dueDate, dueDay }: Dated, day: Day, zone: string): boolean =>
  dueDay === null ? dueDate !== null && dueDate < endOfDay(day, zone) : dueDay <= day;

/** Of the day that was asked for last: every task is compared with it. */
let end = { day: '', zone: '', instant: '' };
const endOfDay = (day: Day, zone: string): string => {
  if (end.day !== day || end.zone !== zone) end = { day, zone, instant: startOfDay(addDays(day, 1), zone) };
  return end.instant;
};

/** A time of today that has passed is late, as is every earlier day. */
export function isLate(task: Dated, today: Day, now: number): boolean {
  if (task.dueDate !== null) return Date.parse(task.dueDate) < now;
  return task.dueDay !== null && task.dueDay < today;
}

/** The time of day a task keeps when it moves to today: null where it has none, or that time of today has passed. */
export function timeKeptToday(task: Dated, today: Day, now: number, zone: string): Time | null {
  const time = dueOf(task, zone)?.time;
  return time && millisecondsOf(today, time, zone) > now ? time : null;
}

export const isMineOrNobodys = ({ assigneeId }: Pick<Task, 'assigneeId'>, userId: string): boolean =>
  assigneeId === null || assigneeId === userId;

/** As rows say it: `15:00` under a heading of its day, else `Today 15:00`, `Fri`, `2 Dec`, `30 Sep 2025`. */
export function sayDueInRow(due: { day: Day; time: Time | null }, today: Day, heading?: Day): string {
  const { day, time } = due;
  if (day === heading) return time === null ? '' : plainTime(time);
  const distance = daysBetween(today, day);
  let words = sayShortDay(day, today);
  if (distance === 0) words = 'Today';
  else if (distance === 1) words = 'Tomorrow';
  else if (distance === -1) words = 'Yesterday';
  else if (distance > -7 && distance < 7) words = SHORT_WEEKDAYS[weekdayIndex(day)] ?? words;
  return time === null || distance < 0 || distance > 6 ? words : `${words} ${plainTime(time)}`;
}

/** `in 4 days`, `2 days ago`; empty for today and its neighbours. */
export function sayDistance(day: Day, today: Day): string {
  const distance = daysBetween(today, day);
  if (Math.abs(distance) < 2) return '';
  return distance > 0 ? `in ${distance} days` : `${-distance} days ago`;
}

/** By due date, a day before its times; then by priority, and by position. Without a date last. */
export function compareDue(zone: string): (a: Task, b: Task) => number {
  const keys = new WeakMap<Task, string>();
  const keyOf = (task: Task): string => {
    const known = keys.get(task);
    if (known !== undefined) return known;
    const due = dueOf(task, zone);
    const key = `${due ? `${due.day} ${due.time ?? ''}` : '~'} ${PRIORITIES.indexOf(task.priority)}`;
    keys.set(task, key);
    return key;
  };
  return (a, b) => compareTexts(keyOf(a), keyOf(b)) || a.position - b.position;
}
