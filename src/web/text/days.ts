/** A calendar day as text, `2026-12-24`. Days compare as text. */
export type Day = string;

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof WEEKDAYS)[number];

const DAY_MS = 86_400_000;

/** Days since 1 January 1970. */
const dayNumber = (day: Day): number => Math.round(Date.parse(`${day}T00:00:00Z`) / DAY_MS);

/** Behind the year 9999 it has a sign and six digits, as ISO 8601 has it. */
export const dayFromNumber = (number: number): Day =>
  new Date(number * DAY_MS).toISOString().replace(/T.*/, '');

/** Returns the day, or null where there is no such day in the years 1900 to 9999. */
export function makeDay(year: number, month: number, dayOfMonth: number): Day | null {
  if (year < 1900 || year > 9999) return null;
  const date = new Date(Date.UTC(year, month - 1, dayOfMonth));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === dayOfMonth;
  return isReal ? date.toISOString().slice(0, 10) : null;
}

/** Whether a text is a day that exists. */
export function isDay(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  return match !== null && makeDay(Number(match[1]), Number(match[2]), Number(match[3])) !== null;
}

export const yearOf = (day: Day): number => Number(day.slice(0, 4));
export const monthOf = (day: Day): number => Number(day.slice(5, 7));
export const dayOfMonth = (day: Day): number => Number(day.slice(8, 10));

export const addDays = (day: Day, days: number): Day => dayFromNumber(dayNumber(day) + days);

/** Adds months, up to the year 9999; a day that the month lacks becomes its last one. */
export function addMonths(day: Day, months: number): Day {
  const index = Math.min(yearOf(day) * 12 + monthOf(day) - 1 + months, 9999 * 12 + 11);
  const year = Math.floor(index / 12);
  const month = (index % 12) + 1;
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1, Math.min(dayOfMonth(day), last))).toISOString().slice(0, 10);
}

export const daysBetween = (from: Day, to: Day): number => dayNumber(to) - dayNumber(from);

/** 0 is Monday. */
export const weekdayIndex = (day: Day): number => (((dayNumber(day) + 3) % 7) + 7) % 7;

export const weekdayOf = (day: Day): Weekday => WEEKDAYS[weekdayIndex(day)] ?? 'monday';

/** The first day of the week that a day is in. */
export function startOfWeek(day: Day, weekStart: Weekday): Day {
  return addDays(day, -((weekdayIndex(day) - WEEKDAYS.indexOf(weekStart) + 7) % 7));
}

/** The week of ISO 8601, `2026-W48`. */
export function isoWeek(day: Day): string {
  const thursday = addDays(day, 3 - weekdayIndex(day));
  const week = Math.floor(daysBetween(`${thursday.slice(0, 4)}-01-01`, thursday) / 7) + 1;
  return `${thursday.slice(0, 4)}-W${String(week).padStart(2, '0')}`;
}

/** The Monday of an ISO week, or null where there is no such week. */
export function mondayOfIsoWeek(text: string): Day | null {
  const match = /^(\d{4})-W(\d\d)$/.exec(text);
  if (!match) return null;
  const monday = addDays(startOfWeek(`${match[1]}-01-04`, 'monday'), (Number(match[2]) - 1) * 7);
  return isoWeek(monday) === text ? monday : null;
}

/** Seven days from one on. */
export const weekFrom = (day: Day): Day[] => Array.from({ length: 7 }, (_, index) => addDays(day, index));

/** Whole weeks that cover a month (`2026-11`), in rows of seven days. */
export function monthGrid(month: string, weekStart: Weekday): Day[][] {
  const start = startOfWeek(`${month}-01`, weekStart);
  const last = new Date(Date.UTC(yearOf(month), monthOf(month), 0)).getUTCDate();
  const count = Math.ceil((daysBetween(start, `${month}-01`) + last) / 7);
  return Array.from({ length: count }, (_, week) => weekFrom(addDays(start, 7 * week)));
}

/** The day that "next week" means: the first day of the week that comes. */
export const nextWeek = (today: Day, weekStart: Weekday): Day => addDays(startOfWeek(today, weekStart), 7);
