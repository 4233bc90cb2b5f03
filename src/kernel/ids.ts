import { randomUUIDv7 } from 'node:crypto';
import { type Instant, toMs } from './instants.ts';

const COUNTER_LIMIT = 0x1000;

let lastMs = -1;
let counter = 0;

/**
 * A new identifier for something made at `now`: UUIDv7 (RFC 9562), that instant and then a counter and
 * random bits, so that ids sort by creation, also within a millisecond. Never a secret.
 */
export function newId(now: number | Instant): string {
  const ms = typeof now === 'string' ? toMs(now) : now;
  counter = ms === lastMs ? (counter + 1) % COUNTER_LIMIT : 0;
  lastMs = ms;
  const time = Math.max(0, ms).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}${randomUUIDv7().slice(18)}`;
}
