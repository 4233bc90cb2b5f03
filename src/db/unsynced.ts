import type { Change } from './journal.ts';
import { rejectWrite } from './storage-error.ts';

/** What a response tells of: a workspace with all in it, or one thing of it. */
interface Touched {
  workspaceId: string;
  id?: string;
}

/**
 * Runs `act` at a moment at which all that can be read is on the disk, or what can be read of a workspace or of a thing
 * in it. 503 once a sync has failed.
 */
export type WhenSynced = <T>(act: () => T, about?: Touched) => Promise<T>;

/** A commit that everyone can read, and whose sync is under way. */
interface Unsynced {
  changes: readonly Change[];
  synced: Promise<void>;
  reject(reason: unknown): void;
}

/** Knows the one commit that can be read and is not on the disk yet, and whether a sync has failed. */
interface UnsyncedCommit {
  whenSynced: WhenSynced;
  /** Waits for the sync of a commit, then calls `onSynced`; `onFailure` where it fails meanwhile. */
  waitFor(
    synced: Promise<void>,
    changes: readonly Change[],
    onSynced: () => void,
    onFailure: (reason: unknown) => void,
  ): Promise<void>;
  isPending(): boolean;
  /** Rejects all who wait, now and from now on: what is on the disk is unknown. */
  fail(reason: unknown): void;
  /** The 503 for what comes after a failed sync; undefined while there is none. */
  rejection(): Error | undefined;
}

/** Keeps what is read from being told before it is on the disk. */
export function createUnsyncedCommit(): UnsyncedCommit {
  let unsynced: Unsynced | undefined;
  let failure: { reason: unknown } | undefined;
  const rejection = () => failure && rejectWrite(failure.reason);

  return {
    whenSynced: async (act, about) => {
      for (;;) {
        if (failure) throw rejection();
        if (!unsynced || (about && !isTouched(unsynced, about))) return act();
        await unsynced.synced;
      }
    },
    waitFor: async (synced, changes, onSynced, onFailure) => {
      const waiting = Promise.withResolvers<void>();
      waiting.promise.catch(() => {});
      const reject = (reason: unknown) => {
        onFailure(reason);
        waiting.reject(reason);
      };
      unsynced = { changes, synced: waiting.promise, reject };
      await synced;
      unsynced = undefined;
      onSynced();
      waiting.resolve();
    },
    isPending: () => unsynced !== undefined,
    fail: (reason) => {
      failure ??= { reason };
      unsynced?.reject(rejectWrite(reason));
      unsynced = undefined;
    },
    rejection,
  };
}

const isTouched = ({ changes }: Unsynced, { workspaceId, id }: Touched): boolean =>
  changes.some(
    (change) =>
      change.workspaceId === workspaceId && (id === undefined || change.id === id || change.op === 'refetch'),
  );
