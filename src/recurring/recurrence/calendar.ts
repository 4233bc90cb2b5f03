import { DAY } from '../../kernel/instants.ts';

/*
 * Dates are day numbers (days since 1970-01-01, Gregorian), months are counted from January 1970, and a wall time
 * is what a clock on the wall shows, in milliseconds as if the clock stood in UTC. Zones enter at the very end.
 */

const THURSDAY = 3; // the weekday of day 0

/** Takes `YYYY-MM-DD`. */
export const dayOf = (date: string): number => Date.parse(date) / DAY;

/** Gives `YYYY-MM-DD`; past the year 9999 what `dayOf` still understands. */
export const dateOf = (day: number): string =>
  new Date(day * DAY).toISOString().slice(0, -'T00:00:00.000Z'.length);

export const remainder = (value: number, divisor: number): number =>
  value - divisor * Math.floor(value / divisor);

/** 0 is Monday, 6 is Sunday. */
export const weekdayOf = (day: number): number => remainder(day + THURSDAY, 7);

/** Weeks are numbered so that the week `n` begins on the day `firstDayOfWeek(n, weekStart)`. */
export const weekOf = (day: number, weekStart: number): number =>
  Math.floor((day + THURSDAY - weekStart) / 7);

export const firstDayOfWeek = (week: number, weekStart: number): number => week * 7 - THURSDAY + weekStart;

export function monthOf(day: number): number {
  const date = new Date(day * DAY);
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth();
}

export const firstDayOfMonth = (month: number): number => Date.UTC(1970, month, 1) / DAY;

/** Gives `YYYY-MM-DDTHH:MM`. */
export const localOf = (wall: number): string => new Date(wall).toISOString().slice(0, 16);

/** Takes `YYYY-MM-DDTHH:MM`. */
export const wallOf = (local: string): number => Date.parse(`${local}Z`);

/** The date that calendars in the zone show at an instant (milliseconds since the epoch). */
export function dayAt(ms: number, timezone: string): number {
  const { offsetNanoseconds } = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
  return Math.floor((ms + offsetNanoseconds / 1e6) / DAY);
}

/**
 * When the clocks of the zone show a wall time, in milliseconds since the epoch. By default a missing time is
 * shifted by the gap and a repeated one means its first pass (RFC 5545, 3.3.5).
 */
export function msOfWall(
  wall: number,
  timezone: string,
  disambiguation: 'compatible' | 'earlier' | 'later' = 'compatible',
): number {
  const fields = new Date(wall);
  return new Temporal.PlainDateTime(
    fields.getUTCFullYear(),
    fields.getUTCMonth() + 1,
    fields.getUTCDate(),
    fields.getUTCHours(),
    fields.getUTCMinutes(),
  ).toZonedDateTime(timezone, { disambiguation }).epochMilliseconds;
}

/** The first instant of a day in the zone, in milliseconds since the epoch; of a day it skipped, that of the next one. */
export const startOfDay = (day: number, timezone: string): number =>
  Temporal.PlainDate.from(dateOf(day)).toZonedDateTime(timezone).epochMilliseconds;

/** As `msOfWall`, and whether the clocks skip the wall time (`shifted`) or show it twice (`first-pass`). */
export function momentOfWall(
  wall: number,
  timezone: string,
): { ms: number; change: 'shifted' | 'first-pass' | null } {
  const earlier = msOfWall(wall, timezone, 'earlier');
  if (earlier === msOfWall(wall, timezone, 'later')) return { ms: earlier, change: null };
  const ms = msOfWall(wall, timezone);
  return { ms, change: ms === earlier ? 'first-pass' : 'shifted' };
}
