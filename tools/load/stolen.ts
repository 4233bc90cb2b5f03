import { readFileSync } from 'node:fs';

const CPU_LINE = /^cpu +(.+)$/m;
/** Among user, nice, system, idle, iowait, irq, softirq and steal (proc_stat(5)). */
const STEAL = 7;

interface Ticks {
  stolen: number;
  all: number;
}

/** Does something; tells also what share of the processors' time the host of this machine gave to others meanwhile. */
export async function withStolen<Result>(act: () => Promise<Result>): Promise<[Result, number]> {
  const before = ticks();
  const result = await act();
  const after = ticks();
  return [result, before && after ? (after.stolen - before.stolen) / (after.all - before.all) : 0];
}

/** Since the machine was started; only Linux counts them. */
function ticks(): Ticks | undefined {
  if (process.platform !== 'linux') return undefined;
  const counts = CPU_LINE.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? [];
  // Those of guests, behind them, are among user and nice already.
  const all = counts.slice(0, STEAL + 1).reduce((sum, n) => sum + n, 0);
  return { stolen: counts[STEAL] ?? 0, all };
}
