import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { drill, type Site } from './drill.ts';
import { type Person, signUp } from './person.ts';
import { call, createMailbox, type ServerProcess, startServer, stops } from './server.ts';
import { verifyData } from './wrong.ts';

const DRAIN_SECONDS = 10;
const AT_ONCE_MS = 1_000;
const SENT_MS = 20;
const SHORTEST_LOAD_MS = 300;
const LONGEST_LOAD_MS = 1_500;

/** A stop under load serves what is in flight, loses nothing acknowledged, and ends in time; asked again, at once. */
export const stopping = drill({
  about: 'SIGTERM under load, and a second one while a request hangs',
  counts: { stops: 8, rate: 200 },
  run: async (site, { stops: rounds, rate }) => {
    const mailbox = createMailbox();
    const first = startServer(site.folder, mailbox);
    const person = await signUp(await first.listening, mailbox);
    await stops(first, site, 'the first stop');
    const acknowledged: string[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      await stopUnderLoad(site, person, rate, acknowledged, round);
      await stopTwice(site, person, acknowledged, round);
    }
    site.tell(`${rounds} stops at ${rate} requests a second, and as many ended by a second signal`);
  },
});

const start = (site: Site) =>
  startServer(site.folder, createMailbox(), [], { ERRAND_SERVER_DRAIN_SECONDS: String(DRAIN_SECONDS) });

async function add(base: string, { access, workspaceId, listId }: Person, acknowledged: string[]) {
  const title = crypto.randomUUID();
  const body = { listId, title };
  const response = await call(base, 'POST', `/workspaces/${workspaceId}/tasks`, { token: access, body });
  if (response?.status === 201) acknowledged.push(title);
  return response;
}

async function stopUnderLoad(
  site: Site,
  person: Person,
  rate: number,
  acknowledged: string[],
  round: number,
) {
  const server = start(site);
  const base = await server.listening;
  let isAsked = false;
  const requests: Promise<void>[] = [];
  const request = async () => {
    const wasBefore = !isAsked;
    const response = await add(base, person, acknowledged);
    site.count(`begun ${wasBefore ? 'before' : 'after'} the signal: ${response?.status ?? 'cut off'}`);
    if (wasBefore && response?.status !== 201)
      site.lose(`stop ${round}: ${response?.status ?? 'a request was cut off'}`);
  };
  const load = setInterval(() => requests.push(request()), 1_000 / rate);
  await wait(SHORTEST_LOAD_MS + Math.random() * (LONGEST_LOAD_MS - SHORTEST_LOAD_MS));
  isAsked = true;
  // What was begun in this turn has yet to be sent.
  await wait(SENT_MS);
  const asked = performance.now();
  await stops(server, site, `stop ${round}`);
  const took = performance.now() - asked;
  clearInterval(load);
  await Promise.all(requests);
  if (took > DRAIN_SECONDS * 1_000) site.lose(`stop ${round}: took ${took.toFixed(0)} ms`);
  verifyData(site, site.folder, acknowledged, `stop ${round}`);
}

/** A client that never finishes its request holds a stop up, until the drain is over or a second signal comes. */
async function stopTwice(site: Site, person: Person, acknowledged: string[], round: number): Promise<void> {
  const server = start(site);
  const base = await server.listening;
  await add(base, person, acknowledged);
  const socket = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  await wait(100);
  server.child.kill('SIGTERM');
  await wait(500);
  if (server.child.exitCode !== null) site.lose(`stop ${round}: did not wait for a request in flight`);
  const took = await endedBy(server, 'SIGTERM');
  site.count(`second signal: exit code ${server.child.exitCode ?? server.child.signalCode}`);
  if (took > AT_ONCE_MS) site.lose(`stop ${round}: a second signal took ${took.toFixed(0)} ms`);
  socket.destroy();
  verifyData(site, site.folder, acknowledged, `second signal ${round}`);
}

async function endedBy({ child, ended }: ServerProcess, signal: NodeJS.Signals): Promise<number> {
  const asked = performance.now();
  child.kill(signal);
  await ended;
  return performance.now() - asked;
}
