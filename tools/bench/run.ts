/**
 * `npm run bench`: Errand beside a floor written by hand, on the same data, in turns. Prints how much of the floor's
 * speed Errand has, and how its requests grow with the number of tasks. `--help` tells the options.
 */
import { rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { seeded } from '../../test/seeded-random.ts';
import { medianOf } from '../median.ts';
import { copyData, type Data, dataOf } from './data.ts';
import { bytesOf, type Load, load } from './load.ts';
import { compareResponses, type Measured, measured } from './requests.ts';
import { type Server, startErrand, startFloor } from './servers.ts';
import { measureSignIns, measureStart } from './starting.ts';

/** Tasks made before a server is measured: once it has a fresh copy, and at each turn. */
const MADE_WHEN_FRESH = 5_000;
const MADE_TO_WARM = 500;
const CREATED = 2_000;
/** Turns of creating in a round: they are short, so that those compared ran on the machine as it was just then. */
const TURNS_OF_CREATING = 4;
/** Tasks of the data on which servers that commit each request are measured too. */
const COMMITS_EACH_AT = 100_000;

const HELP = `npm run bench -- [options]
  --beside <folder>          a checkout of another state, with its dependencies installed, measured in the same turns
  --labels 5                 of 500, on each task
  --sizes 10000,100000       tasks in the workspace; 1000000 takes some minutes to make, once
  --only page,read,mine,groups,search,deep,label,create,signin,start
  --rounds 7                 every server has its turn in each, in random order
  --seconds 2                of one measurement; creating takes what ${TURNS_OF_CREATING} × ${CREATED.toLocaleString('en')} tasks take
  --lean                     a floor with the indexes of the measured requests only
  --folder ${join(tmpdir(), 'errand-bench')}    where the data is made and kept
  --profiles <folder>        write processor profiles of the servers`;

const { values: given } = parseArgs({
  options: {
    beside: { type: 'string' },
    labels: { type: 'string', default: '0' },
    sizes: { type: 'string', default: '10000,100000' },
    only: { type: 'string', default: 'page,read,mine,groups,search,deep,create,signin,start' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    lean: { type: 'boolean', default: false },
    folder: { type: 'string', default: join(tmpdir(), 'errand-bench') },
    profiles: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const sizes = given.sizes.split(',').map(Number);
const only = given.only.split(',');
const labels = Number(given.labels);
const asked = measured.filter(({ name }) => only.includes(name) || (name === 'label' && labels > 0));
const rounds = Number(given.rounds);
const seconds = Number(given.seconds);
const roll = seeded(Date.now());

type Kind = 'errand' | 'errand, beside' | 'floor' | 'errand, commit each' | 'floor, commit each';
const COMMITS_EACH: readonly Kind[] = ['errand, commit each', 'floor, commit each'];

/** One server on its own copy of the data, with what was measured of it for each kind of request. */
interface Contender {
  kind: Kind;
  size: number;
  data: Data;
  folder: string;
  server: Server;
  /** Tasks made since its copy was fresh. */
  made: number;
}

interface Sample {
  perSecond: number;
  /** Processor time of the server, microseconds a request. */
  processor: number | undefined;
  median: number;
  p99: number;
}

async function main(): Promise<void> {
  const { node } = process.versions;
  const [{ model = 'unknown processor' } = {}, ...others] = cpus();
  console.log(
    `${others.length + 1} × ${model}, Node ${node}, ${rounds} rounds of ${seconds} s, load ${loads()}`,
  );
  const contenders: Contender[] = [];
  try {
    for (const size of sizes) {
      const data = await dataOf(size, given.folder, given.lean, labels);
      const kinds: Kind[] =
        only.includes('create') && size === COMMITS_EACH_AT
          ? ['errand', 'floor', ...COMMITS_EACH]
          : ['errand', 'floor'];
      for (const kind of kinds) contenders.push(await contender(kind, size, data));
      await compare(contenders.slice(-kinds.length));
      if (given.beside !== undefined)
        contenders.push(await contender('errand, beside', size, await dataBeside(given.beside, size)));
    }
    const measurements = asked.map((request) => ({ request, samples: samplesFor(request, contenders) }));
    for (let round = 0; round < rounds; round += 1) {
      // Of two processes that do the same one may be faster by 6 % all its life.
      for (const contender of contenders) if (round > 0) await refresh(contender);
      for (const { request, samples } of measurements) await measure(request, samples);
    }
    for (const { request, samples } of measurements) report(request, samples);
  } finally {
    for (const { server, folder } of contenders) {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
  const [smallest] = contenders;
  if (only.includes('signin') && smallest)
    await measureSignIns(smallest.data, given.folder, { rounds, seconds });
  if (only.includes('start')) await measureStart(given.folder, rounds);
  console.log(`\nload at the end ${loads()}`);
}

/** Data as the other state makes it: its schema is another one. */
async function dataBeside(folder: string, size: number): Promise<Data> {
  const its: typeof import('./data.ts') = await import(join(resolve(folder), 'tools/bench/data.ts'));
  return its.dataOf(size, join(given.folder, 'beside'), given.lean, labels);
}

async function contender(kind: Kind, size: number, data: Data): Promise<Contender> {
  const folder = join(given.folder, `${kind.replace(/\W+/g, '-')}-${size}`);
  copyData(data, folder, kind);
  return { kind, size, data, folder, server: await startServer(kind, folder), made: 0 };
}

const startServer = (kind: Kind, folder: string): Promise<Server> =>
  isErrand(kind)
    ? startErrand(folder, {
        isSeeded: true,
        profiles: given.profiles,
        commitsEach: COMMITS_EACH.includes(kind),
        beside: kind === 'errand, beside' ? given.beside : undefined,
      })
    : startFloor(folder, COMMITS_EACH.includes(kind) ? 'each' : 'group', given.profiles);

const isErrand = (kind: Kind): boolean => kind.startsWith('errand');

async function compare([errand, floor]: Contender[]): Promise<void> {
  if (!errand || !floor) return;
  await compareResponses(asked, errand.data.facts, errand.server, floor.server);
  await refresh(errand);
  await refresh(floor);
}

/** A fresh copy of the data under a fresh server. */
async function refresh(contender: Contender): Promise<void> {
  await contender.server.stop();
  copyData(contender.data, contender.folder, contender.kind);
  contender.server = await startServer(contender.kind, contender.folder);
  contender.made = 0;
}

function samplesFor(request: Measured, contenders: Contender[]): Map<Contender, Sample[]> {
  const compared = contenders.filter(
    ({ kind }) =>
      (request.isWrite || !COMMITS_EACH.includes(kind)) && (isErrand(kind) || !request.isErrandOnly),
  );
  return new Map(compared.map((contender) => [contender, []]));
}

async function measure(request: Measured, samples: Map<Contender, Sample[]>): Promise<void> {
  const turns = request.isWrite ? TURNS_OF_CREATING : 1;
  for (let turn = 0; turn < turns; turn += 1) {
    const inTurn = [...samples.keys()]
      .map((contender) => ({ contender, order: roll() }))
      .sort((a, b) => a.order - b.order);
    for (const { contender } of inTurn) samples.get(contender)?.push(await sample(request, contender));
  }
}

async function sample(request: Measured, contender: Contender): Promise<Sample> {
  // Creating must not turn a small file into a large one.
  if (request.isWrite && contender.made > contender.size / 2) await refresh(contender);
  const { server, data } = contender;
  const next = request.requests(data.facts);
  const run = (forSeconds: number, atMost: number) =>
    load({
      port: server.port,
      connections: request.connections,
      seconds: forSeconds,
      atMost,
      status: request.isWrite ? 201 : 200,
      next: () => bytesOf(next(), server.token),
    });
  const create = (tasks: number) => {
    contender.made += tasks;
    return run(Number.POSITIVE_INFINITY, tasks);
  };
  if (request.isWrite) await create(contender.made === 0 ? MADE_WHEN_FRESH : MADE_TO_WARM);
  else await run(seconds / 2, Number.POSITIVE_INFINITY);
  const before = server.processorSeconds();
  const measured = request.isWrite ? await create(CREATED) : await run(seconds, Number.POSITIVE_INFINITY);
  return sampleOf(measured, before, server.processorSeconds());
}

const sampleOf = (
  { served, seconds, median, p99 }: Load,
  before: number | undefined,
  after: number | undefined,
): Sample => ({
  perSecond: served / seconds,
  processor: before === undefined || after === undefined ? undefined : ((after - before) / served) * 1e6,
  median,
  p99,
});

function report(request: Measured, samples: Map<Contender, Sample[]>): void {
  console.log(`\n${request.name}: ${request.describe}, ${request.connections} connections`);
  const rows = Array.from(samples, ([{ kind, size }, taken]) => {
    const floor = samplesOf(samples, 'floor', size);
    const beside = samplesOf(samples, 'errand, beside', size);
    const smallest = samplesOf(samples, kind, sizes[0] ?? size);
    return {
      tasks: size,
      server: kind,
      'per second': Math.round(medianOf(taken.map(({ perSecond }) => perSecond))),
      'of the floor': ratio(taken, floor, 'perSecond'),
      ...(beside.length > 0 && { 'of beside': ratio(taken, beside, 'perSecond') }),
      growth: ratio(smallest, taken, 'perSecond'),
      'CPU µs': round(medianOf(taken.map(({ processor }) => processor ?? Number.NaN)), 0),
      'of the floor, CPU': ratio(floor, taken, 'processor'),
      'growth, CPU': ratio(taken, smallest, 'processor'),
      'p50 ms': round(medianOf(taken.map(({ median }) => median)), 2),
      'p99 ms': round(medianOf(taken.map(({ p99 }) => p99)), 1),
    };
  });
  console.table(rows);
  for (const line of verdicts(request, samples)) console.log(line);
}

const samplesOf = (samples: Map<Contender, Sample[]>, kind: Kind, size: number): Sample[] =>
  Array.from(samples).find(([contender]) => contender.kind === kind && contender.size === size)?.[1] ?? [];

/** What is promised of this request, and whether it was kept in this run. */
function verdicts(request: Measured, samples: Map<Contender, Sample[]>): string[] {
  const lines: string[] = [];
  const judge = (what: string, value: number | undefined, isKept: (value: number) => boolean) => {
    if (value !== undefined) lines.push(`  ${isKept(value) ? 'kept  ' : 'MISSED'} ${what}: ${value}`);
  };
  const errand = samplesOf(samples, 'errand', 100_000);
  const { ofFloor } = request;
  if (ofFloor !== undefined) {
    judge(
      `at least ${ofFloor} of the floor at 100,000 tasks`,
      ratio(errand, samplesOf(samples, 'floor', 100_000), 'perSecond'),
      (value) => value >= ofFloor,
    );
  }
  if (request.isWrite) {
    for (const kind of COMMITS_EACH)
      judge(
        `at least 3 times the ${kind}, at 100,000 tasks`,
        ratio(errand, samplesOf(samples, kind, COMMITS_EACH_AT), 'perSecond'),
        (value) => value >= 3,
      );
  }
  if (request.grows) {
    for (const [size, atMost] of [
      [100_000, 1.3],
      [1_000_000, 1.5],
    ] as const) {
      judge(
        `at most ${atMost} times from 10,000 to ${size.toLocaleString('en')} tasks`,
        ratio(samplesOf(samples, 'errand', 10_000), samplesOf(samples, 'errand', size), 'perSecond'),
        (value) => value <= atMost,
      );
    }
  }
  return lines;
}

/** The median over the turns of one server's figure divided by another's: what slows the machine slows both. */
function ratio(some: Sample[], others: Sample[], figure: 'perSecond' | 'processor'): number | undefined {
  const quotients = some.flatMap((sample, turn) => {
    const [dividend, divisor] = [sample[figure], others[turn]?.[figure]];
    return dividend === undefined || divisor === undefined ? [] : [dividend / divisor];
  });
  return quotients.length === 0 ? undefined : round(medianOf(quotients), 2);
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

const loads = (): string =>
  loadavg()
    .map((load) => load.toFixed(1))
    .join(' ');

if (given.help) console.log(HELP);
else await main();
