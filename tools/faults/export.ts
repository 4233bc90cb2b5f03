import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createAccount } from '../../src/auth/account/account.ts';
import { createConfig } from '../../src/config.ts';
import { query } from '../../src/db/connection.ts';
import { AccountExport } from '../../src/export/schema.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { openDeps } from '../../src/open.ts';
import type { UserRow } from '../../src/storage/tables.ts';
import { addTasks } from '../../test/many-tasks.ts';
import { drill, type Site } from './drill.ts';
import { inWords, memoryOf, probed, share } from './latency.ts';
import { homeOf } from './person.ts';
import { call, createMailbox, startServer, stops } from './server.ts';
import { wrongIn } from './wrong.ts';

const PASSWORD = 'correct horse battery staple';
const PROBE_MS = 5;
const IDLE_MS = 3_000;
const MAX_SLOWER = 4;
const MAX_GROWTH_MIB = 64;

/** An account of many tasks is exported whole, and deleted, while the others are served as before. */
export const exporting = drill({
  about: 'an export, then the deletion, of an account of many tasks while others are served',
  counts: { tasks: 50_000 },
  run: async (site, { tasks }) => {
    await seed(site, tasks);
    const server = startServer(site.folder, createMailbox());
    const base = await server.listening;
    const [ada, bob] = [await signIn(base, 'ada'), await signIn(base, 'bob')];
    const file = join(site.folder, 'export.json');
    const memory = () => memoryOf(server.child.pid);
    const idle = () => whileServed(site, 'idle', base, bob, memory, () => wait(IDLE_MS));
    const idleBefore = await idle();
    const before = memory();
    const exported = await whileServed(site, 'exporting', base, bob, memory, () =>
      download(`${base}/account/export`, ada, file),
    );
    const [exporting, ...idling] = [exported, idleBefore, await idle()].map(({ delays }) =>
      share(delays, 0.99),
    );
    // Before and after: what else the machine does meanwhile comes and goes.
    const slower = (exporting ?? Number.NaN) / Math.max(...idling);
    site.bound('health while exporting, p99, to idle', slower, MAX_SLOWER, 'times');
    site.bound('memory taken by the export', exported.peak - before, MAX_GROWTH_MIB, 'MiB');
    if (exported.writes === 0) site.lose('writes stood still while exporting');
    await whileServed(site, 'deleting', base, bob, memory, () =>
      call(base, 'DELETE', '/auth/me', { token: ada, body: { password: PASSWORD } }),
    );
    await stops(server, site, 'the stop');
    // Not before: it takes seconds, in which the server closes the connections that nothing comes by.
    const document = readFileSync(file, 'utf8');
    const [workspace] = AccountExport.parse(JSON.parse(document)).workspaces;
    site.tell(`document: ${workspace?.tasks.length} tasks, ${Math.round(document.length / 2 ** 20)} MiB`);
    if (workspace?.tasks.length !== tasks) site.lose(`${workspace?.tasks.length} of ${tasks} tasks exported`);
    for (const wrong of wrongIn(site.folder)) site.lose(wrong);
  },
});

/** Ada has the tasks; Bob is the one who goes on working. */
async function seed({ folder }: Site, tasks: number): Promise<void> {
  const config = createConfig({ database: { path: join(folder, 'errand.db') } }, folder);
  const { deps, close } = await openDeps(config, silentLog, { role: 'server' });
  const passwordHash = await deps.signIn.passwords.hash(PASSWORD);
  const open = (name: string): Promise<UserRow> =>
    deps.write((tx) =>
      createAccount(deps, tx, { email: `${name}@example.com`, name, passwordHash }, deps.clock.now()),
    );
  const { id } = await open('ada');
  await open('bob');
  const [home] = deps.read.all(query.selectFrom('workspaces').select('id').where('owner_id', '=', id));
  await addTasks({ deps }, home?.id ?? '', tasks, { creatorId: id });
  await close();
}

async function whileServed(
  site: Site,
  what: string,
  base: string,
  token: string,
  memory: () => number,
  work: () => Promise<unknown>,
) {
  const served = { writes: 0, peak: 0 };
  const health = new URL('/healthz', base).href;
  const { workspaceId, listId } = await homeOf(base, token);
  const started = performance.now();
  let isDone = false;
  const writing = async () => {
    while (!isDone) {
      const body = { title: 'Work goes on', listId };
      const response = await call(base, 'POST', `/workspaces/${workspaceId}/tasks`, { token, body });
      site.count(`POST tasks ${response?.status}`);
      if (response?.status !== 201) return site.lose(`${what}: a write got ${response?.status}`);
      served.writes += 1;
    }
  };
  const ask = async () => {
    await (await fetch(health)).text();
    served.peak = Math.max(served.peak, memory());
  };
  const written = writing();
  const delays = await probed(work, ask, PROBE_MS);
  isDone = true;
  await written;
  const seconds = (performance.now() - started) / 1_000;
  site.tell(
    `${what}: ${seconds.toFixed(1)} s; health ${inWords(delays)}; ${Math.round(served.writes / seconds)} writes a second`,
  );
  return { ...served, delays };
}

async function download(url: string, token: string, file: string): Promise<void> {
  const worker = new Worker(new URL('./download.ts', import.meta.url), { workerData: { url, token, file } });
  await once(worker, 'exit');
}

async function signIn(base: string, name: string): Promise<string> {
  const body = { email: `${name}@example.com`, password: PASSWORD };
  return (await call(base, 'POST', '/auth/login', { body }))?.body.accessToken;
}
