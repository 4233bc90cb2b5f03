import type { Config } from '../config.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { MINUTE } from '../kernel/instants.ts';
import { type Bucket, owe, takeFrom } from '../kernel/token-bucket.ts';
import { networksOf } from './client-address.ts';

const MAX_KEYS = 100_000;

/**
 * Takes `count`, by default one, from the bucket of `key`, or throws TooManyRequestsError; `onCredit` takes them even
 * where the bucket holds fewer, so that what follows waits for them. `now` in milliseconds.
 */
type Limit = (key: string, now: number, count?: number, onCredit?: boolean) => void;

/** How many times as much a /56 and a /48 may do as a single /64: each may be one customer's. */
const WIDER_SHARES = [4, 16];

/** The limits kept in memory: per client address for public routes, per user for signed-in ones. */
export interface RateLimits {
  auth: Limit;
  refresh: Limit;
  user: Limit;
  search: Limit;
}

export function createRateLimits(config: Config['rate_limits']): RateLimits {
  const limit = (burst: number, perMinute: number): Limit =>
    config.enabled ? createLimit({ burst, refillMs: MINUTE / perMinute }) : () => {};
  /** Its key is an address, which is counted in each of its networks, while the narrower ones let it through. */
  const byNetworks = (burst: number, perMinute: number): Limit => {
    const limits = [1, ...WIDER_SHARES].map((share) => limit(share * burst, share * perMinute));
    return (address, now) => {
      for (const [i, network] of networksOf(address).entries()) limits[i]?.(network, now);
    };
  };
  return {
    auth: byNetworks(config.auth_burst, config.auth_per_minute),
    refresh: byNetworks(config.refresh_burst, config.refresh_per_minute),
    user: limit(config.user_burst, config.user_per_minute),
    search: limit(config.search_burst, config.search_per_minute),
  };
}

/**
 * A limit over at most `maxKeys` keys. When half of them are new, those that nobody used meanwhile are dropped, all at
 * once: to look for the oldest one takes longer than all else, and someone who is being limited is not forgotten by their
 * own hammering.
 */
export function createLimit(bucket: Bucket, maxKeys = MAX_KEYS): Limit {
  let recent = new Map<string, number>();
  let earlier = recent;
  return (key, now, count = 1, onCredit = false) => {
    const before = recent.get(key) ?? earlier.get(key);
    const outcome = onCredit
      ? { taken: true as const, fullAt: owe(bucket, before, now, count) }
      : takeFrom(bucket, before, now, count);
    if (recent.size >= maxKeys / 2 && !recent.has(key)) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(key, outcome.taken ? outcome.fullAt : (before ?? now));
    if (!outcome.taken) throw tooManyRequests(outcome.waitMs);
  };
}
