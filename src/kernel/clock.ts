/** The one source of wall-clock time; verbs read it once and hand the instant down. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: Date.now };
