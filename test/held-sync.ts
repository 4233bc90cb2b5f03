import type { WalSync } from '../src/db/wal-sync.ts';

/** Syncs that a test holds back and releases; until `hold` each commit is on the disk at once. */
export function createHeldSync() {
  let isHolding = false;
  let pending: PromiseWithResolvers<void> | undefined;
  const counts = { asked: 0 };
  const walSync: WalSync = {
    onCommit: () => {
      counts.asked += 1;
      if (!isHolding) return undefined;
      pending = Promise.withResolvers();
      return pending.promise;
    },
    stop: async () => {},
  };
  return {
    walSync,
    counts,
    hold: () => {
      isHolding = true;
    },
    /** Lets the sync under way end; the next ones are held back all the same. */
    releaseOne: () => pending?.resolve(),
    release: () => {
      isHolding = false;
      pending?.resolve();
    },
  };
}

/** Long enough for whatever would happen without a sync to have happened. */
export const manyTurns = async () => {
  for (let i = 0; i < 50; i += 1) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** Whether the promise is settled by now; it is observed, so that its rejection is not unhandled. */
export function watch<T>(promise: Promise<T>) {
  const watched = { promise, isSettled: false };
  const settle = () => {
    watched.isSettled = true;
  };
  promise.then(settle, settle);
  return watched;
}
