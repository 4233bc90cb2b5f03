import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { lowerWorkerPriority } from '../kernel/process-priority.ts';
import { turns } from './turns.ts';

/** Argon2id by the OWASP cheat sheet: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const MAX_WAITING = 64;
/** How many times as long as it worked a hash lets the processor rest while people are turned away. */
const THROTTLE_RATIO = 7;
/** A hash of no password at all, made with the parameters above: what an unknown account is compared with. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

/** `from`: the client address that asks, by which places are shared out; none for an admin's command. */
export interface Passwords {
  /** Throws 429 while too many wait for their turn and an address is none to be let in before them. */
  requireCapacity(from?: string): void;
  hash(password: string, from?: string): Promise<string>;
  /** Takes as long for no hash at all as for a wrong password. */
  verify(stored: string | null, password: string, from?: string): Promise<boolean>;
  /** True when the stored hash was made with weaker parameters than today's. */
  isOutdated(stored: string): boolean;
}

/**
 * Argon2id, at most two hashes (or one for each core) at once: each takes 19 MiB and a thread. When too many wait
 * already, 429 for the network that has most of them. Requests that hash nothing come first: hashes run at a lower priority, and a flood leaves the processors
 * free most of the time.
 */
export function argon2Passwords(): Passwords {
  const { inTurn, requireCapacity } = turns(Math.max(2, availableParallelism()), MAX_WAITING, (worked) =>
    wait(THROTTLE_RATIO * worked),
  );
  let isLowered = false;
  const atLowPriority = <T>(hashing: Promise<T>): Promise<T> => {
    // Now libuv has made its threads.
    if (!isLowered) lowerWorkerPriority();
    isLowered = true;
    return hashing;
  };
  return {
    requireCapacity,
    hash: (password, from) => inTurn(() => atLowPriority(hash(password, PARAMETERS)), from),
    verify: (stored, password, from) =>
      inTurn(async () => {
        const matches = await atLowPriority(verify(stored ?? NOBODY, password));
        return stored !== null && matches;
      }, from),
    isOutdated: (stored) => {
      const [, m = 0, t = 0] = (/\$m=(\d+),t=(\d+),/.exec(stored) ?? []).map(Number);
      return m < PARAMETERS.memoryCost || t < PARAMETERS.timeCost;
    },
  };
}
