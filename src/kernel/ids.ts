import { randomUUIDv7 } from 'node:crypto';

const COUNTER_LIMIT = 0x1000;

let lastMs = -1;
let counter = 0;

/**
 * A new identifier for something made at `now` (milliseconds): UUIDv7 (RFC 9562), that instant and then a counter and
 * random bits, so that ids sort by creation, also within a millisecond. Never a secret.
 */
export function newId(now = Date.now()): string {
  counter = now === lastMs ? (counter + 1) % COUNTER_LIMIT : 0;
  lastMs = now;
  const time = Math.max(0, now).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}${randomUUIDv7().slice(18)}`;
}
