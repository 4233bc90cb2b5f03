import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { rowCounts } from '../../src/backup/check.ts';
import { errand } from './command.ts';
import { drill, type Site } from './drill.ts';
import { share } from './latency.ts';
import { type Person, signUp } from './person.ts';
import { call, createMailbox, startServer, stops } from './server.ts';
import { inDatabase, wrongIn } from './wrong.ts';

/** Each backup made under load, once restored, is the database of one moment, not earlier than it was begun. */
export const backup = drill({
  about: 'backups under full load, each restored and compared',
  counts: { seconds: 20, every: 4, clients: 8 },
  run: async (site, { seconds, every, clients: howMany }) => {
    const mailbox = createMailbox();
    const server = startServer(site.folder, mailbox);
    const base = await server.listening;
    const person = await signUp(base, mailbox);
    const load = startLoad(site, base, person, howMany);
    const begun = performance.now();
    const end = begun + seconds * 1_000;
    for (let number = 1; performance.now() < end && site.losses.length === 0; number += 1) {
      const next = performance.now() + every * 1_000;
      await backUpAndCompare(site, number, load.acknowledged).catch((error) =>
        site.lose(`backup ${number}: ${error.stderr ?? error}`),
      );
      await wait(Math.max(Math.min(next, end) - performance.now(), 0));
    }
    const latencies = (await load.stop()).toSorted((a, b) => a - b);
    const took = (performance.now() - begun) / 1_000;
    await stops(server, site, 'the stop');
    const [p50, p99, slowest] = [0.5, 0.99, 1].map((part) => share(latencies, part).toFixed(1));
    site.tell(
      `${latencies.length} writes in ${took.toFixed(0)} s, ${Math.round(latencies.length / took)} a second; median ${p50} ms, 99 of 100 within ${p99} ms, the slowest ${slowest} ms`,
    );
  },
});

/** Clients that add numbered tasks, one after another; `acknowledged` is the newest number of each. */
function startLoad(site: Site, base: string, { access, workspaceId, listId }: Person, howMany: number) {
  const acknowledged = Array.from({ length: howMany }, () => 0);
  const latencies: number[] = [];
  let isOver = false;
  const clients = acknowledged.map(async (_, client) => {
    for (let n = 1; !isOver; n += 1) {
      const body = { listId, title: `${client}: ${n}`, description: 'milk and honey '.repeat(20) };
      const asked = performance.now();
      const answer = await call(base, 'POST', `/workspaces/${workspaceId}/tasks`, { token: access, body });
      latencies.push(performance.now() - asked);
      site.count(`POST tasks ${answer?.status ?? 'cut off'}`);
      // Nobody knows whether it was done: the same title once more makes no gap either way.
      if (!answer) n -= 1;
      else if (answer.status !== 201) return site.lose(`client ${client} was answered ${answer.status}`);
      else acknowledged[client] = n;
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(clients);
    return latencies;
  };
  return { acknowledged, stop };
}

async function backUpAndCompare(site: Site, number: number, acknowledged: number[]): Promise<void> {
  const before = [...acknowledged];
  const file = join(site.folder, `${number}.db`);
  const backup = await timed(site.folder, 'backup', file);
  const meanwhile = acknowledged.reduce((sum, n, i) => sum + n - (before[i] ?? 0), 0);
  const data = join(site.folder, `restored-${number}`);
  mkdirSync(data);
  const restore = await timed(data, 'restore', file, '--yes', '--keep-sessions');
  const amiss = [...wrongIn(data), ...lacking(data, backup.told.rows, before)];
  for (const fault of amiss) site.lose(`backup ${number}: ${fault}`);
  site.tell(
    `backup ${number}: ${backup.told.rows.tasks} tasks, ${(backup.told.bytes / 1e6).toFixed(1)} MB; made in ${backup.milliseconds} ms beside ${meanwhile} writes, restored in ${restore.milliseconds} ms; ${amiss.length === 0 ? 'whole' : 'AMISS'}`,
  );
  rmSync(data, { recursive: true });
  rmSync(file);
}

/** What a restored backup lacks of what it says it holds, of what was acknowledged before, and of order. */
function lacking(data: string, rows: Record<string, number>, acknowledged: number[]): string[] {
  return inDatabase(data, (database) => {
    const counted = rowCounts(database);
    const amiss = Object.entries(rows).flatMap(([table, n]) =>
      counted[table] === n ? [] : [`${counted[table]} rows of ${n} in ${table}`],
    );
    const titles = new Set(database.prepare<[], string>('select title from tasks').pluck().all());
    for (const [client, newest] of acknowledged.entries()) {
      let n = 1;
      while (titles.delete(`${client}: ${n}`)) n += 1;
      if (n <= newest) amiss.push(`client ${client} lost ${n} of ${newest} acknowledged tasks`);
    }
    return titles.size > 0 ? [...amiss, `${titles.size} tasks without those before them`] : amiss;
  });
}

/** What a command printed, and how long it took. */
async function timed(data: string, ...args: string[]) {
  const begun = performance.now();
  const told = JSON.parse(await errand(data, [...args, '--json']));
  return { told, milliseconds: Math.round(performance.now() - begun) };
}
