import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** The value that so many of a sorted row are within: 0.99 for the 99th percentile. */
export const share = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/** Asks again and again while `work` is under way, `everyMs` apart; returns the milliseconds of each, ascending. */
export async function probed(
  work: () => Promise<unknown>,
  ask: () => Promise<unknown>,
  everyMs: number,
): Promise<number[]> {
  const delays: number[] = [];
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  const probing = async () => {
    while (!isDone) {
      const asked = performance.now();
      await ask();
      delays.push(performance.now() - asked);
      await wait(everyMs);
    }
  };
  await Promise.all([done, probing()]);
  return delays.sort((a, b) => a - b);
}

export const inWords = (sorted: readonly number[]): string => {
  const [p50, p99, worst] = [0.5, 0.99, 1].map((part) => share(sorted, part).toFixed(1));
  return `p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms of ${sorted.length}`;
};

/** Resident memory of a process in MiB. */
export function memoryOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}
