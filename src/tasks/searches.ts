import { dirname } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { tooManyRequests } from '../kernel/errors.ts';
import { startWorker } from '../kernel/thread.ts';
import type { Found, Search } from '../storage/task-query/search-matches.ts';

/** A slow statement holds up one of them only. */
const MAX_THREADS = 2;
/** Of one user, besides the one that is under way. */
const MAX_WAITING = 50;
const WAIT_MS = 1_000;

export interface ThreadData {
  path: string;
  /** Where the executable keeps its addons. */
  dataFolder: string;
}

export interface SearchRequest {
  id: number;
  search: Search;
}

export type SearchResponse = { id: number } & (
  | { found: Found }
  | { failure: { message: string; code: string | undefined } }
);

/** Finds tasks on threads, where a statement that takes long holds up no request. */
export interface Searches {
  /**
   * What is found in all that was committed before. Of each user one search is under way at a time, the others wait for
   * it; 429 for one too many.
   */
  find(userId: string, search: Search): Promise<Found>;
  /** To be awaited before the storage is closed. */
  stop(): Promise<void>;
}

interface Thread {
  worker: Worker;
  /** Until then it only keeps waiting who asks it. */
  isReady: boolean;
  pending: Map<number, PromiseWithResolvers<Found>>;
}

/** Over the database at `path`; a thread starts when it is first needed, and again after it failed. */
export function createSearches(path: string): Searches {
  const threads = new Set<Thread>();
  /** The searches of a user that wait; an entry for each user who has one under way. */
  const waiting = new Map<string, (() => void)[]>();
  let lastId = 0;

  const startThread = (): Thread => {
    const workerData: ThreadData = { path, dataFolder: dirname(path) };
    const worker = startWorker('search-thread', import.meta.url, { workerData });
    const thread: Thread = { worker, isReady: false, pending: new Map() };
    const lose = (reason: unknown) => {
      threads.delete(thread);
      for (const { reject } of thread.pending.values()) reject(reason);
      thread.pending.clear();
    };
    thread.worker
      .on('message', (response: SearchResponse | 'ready') => {
        if (response === 'ready') {
          thread.isReady = true;
          return;
        }
        const asked = thread.pending.get(response.id);
        thread.pending.delete(response.id);
        if ('found' in response) asked?.resolve(response.found);
        else
          asked?.reject(Object.assign(new Error(response.failure.message), { code: response.failure.code }));
      })
      .on('error', lose)
      .on('exit', () => lose(new Error('The thread of a search ended')));
    threads.add(thread);
    return thread;
  };

  const leastBusy = (): Thread => {
    const all = [...threads].sort((a, b) => a.pending.size - b.pending.size);
    const least = all.find(({ isReady }) => isReady) ?? all[0];
    if (least?.pending.size === 0) return least;
    const mayGrow = threads.size < MAX_THREADS && all.every(({ isReady }) => isReady);
    const fresh = mayGrow ? startThread() : undefined;
    return least ?? fresh ?? startThread();
  };

  const ask = (search: Search): Promise<Found> => {
    const thread = leastBusy();
    const asked = Promise.withResolvers<Found>();
    lastId += 1;
    thread.pending.set(lastId, asked);
    thread.worker.postMessage({ id: lastId, search } satisfies SearchRequest);
    return asked.promise;
  };

  return {
    find: async (userId, search) => {
      const queue = waiting.get(userId);
      if (!queue) waiting.set(userId, []);
      else if (queue.length < MAX_WAITING) await new Promise<void>((resolve) => queue.push(resolve));
      else throw tooManyRequests(WAIT_MS);
      try {
        return await ask(search);
      } finally {
        const next = waiting.get(userId)?.shift();
        if (next) next();
        else waiting.delete(userId);
      }
    },
    stop: async () => {
      const ended = [...threads].map(
        ({ worker }) => new Promise<void>((resolve) => worker.once('exit', () => resolve())),
      );
      for (const { worker } of threads) worker.postMessage('stop');
      await Promise.all(ended);
    },
  };
}
