/** A bucket that holds `burst` and refills by one every `refillMs` milliseconds. */
export interface Bucket {
  burst: number;
  refillMs: number;
}

/**
 * The generic cell rate algorithm (ITU-T I.371): a token bucket kept as one number, the instant in milliseconds at
 * which it would be full again. Returns that number after `count` more are taken, at most all, or how long to wait for them.
 */
export function takeFrom(
  bucket: Bucket,
  fullAt: number | undefined,
  now: number,
  count = 1,
): { taken: true; fullAt: number } | { taken: false; waitMs: number } {
  const before = Math.max(fullAt ?? now, now);
  const added = Math.min(count, bucket.burst) * bucket.refillMs;
  // No debt is that long: a clock set back must not lock anyone out for longer than the bucket takes to fill.
  if (before > now + longestDebt(bucket)) return { taken: true, fullAt: now + added };
  const next = before + added;
  const waitMs = next - now - bucket.burst * bucket.refillMs;
  return waitMs > 0 ? { taken: false, waitMs } : { taken: true, fullAt: next };
}

/** The instant at which a bucket would be full again after `count` more were taken that it need not hold: a debt. */
export const owe = (bucket: Bucket, fullAt: number | undefined, now: number, count: number): number =>
  Math.min(Math.max(fullAt ?? now, now) + count * bucket.refillMs, now + longestDebt(bucket));

/** How far ahead of now a bucket may be full again. */
const longestDebt = ({ burst, refillMs }: Bucket): number => (2 * burst - 1) * refillMs;
