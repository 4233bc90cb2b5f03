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
 * A limit over at most `keysAtMost` keys. A full table first drops the key that was used longest ago, so that
 * someone who is being limited cannot be forgotten by their own hammering.
 */
export function createLimit(bucket: Bucket, keysAtMost = KEYS_AT_MOST): Limit {
  const fullAt = new Map<string, number>();
  return (key, now) => {
    const before = fullAt.get(key);
    const outcome = takeFrom(bucket, before, now);
    fullAt.delete(key);
    if (fullAt.size >= keysAtMost) fullAt.delete(fullAt.keys().next().value ?? '');
    fullAt.set(key, outcome.taken ? outcome.fullAt : (before ?? now));
    if (!outcome.taken) throw tooManyRequests(outcome.waitMs / 1_000);
  };
}
