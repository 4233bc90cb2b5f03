/**
 * `npm run load`: how much longer healthy clients wait while others load the server. One client asks for a page of 50
 * of 100,000 tasks at a steady rate, in turns alone and under each load. Exit code 1 when the 99th percentile under a
 * load is more than twice that of the quiet phases before and after it, or the server did not reject what it should.
 * On a virtual machine, a phase in which its host took the processors away says nothing, and is measured again.
 */
import { rmSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { copyData, dataOf, EMAIL, PASSWORD } from '../bench/data.ts';
import { bytesOf, load } from '../bench/load.ts';
import { type Server, signIn, startErrand } from '../bench/servers.ts';
import { comparisons } from '../bench/starting.ts';
import { medianOf } from '../median.ts';
import { type Apart, apart, canBeElsewhere } from './apart.ts';
import type { BackedUp, Backups } from './backups.ts';
import type { Exported, Exports } from './exports.ts';
import { addPeople, type Person } from './people.ts';
import type { SignedIn, SignIns } from './sign-ins.ts';
import type { Held, Sockets } from './sockets.ts';
import { withStolen } from './stolen.ts';
import { SILENT_MS, STREAMS_OF_USER, type Streamed, type Streams } from './streams-options.ts';

const ONE_BY_ONE = 'sign-ins,guesses,sockets,export,backup,streams,streams-shared';
const TOGETHER = 'export+backup,sign-ins+sockets,sign-ins+sockets+export+backup';

const HELP = `npm run load -- [options]
  --only ${ONE_BY_ONE},${TOGETHER}
  --rounds 5             of each load, between two quiet phases
  --seconds 8            of one phase
  --tasks 100000
  --executable <file>    the built executable, in place of the sources
  --folder ${join(tmpdir(), 'errand-bench')}    where the data is made and kept
  --profiles <folder>    write processor profiles of the server`;

const { values: given } = parseArgs({
  options: {
    only: { type: 'string', default: `${ONE_BY_ONE},${TOGETHER}` },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '8' },
    tasks: { type: 'string', default: '100000' },
    executable: { type: 'string' },
    folder: { type: 'string', default: join(tmpdir(), 'errand-bench') },
    profiles: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const executable = given.executable && resolve(given.executable);

const MAX = 2;
const ASKED_EVERY_MS = 10;
const FLOOD = 10;
const SOCKETS = 5_000;
const STREAMS = 1_000;
const SETTLE_MS = 1_000;
/** Of the processors' time. */
const MAX_STOLEN = 0.01;
const MAX_MEASURED = 10;
const CAPACITY_SECONDS = 3;
const ELSEWHERE = { elsewhere: true };

interface Stage {
  server: Server;
  folder: string;
  /** Those with streams of events. */
  people: Person[];
}

/** A load: how it begins, and what is to be said of it when it has ended. */
type Load = (stage: Stage) => Promise<Apart<string>>;

const LOADS: Record<string, Load> = {
  // Each one let in is a commit, and readers wait as long as the disk takes.
  'sign-ins': (stage) => signIns(stage, PASSWORD),
  guesses: (stage) => signIns(stage, `not ${PASSWORD}`),
  sockets,
  export: exports,
  backup: backups,
  streams: (stage) => streams(stage, { writesPerSecond: 50, isShared: false }),
  'streams-shared': (stage) => streams(stage, { writesPerSecond: 5, isShared: true }),
};

/** Several at once: `export+backup`. */
function loadOf(names: string): Load {
  const loads = names.split('+').map((name) => {
    const begin = LOADS[name];
    if (!begin) throw new Error(`There is no load ${name}`);
    return begin;
  });
  return async (stage) => {
    const parts: Apart<string>[] = [];
    for (const begin of loads) parts.push(await begin(stage));
    return { stop: async () => (await Promise.all(parts.map((part) => part.stop()))).join('; ') };
  };
}

async function main(): Promise<boolean> {
  const asked = given.only.split(',').map((names) => ({ names, begin: loadOf(names) }));
  const data = await dataOf(Number(given.tasks), given.folder, false);
  const folder = join(given.folder, `load-${process.pid}`);
  console.log(
    `${given.tasks} tasks, ${availableParallelism()} cores, ${given.rounds} rounds of ${given.seconds} s, load ${loads()}`,
  );
  if (!canBeElsewhere)
    console.log('Without chrt, the clients that load the server also hold up the one that measures');
  let isKept = true;
  try {
    for (const { names, begin } of asked) {
      copyData(data, folder, 'errand');
      const people = names.includes('streams') ? await addPeople(folder, STREAMS / STREAMS_OF_USER) : [];
      const server = await startErrand(folder, { isSeeded: true, profiles: given.profiles, executable });
      const path = `/api/workspaces/${data.facts.workspaceId}/tasks?limit=50`;
      try {
        isKept = (await compare(names, begin, { server, folder, people }, path)) && isKept;
      } finally {
        await server.stop();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`load at the end ${loads()}`);
  return isKept;
}

/** Quiet phases and phases under the load, in turns. */
async function compare(name: string, begin: Load, stage: Stage, path: string): Promise<boolean> {
  const quiet: Phase[] = [];
  const loaded: Phase[] = [];
  await phase(stage.server, path);
  const before = stage.server.megabytes() ?? Number.NaN;
  let most = before;
  quiet.push(await phase(stage.server, path));
  for (let round = 0; round < Number(given.rounds); round += 1) {
    const under = await begin(stage);
    await wait(SETTLE_MS);
    loaded.push(await phase(stage.server, path));
    most = Math.max(most, stage.server.megabytes() ?? Number.NaN);
    console.log(`  ${await under.stop()}`);
    await wait(SETTLE_MS);
    quiet.push(await phase(stage.server, path));
  }
  const ratios = loaded.map(
    ({ p99 }, round) =>
      p99 / (((quiet[round]?.p99 ?? Number.NaN) + (quiet[round + 1]?.p99 ?? Number.NaN)) / 2),
  );
  const ratio = medianOf(ratios);
  const verdict = ratio <= MAX ? 'kept  ' : 'MISSED';
  console.log(
    `${verdict} ${name}: p99 ${ratio.toFixed(2)} times the quiet one (${ratios.map((each) => each.toFixed(2)).join(', ')})`,
    `\n       quiet p50 ${ofMiddle(quiet, 'median')} ms, p99 ${ofMiddle(quiet, 'p99')} ms; under load p50 ${ofMiddle(loaded, 'median')} ms, p99 ${ofMiddle(loaded, 'p99')} ms`,
    `\n       memory ${Math.round(before)} MB, at most ${Math.round(most)} MB under load`,
  );
  return ratio <= MAX;
}

interface Phase {
  median: number;
  p99: number;
}

/** A healthy client's waiting, milliseconds; measured again where the host took the processors away. */
async function phase({ port, token }: Server, path: string): Promise<Phase> {
  const request = bytesOf({ method: 'GET', path }, token);
  const asking = () =>
    load({
      port,
      connections: 1,
      seconds: Number(given.seconds),
      atMost: Number.POSITIVE_INFINITY,
      status: 200,
      next: () => request,
      everyMs: ASKED_EVERY_MS,
    });
  for (let times = 1; ; times += 1) {
    const [measured, stolen] = await withStolen(asking);
    const isFair = stolen <= MAX_STOLEN;
    if (!isFair) console.log(`  the host took ${(stolen * 100).toFixed(1)} % of the processors away`);
    if (isFair || times === MAX_MEASURED) return measured;
  }
}

/** Ten times as many sign-ins as there can be. */
async function signIns({ server: { port } }: Stage, password: string): Promise<Apart<string>> {
  capacity ??= await comparisons(CAPACITY_SECONDS, availableParallelism());
  const perSecond = FLOOD * capacity;
  const options = { port, perSecond, email: EMAIL, password };
  return saying(await apart<SignIns, SignedIn>('sign-ins.ts', options, ELSEWHERE), (told) => {
    const { statuses, compared, rejected, mostAtOnce } = told;
    const unexpected = Object.keys(statuses).filter((status) => !['200', '401', '429'].includes(status));
    if (unexpected.length > 0 || rejected.length === 0) process.exitCode = 1;
    return `${perSecond.toFixed(0)} a second: ${JSON.stringify(statuses)}, compared after ${medianOf(compared).toFixed(0)} ms, rejected after ${medianOf(rejected).toFixed(1)} ms, ${mostAtOnce} at once`;
  });
}

/** Passwords compared a second, with nothing else to do for the machine. */
let capacity: number | undefined;

async function sockets({ server: { port } }: Stage): Promise<Apart<string>> {
  const held = await apart<Sockets, Held>('sockets.ts', { port, count: SOCKETS }, ELSEWHERE);
  return saying(held, ({ open, closed }) => `${open} open on average, ${closed} closed by the server`);
}

async function exports({ server: { port, token } }: Stage): Promise<Apart<string>> {
  const exporting = await apart<Exports, Exported>('exports.ts', { port, token }, ELSEWHERE);
  return saying(exporting, ({ bytes }) => `${Math.round(bytes / 1e6)} MB exported`);
}

async function backups({ folder }: Stage): Promise<Apart<string>> {
  const backing = await apart<Backups, BackedUp>('backups.ts', { folder, executable }, { elsewhere: false });
  return saying(backing, ({ backups }) => `${backups} backups finished, one under way`);
}

/** Streams of many people, and what one of them takes while it is silent. */
async function streams(
  { server, people }: Stage,
  { writesPerSecond, isShared }: Pick<Streams, 'writesPerSecond' | 'isShared'>,
): Promise<Apart<string>> {
  const readers: Streams['readers'] = [];
  for (const { email, ...place } of people)
    readers.push({ ...place, token: await signIn(server.port, email) });
  await wait(SETTLE_MS);
  const before = server.megabytes() ?? Number.NaN;
  const options = { port: server.port, readers, writesPerSecond, isShared };
  const held = await apart<Streams, Streamed>('streams.ts', options, ELSEWHERE);
  await wait(SILENT_MS - SETTLE_MS);
  const each = (((server.megabytes() ?? Number.NaN) - before) * 1_024) / STREAMS;
  await wait(SETTLE_MS);
  return saying(held, ({ open, writes, failed, events, delays }) => {
    if (open < STREAMS || failed > 0) process.exitCode = 1;
    const late = delays.toSorted((a, b) => a - b)[Math.floor(delays.length * 0.99)] ?? Number.NaN;
    return `${open} streams, ${each.toFixed(1)} kB each; ${writes} writes, ${failed} failed, ${events} events, told after ${medianOf(delays).toFixed(1)} ms, p99 ${late.toFixed(1)} ms`;
  });
}

const saying = <Told>(part: Apart<Told>, say: (told: Told) => string): Apart<string> => ({
  stop: async () => say(await part.stop()),
});

const ofMiddle = (phases: Phase[], figure: keyof Phase): string =>
  medianOf(phases.map((each) => each[figure])).toFixed(2);

const loads = (): string =>
  loadavg()
    .map((each) => each.toFixed(1))
    .join(' ');

if (given.help) console.log(HELP);
else if (!(await main())) process.exitCode = 1;
