const WAITING_AT_MOST = 64;

/** Attempts of which it is not known yet how they end, by whose they are. */
export interface Undecided {
  begin(key: string): void;
  /** `isTakenBack`: its place in the budget is free again, for one of those that wait. */
  end(key: string, isTakenBack: boolean): void;
  /** Resolves when there may be room again; undefined while none is undecided, and while too many wait. */
  room(key: string): Promise<void> | undefined;
}

export function createUndecided(): Undecided {
  const attempts = new Map<string, { undecided: number; waiting: (() => void)[] }>();
  return {
    begin: (key) => {
      const found = attempts.get(key) ?? { undecided: 0, waiting: [] };
      found.undecided += 1;
      attempts.set(key, found);
    },
    end: (key, isTakenBack) => {
      const found = attempts.get(key);
      if (!found) return;
      found.undecided -= 1;
      const isLast = found.undecided === 0;
      if (isLast) attempts.delete(key);
      for (const resume of found.waiting.splice(0, isLast ? Number.POSITIVE_INFINITY : Number(isTakenBack)))
        resume();
    },
    room: (key) => {
      const found = attempts.get(key);
      if (!found || found.waiting.length >= WAITING_AT_MOST) return undefined;
      return new Promise((resolve) => found.waiting.push(resolve));
    },
  };
}
