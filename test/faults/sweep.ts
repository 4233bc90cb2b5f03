/**
 * What a sweep costs, and what a kill in its midst leaves:
 *   node test/faults/sweep.ts [--series 100000] [--due 1000] [--kills 20]
 * Prints numbers; exit code 1 when one is out of bounds or a kill left anything half done.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { createAccount } from '../../src/auth/account.ts';
import { createConfig } from '../../src/config.ts';
import { query } from '../../src/db/connection.ts';
import { toInstant } from '../../src/kernel/instants.ts';
import { silentLog } from '../../src/kernel/log.ts';
import type { Transport } from '../../src/mail/worker.ts';
import { type Opened, openDeps } from '../../src/open.ts';
import { createSeries } from '../../src/recurring/series.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import type { member } from '../../src/workspaces/door.ts';

const IDLE_MS_AT_MOST = 5;
const BLOCKED_MS_AT_MOST = 50;
const LONGEST_SWEEP_MS = 400;
const START = Date.parse('2026-03-27T10:00:00.000Z');
const AT_NINE = Date.parse('2026-03-28T08:00:00.000Z');

const { values: options } = parseArgs({
  options: {
    series: { type: 'string', default: '100000' },
    due: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '20' },
    /** In the process that gets killed: the folder to sweep, and its clock. */
    folder: { type: 'string' },
    now: { type: 'string' },
  },
});

let now = START;
const nowhere: Transport = {
  deliver: async () => ({ kind: 'taken' }),
  erasesTaken: true,
  verify: async () => undefined,
  close: () => {},
};
const open = (folder: string): Promise<Opened> =>
  openDeps(createConfig({ database: { path: join(folder, 'errand.db') } }, folder), silentLog, {
    create: true,
    doubles: { clock: { now: () => now }, transport: nowhere },
  });

const faults: string[] = [];
const claim = (name: string, value: number, most: number, unit: string) => {
  process.stdout.write(`${name}: ${value.toFixed(2)} ${unit} (at most ${most})\n`);
  if (value > most) faults.push(name);
};

/** Series of one workspace, so many due at nine and the others at ten; made through the verb itself. */
async function fill({ deps }: Opened, due: number, later: number): Promise<void> {
  const user = await deps.write((tx) =>
    createAccount(tx, { email: 'ada@example.com', name: 'Ada', passwordHash: null }, now),
  );
  const workspace = deps.read.one(query.selectFrom('workspaces').selectAll().where('owner_id', '=', user.id));
  const list = deps.read.one(query.selectFrom('lists').selectAll());
  if (!workspace || !list) throw new Error('An account came without a workspace');
  const facts = { workspaceId: workspace.id, workspaceCode: workspace.code, role: 'owner', userId: user.id };
  const who = { ...facts, sessionId: '' } as unknown as Awaited<
    ReturnType<ReturnType<typeof member>['enter']>
  >;
  const make = (timeOfDay: string) =>
    createSeries(deps, who, {
      title: 'Water the plants',
      listId: list.id,
      interval: { frequency: 'day', timeOfDay, timezone: 'Europe/Paris' },
    });
  for (let made = 0; made < due + later; made += 1_000) {
    const times = Array.from({ length: Math.min(1_000, due + later - made) }, (_, i) =>
      made + i < due ? '09:00' : '10:00',
    );
    await Promise.all(times.map(make));
  }
}

/** The time of one call, and for how long the event loop was held up at most while it ran. */
async function measured(work: () => Promise<void>): Promise<{ ms: number; blocked: number }> {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  await sleep(20);
  delay.enable();
  const begin = performance.now();
  await work();
  const ms = performance.now() - begin;
  delay.disable();
  return { ms, blocked: delay.max / 1e6 };
}

async function measure(folder: string): Promise<void> {
  const [series, due] = [Number(options.series), Number(options.due)];
  const opened = await open(folder);
  now = START;
  await fill(opened, due, series - due);
  process.stdout.write(`${series} active series, ${due} of them due in one minute\n`);
  await sweep(opened.deps);
  const idle: number[] = [];
  for (let i = 0; i < 100; i += 1) idle.push((await measured(() => sweep(opened.deps))).ms);
  idle.sort((a, b) => a - b);
  process.stdout.write(`idle sweep, median: ${(idle[50] ?? 0).toFixed(3)} ms\n`);
  claim('idle sweep, slowest of 100', idle.at(-1) ?? 0, IDLE_MS_AT_MOST, 'ms');
  now = AT_NINE;
  const busy = await measured(() => sweep(opened.deps));
  process.stdout.write(
    `${due} due: ${busy.ms.toFixed(0)} ms, ${((busy.ms * 1e3) / due).toFixed(0)} µs each\n`,
  );
  claim('event loop held up by it', busy.blocked, BLOCKED_MS_AT_MOST, 'ms');
  now = Date.parse('2026-03-28T09:00:00.000Z');
  const all = await measured(() => sweep(opened.deps));
  process.stdout.write(
    `${series - due} due: ${(all.ms / 1e3).toFixed(1)} s, event loop held up for ${all.blocked.toFixed(0)} ms at most\n`,
  );
  await opened.close();
}

async function kill(folder: string): Promise<void> {
  const due = Number(options.due);
  const opened = await open(folder);
  now = START;
  await fill(opened, due, 0);
  await opened.close();
  let interrupted = 0;
  for (let round = 0; round < Number(options.kills); round += 1) {
    now = AT_NINE + round * 86_400_000;
    const child = fork(import.meta.filename, ['--folder', folder, '--now', String(now)]);
    await once(child, 'message');
    await sleep(Math.random() * LONGEST_SWEEP_MS);
    child.kill('SIGKILL');
    await once(child, 'exit');
    if (await isHalfway(folder)) interrupted += 1;
    check(folder, `after kill ${round + 1}`);
    const again = await open(folder);
    await sweep(again.deps);
    await again.close();
    check(folder, `after the sweep that followed kill ${round + 1}`, { due, instances: round + 2 });
  }
  process.stdout.write(`${options.kills} kills, ${interrupted} of them in the midst of a sweep of ${due}\n`);
}

const isHalfway = async (folder: string): Promise<boolean> => {
  const database = new SqliteDatabase(join(folder, 'errand.db'), { readonly: true });
  const at = toInstant(now);
  const left = database
    .prepare(
      'select count(*) filter (where next_run_at <= ?) as waiting, count(*) as n from recurring_series',
    )
    .get(at) as { waiting: number; n: number };
  database.close();
  return left.waiting > 0 && left.waiting < left.n;
};

/** Series, occurrences, tasks and search must agree; after a whole sweep each series has its instances, each once. */
function check(folder: string, when: string, whole?: { due: number; instances: number }): void {
  const database = new SqliteDatabase(join(folder, 'errand.db'));
  const count = (sql: string) => database.prepare(sql).pluck().get() as number;
  const demand = (name: string, holds: boolean) => {
    if (!holds) faults.push(`${when}: ${name}`);
  };
  demand('integrity', database.pragma('integrity_check', { simple: true }) === 'ok');
  demand('foreign keys', (database.pragma('foreign_key_check') as unknown[]).length === 0);
  demand('search index', indexIsSound(database));
  demand(
    'a task for each generated occurrence',
    count(`select count(*) from recurring_occurrences where state = 'generated' and not exists
      (select 1 from tasks where id = task_id and recurring_task_id = series_id
        and occurrence_at = recurring_occurrences.occurrence_at)`) === 0,
  );
  demand(
    'an occurrence for each task',
    count('select count(*) from tasks') ===
      count("select count(*) from recurring_occurrences where state = 'generated'"),
  );
  demand(
    'no occurrence twice',
    count(
      'select count(*) from (select 1 from tasks group by recurring_task_id, occurrence_at having count(*) > 1)',
    ) === 0,
  );
  demand(
    'every series stands at its newest task',
    count(`select count(*) from recurring_series where state <> 'active' or next_task_id is not
      (select id from tasks where recurring_task_id = recurring_series.id order by occurrence_at desc limit 1)`) ===
      0,
  );
  if (whole) {
    demand('every instance', count('select count(*) from tasks') === whole.due * whole.instances);
    demand(
      'none left',
      count(`select count(*) from recurring_series where next_run_at <= '${toInstant(now)}'`) === 0,
    );
  }
  database.close();
}

function indexIsSound(database: SqliteDatabase.Database): boolean {
  try {
    database.exec("insert into task_search (task_search) values ('integrity-check')");
    return true;
  } catch {
    return false;
  }
}

if (options.folder === undefined) {
  for (const scenario of [measure, kill]) {
    const folder = mkdtempSync(join(tmpdir(), 'errand-sweep-'));
    await scenario(folder);
    rmSync(folder, { recursive: true });
  }
  for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} else {
  now = Number(options.now);
  const opened = await open(options.folder);
  process.send?.('sweeping');
  await sweep(opened.deps);
  await sleep(60_000);
}
