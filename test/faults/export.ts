/**
 * Exports an account of many tasks from the real server, and deletes it, while others are served:
 *   node test/faults/export.ts [--tasks 100000]
 * Exit code 1 when the health check's 99th percentile reached 50 ms during the export, its memory grew by 64 MB,
 * writes stood still, or anything was missing from the document.
 */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { createAccount } from '../../src/auth/account.ts';
import { createConfig } from '../../src/config.ts';
import { query } from '../../src/db/connection.ts';
import type { UserRow } from '../../src/db/tables.ts';
import { AccountExport } from '../../src/export/schema.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';
import { addTasks } from '../many-tasks.ts';
import { call, createMailbox, startServer } from './server.ts';

const { values } = parseArgs({ options: { tasks: { type: 'string', default: '100000' } } });
const tasks = Number(values.tasks);
const PASSWORD = 'correct horse battery staple';
const PROBE_MS = 5;
const IDLE_MS = 3_000;
const HEALTH_MS_AT_MOST = 50;
const GROWTH_MIB_AT_MOST = 64;

const folder = mkdtempSync(join(tmpdir(), 'errand-export-'));
await seed();
const server = startServer(folder, createMailbox());
try {
  process.exitCode = (await measure(await server.listening)) ? 0 : 1;
} finally {
  server.child.kill('SIGTERM');
  await server.ended;
  rmSync(folder, { recursive: true, force: true });
}

/** Ada has the tasks; Bob is the one who goes on working. */
async function seed(): Promise<void> {
  const config = createConfig({ database: { path: join(folder, 'errand.db') } }, folder);
  const { deps, close } = await openDeps(config, silentLog, { create: true });
  const passwordHash = await deps.passwords.hash(PASSWORD);
  const open = (name: string): Promise<UserRow> =>
    deps.write((tx) =>
      createAccount(tx, { email: `${name}@example.com`, name, passwordHash }, deps.clock.now()),
    );
  const { id } = await open('ada');
  await open('bob');
  const [home] = deps.read.all(query.selectFrom('workspaces').select('id').where('owner_id', '=', id));
  await addTasks({ deps }, home?.id ?? '', tasks, { creatorId: id });
  await close();
}

async function measure(base: string): Promise<boolean> {
  const ada = await signIn(base, 'ada');
  const bob = await signIn(base, 'bob');
  const file = join(folder, 'export.json');
  const idle = await whileServed(base, bob, () => wait(IDLE_MS));
  const before = memory();
  const exported = await whileServed(base, bob, () => download(`${base}/account/export`, ada, file));
  const [workspace] = AccountExport.parse(JSON.parse(readFileSync(file, 'utf8'))).workspaces;
  const deleted = await whileServed(base, bob, () =>
    call(base, 'DELETE', '/auth/me', { token: ada, body: { password: PASSWORD } }),
  );
  const growth = exported.peak - before;
  console.log(`idle      ${summary(idle)}`);
  console.log(`exporting ${summary(exported)}, memory ${before} MiB + ${growth} MiB`);
  console.log(`deleting  ${summary(deleted)}`);
  console.log(
    `document  ${workspace?.tasks.length} tasks, ${Math.round(readFileSync(file).length / 2 ** 20)} MiB`,
  );
  return (
    workspace?.tasks.length === tasks &&
    at(exported.delays, 0.99) < HEALTH_MS_AT_MOST &&
    growth < GROWTH_MIB_AT_MOST &&
    exported.writes > 0
  );
}

interface Served {
  milliseconds: number;
  /** Of the health check, ascending. */
  delays: number[];
  writes: number;
  /** The most memory of the server seen meanwhile, in MiB. */
  peak: number;
}

async function whileServed(base: string, token: string, work: () => Promise<unknown>): Promise<Served> {
  const served: Served = { milliseconds: 0, delays: [], writes: 0, peak: 0 };
  const health = new URL('/healthz', base).href;
  const home = (await call(base, 'GET', '/me/workspaces', { token }))?.body.items[0].id;
  const listId = (await call(base, 'GET', `/workspaces/${home}/lists`, { token }))?.body.items[0].id;
  const started = performance.now();
  let isDone = false;
  const done = work().finally(() => {
    isDone = true;
  });
  const probing = async () => {
    while (!isDone) {
      const asked = performance.now();
      await (await fetch(health)).text();
      served.delays.push(performance.now() - asked);
      served.peak = Math.max(served.peak, memory());
      await wait(PROBE_MS);
    }
  };
  const writing = async () => {
    while (!isDone) {
      const answer = await call(base, 'POST', `/workspaces/${home}/tasks`, {
        token,
        body: { title: 'Work goes on', listId },
      });
      if (answer?.status !== 201) throw new Error(`A write was answered ${answer?.status}`);
      served.writes += 1;
    }
  };
  await Promise.all([done, probing(), writing()]);
  served.milliseconds = performance.now() - started;
  served.delays.sort((a, b) => a - b);
  return served;
}

async function download(url: string, token: string, file: string): Promise<void> {
  const worker = new Worker(new URL('./download.ts', import.meta.url), { workerData: { url, token, file } });
  await once(worker, 'exit');
}

async function signIn(base: string, name: string): Promise<string> {
  const body = { email: `${name}@example.com`, password: PASSWORD };
  return (await call(base, 'POST', '/auth/login', { body }))?.body.accessToken;
}

/** Resident memory of the server in MiB. */
function memory(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
}

function at(sorted: number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function summary({ milliseconds, delays, writes }: Served): string {
  const [p50, p99, worst] = [0.5, 0.99, 1].map((share) => at(delays, share).toFixed(1));
  const seconds = milliseconds / 1_000;
  return `${seconds.toFixed(1)} s: health p50 ${p50} ms, p99 ${p99} ms, worst ${worst} ms of ${delays.length}; ${Math.round(writes / seconds)} writes a second`;
}
