import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Told } from './crowd.ts';
import { drill, type Site } from './drill.ts';
import { inWords, memoryOf, probed, share } from './latency.ts';
import { type Person, signUp } from './person.ts';
import { call, createMailbox, startServer, stops } from './server.ts';

const PROBE_MS = 5;
const MEASURED_MS = 6_000;
const MAX_SLOWER = 2;
const MAX_MEMORY_MIB = 200;
/** Each is looked at every 2 seconds; the rest is for a busy machine. */
const LATE_MS = 4_000;
const BOUND_MS = { silent: 10_000, 'slow headers': 10_000, 'slow body': 30_000 };

/** A crowd of connections that say nothing, or hardly anything, slows nobody else, and is shown out in time. */
export const sockets = drill({
  about: 'idle and slow connections while a healthy client is served',
  counts: { sockets: 5_000 },
  run: async (site, { sockets: wanted }) => {
    const mailbox = createMailbox();
    const server = startServer(site.folder, mailbox);
    const base = await server.listening;
    const person = await signUp(base, mailbox);
    await served(base, person);
    const idle = await served(base, person);
    const before = memoryOf(server.child.pid);
    const crowd = fork(join(import.meta.dirname, 'crowd.ts'), [new URL(base).port, String(wanted)]);
    const told = await gathered(crowd);
    site.tell(`${told.open} of ${wanted} connections open`);
    if (told.open < wanted) site.lose(`${wanted - told.open} connections were not taken`);
    const crowded = await served(base, person);
    site.bound('memory of the crowd', memoryOf(server.child.pid) - before, MAX_MEMORY_MIB, 'MiB');
    site.tell(`idle ${inWords(idle)}; crowded ${inWords(crowded)}`);
    site.bound('p99 in the crowd, to idle', share(crowded, 0.99) / share(idle, 0.99), MAX_SLOWER, 'times');
    await shownOut(site, crowd);
    await stops(server, site, 'the stop');
  },
});

/** A healthy client that reads on and on; the milliseconds of its responses, ascending. */
const served = (base: string, { access: token, workspaceId }: Person): Promise<number[]> =>
  probed(
    () => wait(MEASURED_MS),
    async () => {
      const response = await call(base, 'GET', `/workspaces/${workspaceId}/tasks`, { token });
      if (response?.status !== 200) throw new Error(`A healthy client got ${response?.status}`);
    },
    PROBE_MS,
  );

async function gathered(crowd: ChildProcess): Promise<Told> {
  const [told] = await once(crowd, 'message');
  return told;
}

async function shownOut(site: Site, crowd: ChildProcess): Promise<void> {
  crowd.send('until all are closed');
  const { open, latest } = await gathered(crowd);
  if (open > 0) site.lose(`${open} connections stay open`);
  for (const [kind, bound] of Object.entries(BOUND_MS)) {
    const seconds = (latest[kind] ?? Number.NaN) / 1_000;
    site.bound(`the last one closed, ${kind}`, seconds, (bound + LATE_MS) / 1_000, 's');
  }
  await once(crowd, 'exit');
}
