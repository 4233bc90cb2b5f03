/** An instant as it is stored and sent: `2026-11-20T09:30:00.000Z`. Such texts compare like the instants. */
export type Instant = string;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

let last: { ms: number; instant: Instant } = { ms: 0, instant: new Date(0).toISOString() };
let before = last;

/**
 * `ms` are milliseconds since the epoch. The last two results are kept: writes ask again and again for the present and
 * for the time of their request.
 */
export function toInstant(ms: number): Instant {
  if (ms !== last.ms) {
    const other = ms === before.ms ? before : { ms, instant: new Date(ms).toISOString() };
    before = last;
    last = other;
  }
  return last.instant;
}

export const toMs = (instant: Instant): number => Date.parse(instant);
