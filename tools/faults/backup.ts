import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { rowCounts } from '../../src/storage/integrity.ts';
import { errand } from './command.ts';
import { drill, type Site } from './drill.ts';
import { inWords } from './latency.ts';
import { type Person, signUp } from './person.ts';
import { call, createMailbox, startServer, stops } from './server.ts';
import { inDatabase, wrongIn } from './wrong.ts';

/** Tables in which a restore notes that it was. */
const NOTED_BY_RESTORE = new Set(['audit_log', 'meta']);

/** Each backup made under load, once restored, is the database of one moment, not earlier than it was begun. */
export const backup = drill({
  about: 'backups under full load, each restored and compared',
  counts: { seconds: 20, every: 4, clients: 8, tasks: 500 },
  run: async (site, { seconds, every, clients, tasks }) => {
    const mailbox = createMailbox();
    const server = startServer(site.folder, mailbox);
    const base = await server.listening;
    const person = await signUp(base, mailbox);
    const load = startLoad(site, base, person, clients, tasks);
    const begun = performance.now();
    const end = begun + seconds * 1_000;
    for (let number = 1; performance.now() < end && site.losses.length === 0; number += 1) {
      const next = performance.now() + every * 1_000;
      await backUpAndCompare(site, number, tasks, load.acknowledged).catch((error) =>
        site.lose(`backup ${number}: ${error.stderr ?? error}`),
      );
      await wait(Math.max(Math.min(next, end) - performance.now(), 0));
    }
    const latencies = (await load.stop()).toSorted((a, b) => a - b);
    const took = (performance.now() - begun) / 1_000;
    await stops(server, site, 'the stop');
    // A write that was cut off was never acknowledged: all others must be there, that one may.
    const faults = [...wrongIn(site.folder), ...lacking(site.folder, {}, tasks, load.acknowledged)];
    for (const fault of faults) site.lose(`at the end: ${fault}`);
    site.tell(
      `${latencies.length} writes in ${took.toFixed(0)} s, ${Math.round(latencies.length / took)} a second; ${inWords(latencies)}`,
    );
  },
});

/**
 * Clients that each add so many tasks, then for ever by turns write over the one they wrote to longest ago, or add
 * another in its place and delete it; each has the next number for its title, and `acknowledged` is the newest of each
 * client.
 */
function startLoad(
  site: Site,
  base: string,
  { access: token, workspaceId, listId }: Person,
  clients: number,
  tasks: number,
) {
  const path = `/workspaces/${workspaceId}/tasks`;
  const acknowledged = Array.from({ length: clients }, () => 0);
  const latencies: number[] = [];
  let isOver = false;
  const written = async (client: number, method: string, path: string, body: unknown) => {
    const asked = performance.now();
    const response = await call(base, method, path, { token, body });
    latencies.push(performance.now() - asked);
    site.count(`${method} ${response?.status ?? 'cut off'}`);
    if (response && response.status < 300) return response;
    site.lose(
      `${method} of client ${client} ${response ? `got ${response.status}` : 'was cut off, unacknowledged'}`,
    );
    return undefined;
  };
  const writing = acknowledged.map(async (_, client) => {
    const ids: string[] = [];
    for (let n = 1; !isOver; n += 1) {
      const title = `${client}: ${n}`;
      const oldest = ids[(n - 1) % tasks];
      const isNew = oldest === undefined || n % 2 === 0;
      const response = await (isNew
        ? written(client, 'POST', path, { listId, title, description: 'milk and honey '.repeat(20) })
        : written(client, 'PATCH', `${path}/${oldest}`, { title }));
      if (!response) return;
      ids[(n - 1) % tasks] = response.body.id;
      acknowledged[client] = n;
      if (isNew && oldest !== undefined) await written(client, 'DELETE', `${path}/${oldest}`, undefined);
    }
  });
  const stop = async () => {
    isOver = true;
    await Promise.all(writing);
    return latencies;
  };
  return { acknowledged, stop };
}

async function backUpAndCompare(
  site: Site,
  number: number,
  tasks: number,
  acknowledged: number[],
): Promise<void> {
  const before = [...acknowledged];
  const file = join(site.folder, `${number}.db`);
  const backup = await timed(site.folder, 'backup', file);
  const meanwhile = acknowledged.reduce((sum, n, i) => sum + n - (before[i] ?? 0), 0);
  const data = join(site.folder, `restored-${number}`);
  mkdirSync(data);
  const restore = await timed(data, 'restore', file, '--yes', '--keep-sessions');
  const faults = [...wrongIn(data), ...lacking(data, backup.told.rows, tasks, before)];
  for (const fault of faults) site.lose(`backup ${number}: ${fault}`);
  site.tell(
    `backup ${number}: ${backup.told.rows.tasks} tasks, ${(backup.told.bytes / 1e6).toFixed(1)} MB; made in ${backup.milliseconds} ms beside ${meanwhile} writes, restored in ${restore.milliseconds} ms; ${faults.length === 0 ? 'whole' : 'FAULTY'}`,
  );
  rmSync(data, { recursive: true });
  rmSync(file);
}

/** What a restored backup lacks of what it says it holds, of what was acknowledged before, and of order. */
function lacking(
  data: string,
  rows: Record<string, number>,
  tasks: number,
  acknowledged: number[],
): string[] {
  return inDatabase(data, (database) => {
    const counted = rowCounts(database);
    const faults = Object.entries(rows).flatMap(([table, n]) =>
      counted[table] === n || NOTED_BY_RESTORE.has(table)
        ? []
        : [`${counted[table]} rows of ${n} in ${table}`],
    );
    const titles = database.prepare<[], string>('select title from tasks').pluck().all();
    const numbers = acknowledged.map(() => [] as number[]);
    for (const title of titles) {
      const [client, n] = title.split(': ').map(Number);
      numbers[client ?? -1]?.push(n ?? Number.NaN);
    }
    for (const [client, least] of acknowledged.entries()) {
      const ascending = numbers[client]?.sort((a, b) => a - b) ?? [];
      const newest = ascending.at(-1) ?? 0;
      if (newest < least) faults.push(`client ${client} stands at ${newest}, not ${least}`);
      const first = newest - ascending.length + 1;
      const isWhole =
        ascending.length >= Math.min(newest, tasks) && ascending.every((n, i) => n === first + i);
      if (!isWhole) faults.push(`client ${client} has not each of the last ${tasks} numbers up to ${newest}`);
      if (ascending.length > tasks + 1) faults.push(`client ${client} has ${ascending.length} tasks`);
    }
    return faults;
  });
}

/** What a command printed, and how long it took. */
async function timed(data: string, ...args: string[]) {
  const begun = performance.now();
  const told = JSON.parse(await errand(data, [...args, '--json']));
  return { told, milliseconds: Math.round(performance.now() - begun) };
}
