import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { drill, type Site } from './drill.ts';
import { type Operation, recovers, startOperations, wasDone } from './operations.ts';
import { createMailbox, startServer, stops } from './server.ts';
import { wrongIn } from './wrong.ts';

const RECOVERY_MS = 20_000;

/** Without a file descriptor left it rejects connections; what it did accept stands, and it recovers by itself. */
export const descriptors = drill({
  about: 'more connections than a server with few file descriptors can hold',
  counts: { descriptors: 64, connections: 200, rounds: 3 },
  run: async (site, { descriptors: most, connections: wanted, rounds }) => {
    const mailbox = createMailbox();
    const server = startServer(site.folder, mailbox, ['sh', '-c', `ulimit -n ${most}; exec "$@"`, 'sh']);
    const base = await server.listening;
    const operations = await startOperations(site, base, mailbox);
    for (let round = 1; round <= rounds; round += 1) {
      const sockets = await crowd(Number(new URL(base).port), wanted);
      await workInCrowd(site, operations);
      site.count(
        `connection of the crowd left open: ${sockets.filter(({ destroyed }) => !destroyed).length}`,
      );
      for (const socket of sockets) socket.destroy();
      await untilServed(site, base, `round ${round}`);
      await recovers(site, operations, `round ${round}`);
      for (const wrong of wrongIn(site.folder)) site.lose(`round ${round}: ${wrong}`);
    }
    await stops(server, site, 'the stop');
    const complaints = new Set(server.complaints.map((line) => JSON.parse(line).msg));
    site.tell(`it complained of ${[...complaints].join('; ') || 'nothing'}`);
  },
});

/** Opens so many connections that say nothing; those that were rejected or cut are among them. */
async function crowd(port: number, wanted: number): Promise<Socket[]> {
  const sockets = Array.from({ length: wanted }, () => connect(port, '127.0.0.1').on('error', () => {}));
  await Promise.all(
    sockets.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})),
  );
  await wait(200);
  return sockets;
}

/** Every response must be a clean one; a connection may be rejected or cut off, then nobody knows. */
async function workInCrowd(site: Site, operations: Operation[]): Promise<void> {
  const [add] = operations.toReversed();
  if (!add) return;
  for (let i = 0; i < 20; i += 1) {
    const attempt = await add.prepare();
    const response = await attempt.act();
    if (!response) site.count('add task, rejected or cut off');
    else if (!(await attempt.isAsReturned(wasDone(site, add, attempt, response))))
      site.lose('a task is not as returned');
  }
}

async function untilServed(site: Site, base: string, when: string): Promise<void> {
  const end = performance.now() + RECOVERY_MS;
  const isServed = () =>
    fetch(new URL('/readyz', base)).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isServed())) {
    if (performance.now() > end) return site.lose(`${when}: not served again`);
    await wait(100);
  }
}
