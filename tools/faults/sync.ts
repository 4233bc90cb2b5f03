import { once } from 'node:events';
import { drill, type Site } from './drill.ts';
import { injecting, meeting, SYNCS } from './inject.ts';
import { type Person, signUp } from './person.ts';
import { call, createMailbox, type ServerProcess, startServer, stops } from './server.ts';
import { verifyData, wrongIn } from './wrong.ts';

const CLIENTS = 8;
const MAX_END_MS = 1_000;
const BESIDE = { ERRAND_DATABASE_SYNC: 'beside' };

/** A sync that fails beside the event loop: the process ends, and nothing it had acknowledged is lost. */
export const syncing = drill({
  about:
    'a sync beside the event loop fails, once or for good: exit 1 within a second, and a start that is whole or none',
  counts: { failures: 6 },
  run: async (site, { failures }) => {
    const mailbox = createMailbox();
    const first = startServer(site.folder, mailbox, [], BESIDE);
    const person = await signUp(await first.listening, mailbox);
    await stops(first, site, 'the first stop');
    for (let n = 1; n <= failures; n += 1) await fails(site, person, n);
    await rejectsToStart(site, person);
    const last = startServer(site.folder, mailbox, [], BESIDE);
    await last.listening;
    await stops(last, site, 'the last stop');
    for (const wrong of wrongIn(site.folder)) site.lose(`at the end: ${wrong}`);
  },
});

async function fails(site: Site, person: Person, n: number): Promise<void> {
  const server = startServer(site.folder, createMailbox(), [], BESIDE);
  const base = await server.listening;
  const load = writing(site, base, person);
  await load.untilMany();
  const isForGood = n % 2 === 0;
  const stop = await injecting(
    server.child.pid,
    [`${SYNCS}:error=EIO:when=${n}${isForGood ? '+' : ''}`],
    true,
  );
  await load.untilRejected();
  const rejected = performance.now();
  if (server.child.exitCode === null) await once(server.child, 'exit');
  const took = performance.now() - rejected;
  await stop();
  if (server.child.exitCode !== 1) site.lose(`failure ${n}: ended with ${endOf(server)}`);
  if (took > MAX_END_MS) site.lose(`failure ${n}: ended after ${took.toFixed(0)} ms`);
  const { acknowledged, statuses } = await load.ended();
  for (const status of statuses) {
    if (status !== 201 && status !== 503) site.lose(`failure ${n}: a write got ${status}`);
  }
  const again = startServer(site.folder, createMailbox(), [], BESIDE);
  await again.listening;
  await stops(again, site, `the stop after failure ${n}`);
  verifyData(site, site.folder, acknowledged, `failure ${n}`);
  site.count('failed syncs survived');
}

/** Creates tasks over some connections until one is rejected or breaks. */
function writing(site: Site, base: string, { access: token, workspaceId, listId }: Person) {
  const acknowledged: string[] = [];
  const statuses: number[] = [];
  const many = Promise.withResolvers<void>();
  const rejected = Promise.withResolvers<void>();
  const client = async () => {
    for (;;) {
      const title = crypto.randomUUID();
      const response = await call(base, 'POST', `/workspaces/${workspaceId}/tasks`, {
        token,
        body: { listId, title },
      });
      if (response) statuses.push(response.status);
      if (response?.status !== 201) return rejected.resolve();
      acknowledged.push(title);
      if (acknowledged.length === 200) many.resolve();
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  return {
    untilMany: () => many.promise,
    untilRejected: () => rejected.promise,
    ended: async () => {
      await clients;
      for (const _title of acknowledged) site.count('acknowledged before a failure');
      return { acknowledged, statuses };
    },
  };
}

/** What a killed server left in its WAL cannot be synced: nothing is served on top of it. */
async function rejectsToStart(site: Site, { access: token, workspaceId, listId }: Person): Promise<void> {
  const mailbox = createMailbox();
  const killed = startServer(site.folder, mailbox, [], BESIDE);
  const base = await killed.listening;
  await call(base, 'POST', `/workspaces/${workspaceId}/tasks`, { token, body: { listId, title: 'Left' } });
  killed.child.kill('SIGKILL');
  await killed.ended;
  const failing = startServer(site.folder, mailbox, meeting([`${SYNCS}:error=EIO:when=1+`]), BESIDE);
  await failing.listening.then(
    () => site.lose('a start that cannot sync the WAL serves all the same'),
    () => site.count('starts rejected'),
  );
  failing.child.kill('SIGKILL');
  await failing.ended;
}

const endOf = ({ child }: ServerProcess) => child.exitCode ?? child.signalCode ?? 'nothing';
