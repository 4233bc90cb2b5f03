import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { DAY } from '../../src/kernel/instants.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import { ownMs, watchLoop } from '../fuzz/loop.ts';
import { medianOf } from '../median.ts';
import { drill, type Site } from './drill.ts';
import { AT_NINE, AT_TEN, addSeries, openAt, START, tasksIn, waitingIn } from './due-series.ts';
import { wrongIn } from './wrong.ts';

const MAX_SLOWER = 3;
/** Of the processor time of a sweep, what one turn of the event loop may take. */
const MAX_PERCENT_OF_TURN = 20;
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
  let now = START;
  const [empty, opened] = [
    await openAt(join(site.folder, 'empty'), () => now),
    await openAt(join(site.folder, 'measured'), () => now),
  ];
  await addSeries(opened, due, series - due);
  for (const { deps } of [empty, opened]) await sweep(deps);
  const idle = { empty: [] as number[], full: [] as number[] };
  // By turns, so that both meet with what else the machine does.
  for (let i = 0; i < IDLE_SWEEPS; i += 1) {
    idle.empty.push((await measured(() => sweep(empty.deps))).ms);
    idle.full.push((await measured(() => sweep(opened.deps))).ms);
  }
  await empty.close();
  const [ofNone, ofAll] = [medianOf(idle.empty), medianOf(idle.full)];
  site.tell(
    `idle sweep, median: ${ofAll.toFixed(3)} ms of ${series} active series, ${ofNone.toFixed(3)} ms of none`,
  );
  site.bound('idle sweep, median, to one of no series', ofAll / ofNone, MAX_SLOWER, 'times');
  now = AT_NINE;
  const busy = await measured(() => sweep(opened.deps));
  site.tell(`${due} due: ${told(busy)}, ${((busy.ms * 1e3) / due).toFixed(0)} µs each`);
  const percent = (busy.longestMs / busy.cpuMs) * 100;
  site.bound('its longest turn of the event loop', percent, MAX_PERCENT_OF_TURN, '% of it');
  now = AT_TEN;
  site.tell(`${series - due} due: ${told(await measured(() => sweep(opened.deps)))}`);
  await opened.close();
}

const loop = await watchLoop();

const told = ({ ms, cpuMs, longestMs }: Measured) =>
  `${ms.toFixed(0)} ms, ${cpuMs.toFixed(0)} of the processor, in turns of at most ${longestMs.toFixed(0)}`;

/** The time of one call by the clock, that of the processor, and how much of it the longest turn of the event loop took. */
interface Measured {
  ms: number;
  cpuMs: number;
  longestMs: number;
}

async function measured(work: () => Promise<void>): Promise<Measured> {
  let [ms, cpuMs] = [0, 0];
  await loop.measure('', async () => {
    const begun = performance.now();
    const used = process.threadCpuUsage();
    await work();
    ms = performance.now() - begun;
    const { user, system } = process.threadCpuUsage(used);
    cpuMs = (user + system) / 1e3;
  });
  return { ms, cpuMs, longestMs: Math.max(0, ...loop.holds().map(ownMs)) };
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
