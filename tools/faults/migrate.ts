import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { migrations } from '../../migrations/index.ts';
import { migrate, schemaStatus } from '../../src/db/migrate.ts';
import { openStorage } from '../../src/db/open.ts';
import { COUNTERS, faultsOf } from '../../src/storage/integrity.ts';
import { ROWS_OF_SCHEMA, rowsIn } from '../../test/filled-schema.ts';
import { drill, type Site } from './drill.ts';
import { ERRORS, meeting, SYNCS, WRITES } from './inject.ts';

const OPENING = join(import.meta.dirname, 'opening.ts');
const NAMES = Object.keys(migrations).sort();

/** A start that migrates may die or fail at any write: the next one does what is left, and loses no row. */
export const migrating = drill({
  about: 'starts that migrate from each schema are killed, or fail, at their n-th write or sync',
  counts: { starts: 2, from: 0 },
  run: async (site, { starts, from }) => {
    for (const count of [...NAMES.keys()].slice(from)) {
      const lostBefore = site.losses.length;
      const calls = await fromSchema(site, count, starts);
      // As soon as it is known: who ends the drill early has read what was tried until then.
      const lost = site.losses.slice(lostBefore);
      site.tell(`${count} from ${nameOf(count)}: ${calls}; lost: ${lost.join('; ') || 'nothing'}`);
    }
  },
});

/** Returns how many calls of each kind such a start makes, in words. */
async function fromSchema(site: Site, count: number, starts: number): Promise<string> {
  const old = join(site.folder, nameOf(count));
  const rows = await makeOld(old, count);
  // The first start makes the most of them; the last schema is the one that is out there.
  const isErrorTried = count === 0 || count === NAMES.length - 1;
  const faults = ['signal=KILL', ...(isErrorTried ? ERRORS.map((error) => `error=${error}`) : [])];
  const made: string[] = [];
  for (const calls of [WRITES, SYNCS]) {
    const most = await callsOf(site, old, calls);
    made.push(`${most} calls of ${calls}`);
    for (const fault of faults) {
      for (let i = 1; i <= starts; i += 1) {
        const nth = Math.max(1, Math.round((most * i) / (starts + 1)));
        await failOnce(site, { old, rows }, `${calls}:${fault}:when=${nth}`);
      }
    }
  }
  return made.join(', ');
}

const nameOf = (count: number) => NAMES[count - 1] ?? 'no schema';

/** A data folder as the Errand of an earlier schema left it, with rows in every table; returns those. */
async function makeOld(folder: string, count: number): Promise<ReturnType<typeof rowsIn>> {
  mkdirSync(folder);
  if (count === 0) return {};
  const storage = openStorage({ path: join(folder, 'errand.db'), create: true });
  await migrate(storage, Object.fromEntries(Object.entries(migrations).slice(0, count)));
  for (const name of NAMES.slice(0, count)) storage.writing.exec(ROWS_OF_SCHEMA[name] ?? '');
  const rows = rowsIn(storage.writing);
  storage.close();
  return rows;
}

/** A folder with a fresh copy of the old data. */
function copyOf(old: string): string {
  const folder = `${old}-copy`;
  rmSync(folder, { recursive: true, force: true });
  cpSync(old, folder, { recursive: true });
  return folder;
}

/** How many such calls it takes to open and migrate. */
async function callsOf(site: Site, old: string, calls: string): Promise<number> {
  const trace = join(site.folder, 'trace');
  const isOpened = await opens(copyOf(old), ['strace', '-o', trace, '-e', `trace=${calls}`]);
  if (!isOpened) site.lose(`${old} cannot be opened`);
  return readFileSync(trace, 'utf8')
    .split('\n')
    .filter((line) => /\)\s+= /.test(line)).length;
}

async function opens(folder: string, through: string[] = []): Promise<boolean> {
  const [program = '', ...words] = [...through, process.execPath, OPENING, join(folder, 'errand.db')];
  // Loading the sources takes longer than migrating, and a run makes hundreds of starts.
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(dirname(folder), 'compiled') };
  const child = spawn(program, words, { stdio: 'ignore', env });
  await once(child, 'close');
  return child.exitCode === 0;
}

/** Whether those rows are all there, by the columns they had; a start may have added some. */
const isHeld = (rows: ReturnType<typeof rowsIn>[string], after: typeof rows): boolean =>
  rows.every((row) =>
    after.some((found) =>
      Object.entries(row).every(([column, value]) => isDeepStrictEqual(found[column], value)),
    ),
  );

interface Old {
  old: string;
  rows: ReturnType<typeof rowsIn>;
}

async function failOnce(site: Site, { old, rows: before }: Old, fault: string): Promise<void> {
  const when = `${basename(old)}, ${fault}`;
  const folder = copyOf(old);
  const isSurvived = await opens(folder, meeting([fault]));
  site.count(`start with ${fault.split(':')[1]} ${isSurvived ? 'survived' : 'failed'}`);
  if (!(await opens(folder))) return site.lose(`${when}: the next start failed`);
  const storage = openStorage({ path: join(folder, 'errand.db'), create: false });
  const { pending } = schemaStatus(storage, migrations);
  const wrong = [...faultsOf(storage.reading), ...COUNTERS.faults(storage.reading)];
  const after = rowsIn(storage.reading);
  storage.close();
  for (const what of [...pending, ...wrong]) site.lose(`${when}: ${what}`);
  for (const [table, rows] of Object.entries(before)) {
    if (!isHeld(rows, after[table] ?? [])) {
      site.lose(`${when}: ${table} is ${JSON.stringify(after[table])}, not ${JSON.stringify(rows)}`);
    }
  }
}
