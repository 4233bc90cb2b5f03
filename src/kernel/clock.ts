/** The one source of wall-clock time; service functions read it once and hand the instant down. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

/** What `look` tells, looked at again at most once in so many milliseconds, however often it is asked for. */
export function memoizeFor<T>(milliseconds: number, clock: Clock, look: () => T): () => T {
  let last: { at: number; seen: T } | undefined;
  return () => {
    const now = clock.now();
    if (!last || Math.abs(now - last.at) >= milliseconds) last = { at: now, seen: look() };
    return last.seen;
  };
}

export const systemClock: Clock = { now: Date.now };
