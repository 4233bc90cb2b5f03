import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as turn } from 'node:timers/promises';

/** For how long at most one piece of work held the event loop. */
export interface Hold {
  during: string;
  /** By the clock, in milliseconds; on a busy machine others are in it. */
  ms: number;
  /** Of this thread alone. */
  cpuMs: number;
  /** Spent collecting garbage. */
  gcMs: number;
}

/** Work shorter than this holds nobody for longer. */
const WORTH_A_LOOK_MS = 15;

/** What is to be blamed on the work itself: neither other processes nor the collector. */
export const ownMs = ({ ms, cpuMs, gcMs }: Hold): number => Math.max(0, Math.min(ms, cpuMs) - gcMs);

/** Measures how long works hold the event loop; one work at a time. */
export function watchLoop() {
  const holds: Hold[] = [];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let collected = 0;
  const collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) collected += duration;
  });
  delay.enable();
  collections.observe({ entryTypes: ['gc'] });
  return {
    async measure<T>(during: string, work: () => Promise<T>): Promise<T> {
      delay.reset();
      collected = 0;
      const begun = performance.now();
      const before = process.threadCpuUsage();
      const result = await work();
      const took = performance.now() - begun;
      if (took < WORTH_A_LOOK_MS) return result;
      const { user, system } = process.threadCpuUsage(before);
      // The delay is noticed, and the collections are told, in the next turns.
      await turn();
      await turn();
      holds.push({
        during,
        ms: Math.min(took, delay.max / 1e6),
        cpuMs: (user + system) / 1_000,
        gcMs: collected,
      });
      return result;
    },
    /** What was worth a look since the last time. */
    holds: (): Hold[] => holds.splice(0),
    stop(): void {
      delay.disable();
      collections.disconnect();
    },
  };
}
