import { realpathSync } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import { startWorker } from '../kernel/thread.ts';
import type { Storage } from './open.ts';

/** What the thread finds in its shared cell. */
export const [IDLE, ASKED, STOP] = [0, 1, 2];

/** So many syncs decide where the next ones are made. */
const WINDOW = 64;
/** From here on a sync is made beside the event loop, and from half of it in the commit again: below, handing over costs more. */
const LEAST_MS = 2;
/**
 * So far apart, on average, writes do not wait for each other: beside the loop a stall of the disk holds up no reader. By
 * commits, many clients at once would count as seldom too: each commit is for all of them.
 */
const SELDOM_MS = 10;

export interface ThreadData {
  /** Of the WAL. */
  path: string;
  /** One cell. */
  state: Int32Array<SharedArrayBuffer>;
}

/** Brings commits to the disk. */
export interface WalSync {
  /**
   * To be called after each commit that wrote, with how long it waited for the disk and how many writes share it. Returns
   * undefined when the commit is on the disk; else a promise of that, to be awaited before anyone hears of the commit and
   * before the next one.
   */
  onCommit(milliseconds: number, writes: number): Promise<void> | undefined;
  /** To be awaited before the storage is closed. */
  stop(): Promise<void>;
}

/**
 * Takes the syncs of `storage.writing` off the event loop, with `auto` where the disk is slow or writes are seldom, to a
 * thread that has its own descriptor of the WAL. A thread that cannot start goes to `onFallback`: syncs stay in the
 * commit. A sync that fails goes to `onFailure`, and its promise stays pending: what is on the disk is unknown then, and
 * no further commit may follow.
 */
export function createWalSync(
  { path, writing }: Storage,
  setting: 'auto' | 'beside',
  { onFallback, onFailure }: Record<'onFallback' | 'onFailure', (reason: unknown) => void>,
  now: () => number = () => performance.now(),
): WalSync {
  const state = new Int32Array(new SharedArrayBuffer(4));
  const took: number[] = [];
  let tookSince = now();
  let writesSince = 0;
  let thread: Worker | undefined;
  let isReady = false;
  let hasFailed = false;
  let isWanted = setting === 'beside';
  let isBeside = false;
  let syncing: PromiseWithResolvers<void> | undefined;

  const start = () => {
    try {
      // The WAL is there once something was read.
      writing.prepare('select 1 from sqlite_schema').get();
      const workerData: ThreadData = { path: `${realpathSync(path)}-wal`, state };
      thread = startWorker('sync-thread', import.meta.url, { workerData })
        .on('message', onTold)
        .on('error', onError);
    } catch (reason) {
      onError(reason);
    }
  };

  const onTold = (told: 'ready' | number) => {
    if (told === 'ready') {
      isReady = true;
      return;
    }
    note(told);
    const synced = syncing;
    syncing = undefined;
    synced?.resolve();
  };

  const onError = (reason: unknown) => {
    hasFailed = true;
    if (isReady) onFailure(reason);
    else onFallback(reason);
  };

  const note = (milliseconds: number) => {
    if (setting === 'beside' || took.push(milliseconds) < WINDOW) return;
    const isSeldom = now() - tookSince > writesSince * SELDOM_MS;
    isWanted = paysBeside(took.splice(0), isBeside) || isSeldom;
    tookSince = now();
    writesSince = 0;
  };

  const tell = (word: number) => {
    Atomics.store(state, 0, word);
    Atomics.notify(state, 0);
  };

  const sync = () => {
    syncing = Promise.withResolvers();
    tell(ASKED);
    return syncing.promise;
  };

  if (isWanted) start();
  return {
    onCommit: (milliseconds, writes) => {
      writesSince += writes;
      const wasBeside = isBeside;
      if (!wasBeside) note(milliseconds);
      if (isWanted && !thread && !hasFailed) start();
      isBeside = isWanted && isReady && !hasFailed;
      if (isBeside !== wasBeside) writing.pragma(`synchronous = ${isBeside ? 'normal' : 'full'}`);
      return wasBeside ? sync() : undefined;
    },
    stop: async () => {
      if (!thread || hasFailed) return;
      const ended = new Promise((resolve) => thread?.once('exit', resolve));
      tell(STOP);
      await ended;
      thread = undefined;
    },
  };
}

/** Whether syncs that took so long are better made beside the event loop; `isBeside`: they were. */
export const paysBeside = (took: readonly number[], isBeside: boolean): boolean =>
  (took.toSorted((a, b) => a - b)[took.length >> 1] ?? 0) >= (isBeside ? LEAST_MS / 2 : LEAST_MS);
