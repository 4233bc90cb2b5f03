import { availableParallelism } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { tooManyRequests } from '../kernel/errors.ts';
import { SECOND } from '../kernel/instants.ts';
import { lowerWorkers } from '../kernel/process-priority.ts';

/** Argon2id by the OWASP cheat sheet: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const WAITING_AT_MOST = 64;
/** How many times as long as it worked a hash lets the processor rest while people are turned away. */
const RESTS = 7;
/** A hash of no password at all, made with the parameters above: what an unknown account is compared with. */
const NOBODY =
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';

export interface Passwords {
  /** Throws 429 while too many wait for their turn; for before any other work is done for them. */
  demandRoom(): void;
  hash(password: string): Promise<string>;
  /** Takes as long for no hash at all as for a wrong password. */
  verify(stored: string | null, password: string): Promise<boolean>;
  /** True when the stored hash was made with weaker parameters than today's. */
  isOutdated(stored: string): boolean;
}

/**
 * Argon2id, at most two hashes (or one for each core) at once: each takes 19 MiB and a thread. When too many wait
 * already, 429. Whoever does not sign in comes first: hashes run at a lower priority, and a flood leaves the processors
 * free most of the time.
 */
export function argon2Passwords(): Passwords {
  const { inTurn, demandRoom } = turns(Math.max(2, availableParallelism()), WAITING_AT_MOST, (worked) =>
    wait(RESTS * worked),
  );
  let isLowered = false;
  const atLowPriority = <T>(hashing: Promise<T>): Promise<T> => {
    // Now libuv has made its threads.
    if (!isLowered) lowerWorkers();
    isLowered = true;
    return hashing;
  };
  return {
    demandRoom,
    hash: (password) => inTurn(() => atLowPriority(hash(password, PARAMETERS))),
    verify: (stored, password) =>
      inTurn(async () => {
        const matches = await atLowPriority(verify(stored ?? NOBODY, password));
        return stored !== null && matches;
      }),
    isOutdated: (stored) => {
      const [, m = 0, t = 0] = (/\$m=(\d+),t=(\d+),/.exec(stored) ?? []).map(Number);
      return m < PARAMETERS.memoryCost || t < PARAMETERS.timeCost;
    },
  };
}

/**
 * Runs work at most `atOnce` together, others wait in order; refuses when `waitingAtMost` wait. While more than half as
 * many do, one place less is taken: in a flood, that is a processor for whoever does not sign in. While nobody more may
 * wait, a place stays taken until `rest` resolves, which is told how many milliseconds the work took.
 */
export function turns(atOnce: number, waitingAtMost: number, rest: (worked: number) => Promise<unknown>) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const places = () => (waiting.length > waitingAtMost / 2 ? Math.max(1, atOnce - 1) : atOnce);
  const resumeSome = () => {
    while (running < places()) {
      const resume = waiting.shift();
      if (!resume) return;
      running += 1;
      resume();
    }
  };
  const isFull = () => waiting.length >= waitingAtMost;
  const leave = async (worked: number) => {
    if (isFull()) await rest(worked);
    running -= 1;
    resumeSome();
  };
  const demandRoom = () => {
    if (isFull()) throw tooManyRequests(SECOND);
  };
  const inTurn = async <T>(work: () => Promise<T>): Promise<T> => {
    demandRoom();
    await new Promise<void>((resume) => {
      waiting.push(resume);
      resumeSome();
    });
    const began = performance.now();
    try {
      return await work();
    } finally {
      leave(performance.now() - began);
    }
  };
  return { inTurn, demandRoom };
}
