/**
 * Makes faults on purpose, and holds the real server to what it had acknowledged:
 *   npm run faults [-- --only kill,disk --cycles 1000 …]     --help names the drills and their counts
 * A count goes to each drill that has one of that name. Needs Linux; some need root and strace. Exit code 1 when
 * anything acknowledged was lost, or anything is not as it must be.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backup } from './backup.ts';
import { damage } from './damage.ts';
import { descriptors } from './descriptors.ts';
import { disk } from './disk.ts';
import { type Drill, openBook } from './drill.ts';
import { exporting } from './export.ts';
import { kill } from './kill.ts';
import { mailing } from './mail.ts';
import { migrating } from './migrate.ts';
import { power } from './power.ts';
import { sockets } from './sockets.ts';
import { space } from './space.ts';
import { stopping } from './stop.ts';
import { sweeping } from './sweep.ts';
import { syncing } from './sync.ts';

const DRILLS: Record<string, Drill> = {
  kill,
  disk,
  sync: syncing,
  power,
  space,
  damage,
  migrate: migrating,
  mail: mailing,
  sockets,
  descriptors,
  stop: stopping,
  backup,
  export: exporting,
  sweep: sweeping,
};

const counts = new Set(Object.values(DRILLS).flatMap((drill) => Object.keys(drill.counts)));
const { values: given } = parseArgs({
  options: {
    only: { type: 'string', default: Object.keys(DRILLS).join(',') },
    help: { type: 'boolean', default: false },
    ...Object.fromEntries([...counts].map((name) => [name, { type: 'string' as const }])),
  },
});

if (given.help) {
  for (const [name, { about, counts }] of Object.entries(DRILLS)) {
    console.log(`${name}: ${about} ${JSON.stringify(counts)}`);
  }
  process.exit();
}

/** Runs one drill in a folder of its own, which stays where something was lost; returns whether nothing was. */
async function take(name: string, { about, counts, run }: Drill): Promise<boolean> {
  const chosen = Object.fromEntries(
    Object.entries(counts).map(([count, modest]) => [count, numberGiven(count) ?? modest]),
  );
  console.log(`\n── ${name}: ${about} ${JSON.stringify(chosen)}`);
  const folder = mkdtempSync(join(tmpdir(), `errand-${name}-`));
  const book = openBook(folder, console.log);
  const begun = performance.now();
  await run(book, chosen).catch((error) => book.lose(String(error?.stack ?? error)));
  console.log(`${((performance.now() - begun) / 1_000).toFixed(0)} s; ${book.summary()}`);
  if (book.losses.length === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`data: ${folder}`);
  return book.losses.length === 0;
}

function numberGiven(count: string): number | undefined {
  const text = (given as Record<string, unknown>)[count];
  if (typeof text !== 'string') return undefined;
  if (!/^\d+$/.test(text)) throw new Error(`--${count} must be a whole number`);
  return Number(text);
}

const failed: string[] = [];
for (const name of given.only.split(',')) {
  const drill = DRILLS[name];
  if (!drill) throw new Error(`There is no drill ${name}: ${Object.keys(DRILLS).join(', ')}`);
  if (!(await take(name, drill))) failed.push(name);
}
console.log(failed.length === 0 ? '\nnothing was lost' : `\nLOST in ${failed.join(', ')}`);
process.exit(failed.length === 0 ? 0 : 1);
