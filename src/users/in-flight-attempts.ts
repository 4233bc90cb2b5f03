import { ownState } from '../kernel/own-state.ts';

const MAX_WAITING = 64;

/** Attempts whose end is not known yet, by the account they are for. */
interface InFlightAttempts {
  begin(key: string): void;
  /** `isTakenBack`: its place within the limit is free again, for one of those that wait. */
  end(key: string, isTakenBack: boolean): void;
  /** Resolves when there may be capacity again; undefined while none is in flight, and while too many wait. */
  capacity(key: string): Promise<void> | undefined;
}

function createInFlightAttempts(): InFlightAttempts {
  const attempts = new Map<string, { inFlight: number; waiting: (() => void)[] }>();
  return {
    begin: (key) => {
      const found = attempts.get(key) ?? { inFlight: 0, waiting: [] };
      found.inFlight += 1;
      attempts.set(key, found);
    },
    end: (key, isTakenBack) => {
      const found = attempts.get(key);
      if (!found) return;
      found.inFlight -= 1;
      const isLast = found.inFlight === 0;
      if (isLast) attempts.delete(key);
      for (const resume of found.waiting.splice(0, isLast ? Number.POSITIVE_INFINITY : Number(isTakenBack)))
        resume();
    },
    capacity: (key) => {
      const found = attempts.get(key);
      if (!found || found.waiting.length >= MAX_WAITING) return undefined;
      return new Promise((resolve) => found.waiting.push(resolve));
    },
  };
}

/** The proofs by password under way. */
export const inFlightAttempts = ownState(createInFlightAttempts);
