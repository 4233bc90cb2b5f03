import type { Change } from './change.ts';
import type { Writes, Written } from './disk.ts';

/** Time and the device, so that tests can move them. */
export interface World {
  now(): number;
  random(): number;
  /** Calls back once; returns how to cancel. */
  after(ms: number, callback: () => void): () => void;
  /** Whether the device says that it has a network: a hint. */
  isOnline(): boolean;
  isVisible(): boolean;
}

/** What tabs of one user tell each other. */
export type Message =
  | { kind: 'written'; revision: number; rowRevision: number; writes: Writes; outbox: Written['outbox'] }
  /** Whether the server was reached; of two that tell it, the one with the higher fence leads. */
  | { kind: 'sync'; isReached: boolean | null; fence: number }
  | { kind: 'aside'; changes: readonly Change[] }
  | { kind: 'leaving' }
  | { kind: 'signedOut' };

export interface Channel {
  post(message: Message): void;
  listen(listener: (message: Message) => void): void;
  close(): void;
}

/** Web Locks, where there are some: only to notice at once that the leader went. */
export interface Locks {
  /** Resolves once the lock is held; it is held until `until` resolves. */
  hold(name: string, until: Promise<void>): Promise<void>;
}

/** The device as it is in a browser. */
export const browserWorld = (): World => ({
  now: () => Date.now(),
  random: () => Math.random(),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  isOnline: () => navigator.onLine,
  isVisible: () => document.visibilityState === 'visible',
});

/** Whether it has the shape of a message: another program of this origin, or another build, may say anything. */
function isMessage(data: unknown): data is Message {
  if (!isObject(data)) return false;
  const { kind, revision, rowRevision, writes, outbox, changes, fence, isReached } = data;
  if (kind === 'sync')
    return Number.isSafeInteger(fence) && (isReached === null || typeof isReached === 'boolean');
  if (kind === 'aside') return areChanges(changes);
  if (kind !== 'written') return kind === 'leaving' || kind === 'signedOut';
  return (
    Number.isSafeInteger(revision) &&
    Number.isSafeInteger(rowRevision) &&
    isObject(writes) &&
    (writes.notes === undefined || isObject(writes.notes)) &&
    (writes.rows === undefined ||
      (isObject(writes.rows) && areRows(writes.rows.put) && areRows(writes.rows.remove))) &&
    areChanges(outbox)
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const areChanges = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((change) => isObject(change) && isObject(change.fields) && typeof change.id === 'string');
const areRows = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((row) => isObject(row) && typeof row.kind === 'string' && typeof row.key === 'string');

/** The channel between the tabs of one user. */
export function browserChannel(userId: string): Channel {
  const channel = new BroadcastChannel(`errand-${userId}`);
  return {
    post: (message) => channel.postMessage(message),
    listen: (listener) =>
      channel.addEventListener('message', ({ data }) => {
        if (isMessage(data)) listener(data);
      }),
    close: () => channel.close(),
  };
}

/** Web Locks of this origin; null on plain http. */
export function browserLocks(): Locks | null {
  if (!('locks' in navigator)) return null;
  return {
    hold: (name, until) =>
      new Promise((resolve, reject) => {
        navigator.locks
          .request(name, () => {
            resolve();
            return until;
          })
          .catch(reject);
      }),
  };
}
