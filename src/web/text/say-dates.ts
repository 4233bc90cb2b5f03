import { type Day, dayOfMonth, daysBetween, monthOf, weekdayIndex, yearOf } from './days.ts';
import { dayIn, localOf, type Time } from './zones.ts';

export const SHORT_WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
export const SHORT_MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
export const WEEKDAY_NAMES = 'Monday Tuesday Wednesday Thursday Friday Saturday Sunday'.split(' ');
export const MONTHS =
  'January February March April May June July August September October November December'.split(' ');

/** `5 Jan`, with the year where it is not that of `today`. */
export function sayShortDay(day: Day, today: Day): string {
  const text = `${dayOfMonth(day)} ${SHORT_MONTHS[monthOf(day) - 1]}`;
  return yearOf(day) === yearOf(today) ? text : `${text} ${yearOf(day)}`;
}

/** `Fri 27 Nov`, with the year where it is another one than that of `today`. */
export const sayDate = (day: Day, today: Day): string =>
  `${SHORT_WEEKDAYS[weekdayIndex(day)]} ${sayShortDay(day, today)}`;

/** `Today`, `Tomorrow`, `Yesterday`, else as `sayDate`. */
export function sayDay(day: Day, today: Day): string {
  const distance = daysBetween(today, day);
  if (distance === 0) return 'Today';
  if (distance === 1) return 'Tomorrow';
  if (distance === -1) return 'Yesterday';
  return sayDate(day, today);
}

/** `Monday 23 November`. */
export const sayLongDay = (day: Day): string =>
  `${WEEKDAY_NAMES[weekdayIndex(day)]} ${dayOfMonth(day)} ${MONTHS[monthOf(day) - 1]}`;

/** The heading of a day: `Today`, `Tomorrow`, `Wednesday 25 Nov`. */
export function dayTitle(day: Day, today: Day): string {
  const distance = daysBetween(today, day);
  if (distance === 0) return 'Today';
  if (distance === 1) return 'Tomorrow';
  return `${WEEKDAY_NAMES[weekdayIndex(day)]} ${sayShortDay(day, today)}`;
}

/** `9:30`, as clocks are read. */
export const plainTime = (time: Time): string => time.replace(/^0(?=\d:)/, '');

/** A day and, where there is one, its time: `Fri 27 Nov 9:30`. */
export const sayDayAndTime = (day: Day, time: Time | null, today: Day): string =>
  time === null ? sayDay(day, today) : `${sayDay(day, today)} ${plainTime(time)}`;

/** An instant in words, as seen in a zone: `Tomorrow 9:00`. */
export function sayInstant(instant: string, zone: string, now: number): string {
  const { day, time } = localOf(instant, zone);
  return sayDayAndTime(day, time, dayIn(now, zone));
}

/** Words for a day as they stand within a sentence: `tomorrow`, and `Thu 26 Nov` as it is. */
export const withinSentence = (words: string): string =>
  words.replace(/^(Today|Tomorrow|Yesterday)/, (word) => word.toLowerCase());

/** An instant within a sentence: `tomorrow 9:00`. */
export const sayWhen = (instant: string, zone: string, now: number): string =>
  withinSentence(sayInstant(instant, zone, now));

/** The title of a month: `November 2026`. */
export const sayMonth = (month: string): string =>
  `${MONTHS[Number(month.slice(5, 7)) - 1]} ${month.slice(0, 4)}`;
