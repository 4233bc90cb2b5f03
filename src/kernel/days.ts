import { DAY, type Instant } from './instants.ts';

/** A day of the calendar, as it is stored and sent: `2026-12-24`. As text it sorts as midnight UTC. */
export type Day = string;

const DAY_LENGTH = '2026-12-24'.length;
const LAST_DAY: Day = '9999-12-31';
/** After every instant there is. */
const END_OF_TIME: Instant = `${LAST_DAY}T24`;

/** Whether a text is a day that exists, in the years 1900 to 9999. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < '1900') return false;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

/** Which of the two a date is that may be a day or an instant. */
export const isWholeDay = (date: Day | Instant): boolean => date.length === DAY_LENGTH;

/** The last day there is follows itself. */
const following = (day: Day): Day => (day === LAST_DAY ? day : shifted(day, 1));

const shifted = (day: Day, by: number): Day =>
  new Date(Date.parse(day) + by * DAY).toISOString().slice(0, DAY_LENGTH);

/** Looking a day up in the data of a zone takes microseconds: so many are kept. */
const MAX_KEPT = 20_000;
const zones = new Map<string, Map<Day, Bounds>>();
let kept = 0;

interface Bounds {
  start: Instant;
  end: Instant;
  next: Day;
}

/** Of a day in a zone: its first instant, that of the next day, and which that is; the last day follows itself. */
export function boundsOf(day: Day, zone: string): Bounds {
  const found = zones.get(zone)?.get(day);
  if (found) return found;
  if (kept >= MAX_KEPT) {
    zones.clear();
    kept = 0;
  }
  const days = zones.get(zone) ?? new Map<Day, Bounds>();
  const next = following(day);
  const end = next === day ? END_OF_TIME : firstInstant(next, zone);
  const bounds = { start: firstInstant(day, zone), end, next };
  zones.set(zone, days.set(day, bounds));
  kept += 1;
  return bounds;
}

function firstInstant(day: Day, zone: string): Instant {
  if (zone === 'UTC') return `${day}T00:00:00.000Z`;
  const start = Temporal.PlainDate.from(day).toZonedDateTime(zone);
  const isSkipped = start.toPlainDate().toString() !== day;
  return new Date(start.epochMilliseconds - (isSkipped ? 1 : 0)).toISOString();
}

/**
 * The first instant of a day in a zone, be it later than midnight, where clocks skip that. Of two days the later one
 * always begins later: a day that the zone skips has the last millisecond before the next one.
 */
export const startOfDay = (day: Day, zone: string): Instant => boundsOf(day, zone).start;

/** When the next day begins. */
export const endOfDay = (day: Day, zone: string): Instant => boundsOf(day, zone).end;

/** The day in a zone that an instant is in: it has begun, and the next one has not. */
export function dayOf(instant: Instant, zone: string): Day {
  const day = instant.slice(0, DAY_LENGTH);
  const { start, end, next } = boundsOf(day, zone);
  if (instant < start) return shifted(day, -1);
  return instant < end ? day : next;
}

/** When clocks of a zone show a time, `09:00`, of a day; shifted by the gap where they skip it, else the first time. */
export const instantAt = (day: Day, time: string, zone: string): Instant =>
  new Date(
    Temporal.PlainDateTime.from(`${day}T${time}`).toZonedDateTime(zone).epochMilliseconds,
  ).toISOString();
