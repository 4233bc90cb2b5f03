import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';

/** For how long at most one piece of work held the event loop. */
export interface Hold {
  during: string;
  /** By the clock, in milliseconds; on a busy machine others are in it. */
  ms: number;
  /** Of this thread alone, over the whole work. */
  cpuMs: number;
  /** Spent collecting garbage meanwhile. */
  gcMs: number;
}

/** Work shorter than this holds nobody for longer. */
const WORTH_A_LOOK_MS = 15;
/** Until the next samples are taken and collections told. */
const SAMPLED_MS = 5;
const MAX_COLLECTIONS = 100;

/** What is to be blamed on the work itself: neither other processes nor the collector. */
export const ownMs = ({ ms, cpuMs, gcMs }: Hold): number => Math.max(0, Math.min(ms, cpuMs) - gcMs);

/** Measures how long works hold the event loop, rather too much than too little; one work at a time. */
export async function watchLoop() {
  const holds: Hold[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const collections: PerformanceEntry[] = [];
  const collector = new PerformanceObserver((list) => {
    collections.push(...list.getEntries());
    collections.splice(0, Math.max(0, collections.length - MAX_COLLECTIONS));
  });
  delay.enable();
  collector.observe({ entryTypes: ['gc'] });
  await pause(SAMPLED_MS);
  return {
    async measure<T>(during: string, work: () => Promise<T>): Promise<T> {
      // What came before is sampled by itself.
      await turn();
      const begun = performance.now();
      const before = process.threadCpuUsage();
      const result = await work();
      const took = performance.now() - begun;
      if (took < WORTH_A_LOOK_MS) return result;
      const { user, system } = process.threadCpuUsage(before);
      await pause(SAMPLED_MS);
      // Since the last look all works were short: the greatest delay is of this one, or of who asks.
      const ms = Math.min(took, delay.max / 1e6);
      const gcMs = collections
        .filter(({ startTime }) => startTime >= begun && startTime <= begun + took)
        .reduce((sum, { duration }) => sum + duration, 0);
      holds.push({ during, ms, cpuMs: (user + system) / 1_000, gcMs });
      // A sample is the time since the one before: there must be one before the next work.
      delay.reset();
      await pause(SAMPLED_MS);
      return result;
    },
    /** What was worth a look since the last time. */
    holds: (): Hold[] => holds.splice(0),
    stop(): void {
      delay.disable();
      collector.disconnect();
    },
  };
}
