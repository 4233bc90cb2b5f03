import type { Config } from '../config.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { MINUTE } from '../kernel/instants.ts';
import { type Bucket, takeFrom } from '../kernel/token-bucket.ts';

const KEYS_AT_MOST = 100_000;

/** Takes one from the bucket of `key`, or throws TooManyRequestsError. `now` in milliseconds. */
export type Limit = (key: string, now: number) => void;

/** The limits kept in memory: per client network for public routes, per user for signed-in ones. */
export interface RateLimits {
  auth: Limit;
  refresh: Limit;
  user: Limit;
  search: Limit;
}

export function createRateLimits(config: Config['rate_limits']): RateLimits {
  const limit = (burst: number, perMinute: number): Limit =>
    config.enabled ? createLimit({ burst, refillMs: MINUTE / perMinute }) : () => {};
  return {
    auth: limit(config.auth_burst, config.auth_per_minute),
    refresh: limit(config.refresh_burst, config.refresh_per_minute),
    user: limit(config.user_burst, config.user_per_minute),
    search: limit(config.search_burst, config.search_per_minute),
  };
}

/**
 * A limit over at most `keysAtMost` keys. When half of them are new, those that nobody used meanwhile are dropped, all at
 * once: to look for the oldest one takes longer than all else, and whoever is being limited is not forgotten by their
 * own hammering.
 */
export function createLimit(bucket: Bucket, keysAtMost = KEYS_AT_MOST): Limit {
  let recent = new Map<string, number>();
  let earlier = recent;
  return (key, now) => {
    const before = recent.get(key) ?? earlier.get(key);
    const outcome = takeFrom(bucket, before, now);
    if (recent.size >= keysAtMost / 2 && !recent.has(key)) {
      earlier = recent;
      recent = new Map();
    }
    recent.set(key, outcome.taken ? outcome.fullAt : (before ?? now));
    if (!outcome.taken) throw tooManyRequests(outcome.waitMs);
  };
}
