import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** The longest that a piece of work held the event loop. */
export interface Hold {
  during: string;
  /** By the clock, in milliseconds; on a busy machine others are in it. */
  ms: number;
  /** Of this thread alone. */
  cpuMs: number;
  /** Spent collecting garbage meanwhile. */
  gcMs: number;
}

/** Shorter holds are of no interest. */
const WORTH_A_LOOK_MS = 10;
/** Until collections of garbage are told. */
const TOLD_MS = 5;
const MAX_COLLECTIONS = 100;

/** What is to be blamed on the work itself: neither other processes nor the collector. */
export const ownMs = ({ ms, cpuMs, gcMs }: Hold): number => Math.max(0, Math.min(ms, cpuMs) - gcMs);

interface Turn {
  begun: number;
  ms: number;
  cpuMs: number;
}

/** Measures how long works hold the event loop: each turn of it by the processor time of this thread. */
export async function watchLoop() {
  const holds: Hold[] = [];
  const collections: PerformanceEntry[] = [];
  const collector = new PerformanceObserver((list) => {
    collections.push(...list.getEntries());
    collections.splice(0, Math.max(0, collections.length - MAX_COLLECTIONS));
  });
  collector.observe({ entryTypes: ['gc'] });
  await pause(TOLD_MS);
  return {
    /** One work at a time. */
    async measure<T>(during: string, work: () => Promise<T>): Promise<T> {
      // What came before is a turn of its own.
      await turn();
      const turns = countTurns();
      const result = await work();
      const long = turns.stop();
      if (long.length === 0) return result;
      await pause(TOLD_MS);
      const found = long.map(({ begun, ms, cpuMs }): Hold => {
        const within = collections.filter(({ startTime }) => startTime >= begun && startTime <= begun + ms);
        return { during, ms, cpuMs, gcMs: within.reduce((sum, { duration }) => sum + duration, 0) };
      });
      holds.push(...found.toSorted((a, b) => ownMs(b) - ownMs(a)).slice(0, 1));
      return result;
    },
    /** The longest turn of each work, where that was worth a look, since the last time. */
    holds: (): Hold[] => holds.splice(0),
    stop(): void {
      collector.disconnect();
    },
  };
}

/** From now on, all turns of the event loop that are worth a look. */
function countTurns() {
  const long: Turn[] = [];
  let begun = performance.now();
  let used = process.threadCpuUsage();
  const end = () => {
    const now = performance.now();
    if (now - begun >= WORTH_A_LOOK_MS) {
      const { user, system } = process.threadCpuUsage(used);
      long.push({ begun, ms: now - begun, cpuMs: (user + system) / 1_000 });
    }
    begun = now;
    used = process.threadCpuUsage();
  };
  // One that nobody waits for comes once a turn and makes none by itself.
  const next = () => {
    end();
    immediate = setImmediate(next).unref();
  };
  let immediate = setImmediate(next).unref();
  return {
    stop(): Turn[] {
      clearImmediate(immediate);
      end();
      return long;
    },
  };
}
