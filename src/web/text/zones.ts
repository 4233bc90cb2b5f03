import { addDays, type Day } from './days.ts';

/** A local time as text, `15:00`. */
export type Time = string;

const QUARTER_MS = 900_000;
const MAX_CACHED_OFFSETS = 20_000;

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, Map<number, number>>();

/** Whether the runtime knows a time zone by this name. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** How this runtime calls a zone, which another may know by an older or a newer name. */
export const nameOfZone = (zone: string): string =>
  isZone(zone) ? formatOf(zone).resolvedOptions().timeZone : zone;

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(zone, format);
  }
  return format;
}

function computeOffset(ms: number, zone: string): number {
  const parts: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(ms)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000;
}

/** Milliseconds that local time is ahead of UTC. Cached by the quarter hour, since `Intl` is slow. */
function offsetAt(ms: number, zone: string): number {
  const known = offsets.get(zone) ?? new Map<number, number>();
  offsets.set(zone, known);
  const quarter = Math.floor(ms / QUARTER_MS);
  let offset = known.get(quarter);
  if (offset === undefined) {
    if (known.size >= MAX_CACHED_OFFSETS) known.clear();
    offset = computeOffset(ms, zone);
    known.set(quarter, offset);
  }
  return offset;
}

/** The local day and time of an instant. */
export function localOf(instant: string | number, zone: string): { day: Day; time: Time } {
  const ms = typeof instant === 'number' ? instant : Date.parse(instant);
  const text = new Date(ms + offsetAt(ms, zone)).toISOString();
  return { day: text.slice(0, 10), time: text.slice(11, 16) };
}

/** The local day of an instant. */
export const dayIn = (instant: string | number, zone: string): Day => localOf(instant, zone).day;

/**
 * The instant of a local day and time, in milliseconds. A time that does not exist is shifted by the gap; of one
 * that comes twice the first is meant.
 */
export function millisecondsOf(day: Day, time: Time, zone: string): number {
  const local = Date.parse(`${day}T${time}:00Z`);
  const before = offsetAt(local - 86_400_000, zone);
  const after = offsetAt(local + 86_400_000, zone);
  const real = [local - before, local - after].filter((ms) => ms + offsetAt(ms, zone) === local);
  return real.length > 0 ? Math.min(...real) : local - before;
}

/** The instant of a local day and time as text, `2026-11-27T14:00:00.000Z`. */
export const instantOf = (day: Day, time: Time, zone: string): string =>
  new Date(millisecondsOf(day, time, zone)).toISOString();

/** The first instant of a local day. */
export const startOfDay = (day: Day, zone: string): string => instantOf(day, '00:00', zone);

/** Milliseconds from `now` to the next local midnight. */
export const untilMidnight = (now: number, zone: string): number =>
  millisecondsOf(addDays(dayIn(now, zone), 1), '00:00', zone) - now;

/** The time zone of this device. */
export const deviceZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
