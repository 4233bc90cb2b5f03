import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY } from '../../src/kernel/instants.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import { drill, type Site } from './drill.ts';
import { AT_NINE, AT_TEN, addSeries, openAt, START, tasksIn, waitingIn } from './due-series.ts';
import { share } from './latency.ts';
import { wrongIn } from './wrong.ts';

const MAX_IDLE_MS = 5;
const MAX_BLOCKED_MS = 50;
const LONGEST_SWEEP_MS = 400;
const IDLE_SWEEPS = 100;

/** Every occurrence is made once, wherever a sweep is killed, and nobody waits long for one. */
export const sweeping = drill({
  about: 'what a sweep of recurring tasks costs, and what a kill in its midst leaves',
  counts: { series: 20_000, due: 1_000, kills: 5 },
  run: async (site, { series, due, kills }) => {
    await measure(site, series, due);
    await killSweeps(site, due, kills);
  },
});

async function measure(site: Site, series: number, due: number): Promise<void> {
  const folder = join(site.folder, 'measured');
  let now = START;
  const opened = await openAt(folder, () => now);
  await addSeries(opened, due, series - due);
  await sweep(opened.deps);
  const idle: number[] = [];
  for (let i = 0; i < IDLE_SWEEPS; i += 1) idle.push((await measured(() => sweep(opened.deps))).ms);
  idle.sort((a, b) => a - b);
  site.tell(`${series} active series; idle sweep, median: ${share(idle, 0.5).toFixed(3)} ms`);
  site.bound(`idle sweep, slowest of ${IDLE_SWEEPS}`, share(idle, 1), MAX_IDLE_MS, 'ms');
  now = AT_NINE;
  const busy = await measured(() => sweep(opened.deps));
  site.tell(`${due} due: ${busy.ms.toFixed(0)} ms, ${((busy.ms * 1e3) / due).toFixed(0)} µs each`);
  site.bound('event loop held up by it', busy.blocked, MAX_BLOCKED_MS, 'ms');
  now = AT_TEN;
  const all = await measured(() => sweep(opened.deps));
  site.tell(
    `${series - due} due: ${(all.ms / 1e3).toFixed(1)} s, event loop held up for ${all.blocked.toFixed(0)} ms at most`,
  );
  await opened.close();
}

/** The time of one call, and for how long the event loop was held up at most while it ran. */
async function measured(work: () => Promise<void>): Promise<{ ms: number; blocked: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await wait(20);
  delay.enable();
  const begin = performance.now();
  await work();
  const ms = performance.now() - begin;
  delay.disable();
  return { ms, blocked: delay.max / 1e6 };
}

async function killSweeps(site: Site, due: number, kills: number): Promise<void> {
  const folder = join(site.folder, 'killed');
  mkdirSync(folder);
  let now = START;
  const opened = await openAt(folder, () => now);
  await addSeries(opened, due, 0);
  await opened.close();
  for (let round = 1; round <= kills; round += 1) {
    now = AT_NINE + (round - 1) * DAY;
    await killSweep(folder, now);
    const left = waitingIn(folder, now);
    site.count(left > 0 && left < due ? 'kill in the midst of a sweep' : 'kill beside a sweep');
    for (const wrong of wrongIn(folder)) site.lose(`after kill ${round}: ${wrong}`);
    const again = await openAt(folder, () => now);
    await sweep(again.deps);
    await again.close();
    const when = `after the sweep that followed kill ${round}`;
    for (const wrong of wrongIn(folder)) site.lose(`${when}: ${wrong}`);
    if (waitingIn(folder, now) > 0) site.lose(`${when}: ${waitingIn(folder, now)} series wait`);
    const tasks = tasksIn(folder);
    if (tasks !== due * (round + 1)) site.lose(`${when}: ${tasks} tasks, not ${due * (round + 1)}`);
  }
}

async function killSweep(folder: string, now: number): Promise<void> {
  const child = fork(join(import.meta.dirname, 'ticking.ts'), [join(folder, 'errand.db')]);
  await once(child, 'message');
  child.send(now);
  await wait(Math.random() * LONGEST_SWEEP_MS);
  child.kill('SIGKILL');
  await once(child, 'exit');
}
