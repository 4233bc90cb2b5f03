/** An instant as it is stored and sent: `2026-11-20T09:30:00.000Z`. Such texts compare like the instants. */
export type Instant = string;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

let lastMs = Number.NaN;
let lastInstant: Instant = '';

/** `ms` are milliseconds since the epoch. The last result is kept: busy times ask often within a millisecond. */
export function toInstant(ms: number): Instant {
  if (ms !== lastMs) {
    lastInstant = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastInstant;
}

export const toMs = (instant: Instant): number => Date.parse(instant);
