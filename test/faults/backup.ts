/**
 * Backs up the real server every few seconds under several hundred writes a second, restores each backup, and holds it
 * to one moment of the database:
 *   node test/faults/backup.ts [--seconds 15] [--every 3] [--clients 8]
 * Exit code 1 when a backup fails, or lacks what was acknowledged before it began, or has a later write of a client
 * without an earlier one.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import { COUNTERS, faultsOf, rowCounts } from '../../src/backup/check.ts';
import { call, createMailbox, mailThat, startServer } from './server.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const run = promisify(execFile);

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '15' },
    every: { type: 'string', default: '3' },
    clients: { type: 'string', default: '8' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'errand-backups-'));
const faults: string[] = [];
const latencies: number[] = [];
/** The number of its newest acknowledged task, for each client. */
const acknowledged = Array.from({ length: Number(options.clients) }, () => 0);
let refusals = 0;

/** Runs a command on the data in a folder; answers what it printed, and how long it took. */
async function errand(data: string, ...args: string[]) {
  const begun = performance.now();
  const env = { PATH: process.env.PATH, ERRAND_DATABASE_PATH: join(data, 'errand.db') };
  const { stdout } = await run(process.execPath, [MAIN, ...args, '--json'], { cwd: folder, env });
  return { told: JSON.parse(stdout), milliseconds: Math.round(performance.now() - begun) };
}

async function backUpAndCompare(number: number): Promise<void> {
  const before = [...acknowledged];
  const file = join(folder, `${number}.db`);
  const backup = await errand(folder, 'backup', file);
  const meanwhile = acknowledged.reduce((sum, n, i) => sum + n - (before[i] ?? 0), 0);
  const data = join(folder, `restored-${number}`);
  mkdirSync(data);
  const restore = await errand(data, 'restore', file, '--yes', '--keep-sessions');
  const database = new SqliteDatabase(join(data, 'errand.db'));
  const amiss = [...faultsOf(database), ...COUNTERS.faults(database)];
  const counted = rowCounts(database);
  for (const [table, n] of Object.entries(backup.told.rows)) {
    if (counted[table] !== n) amiss.push(`${counted[table]} rows of ${n} in ${table}`);
  }
  const titles = new Set(database.prepare<[], string>('select title from tasks').pluck().all());
  for (const [client, newest] of before.entries()) {
    let n = 1;
    while (titles.delete(`${client}: ${n}`)) n += 1;
    if (n <= newest) amiss.push(`client ${client} lost ${n} of ${newest} acknowledged tasks`);
  }
  if (titles.size > 0) amiss.push(`${titles.size} tasks without those before them`);
  database.close();
  faults.push(...amiss.map((fault) => `backup ${number}: ${fault}`));
  console.log(
    `backup ${number}: ${backup.told.rows.tasks} tasks, ${(backup.told.bytes / 1e6).toFixed(1)} MB; made in ${backup.milliseconds} ms beside ${meanwhile} writes, restored in ${restore.milliseconds} ms; ${amiss.length === 0 ? 'whole' : amiss.join('; ')}`,
  );
}

const mailbox = createMailbox();
const server = startServer(folder, mailbox);
const base = await server.listening;
const ada = { email: 'ada@example.com', password: 'correct horse', name: 'Ada' };
await call(base, 'POST', '/auth/register', { body: ada });
const { text } = await mailThat(mailbox, ({ to }) => to === ada.email);
const token = /^Token: (.+)$/m.exec(text)?.[1];
const bearer = (await call(base, 'POST', '/auth/register/confirm', { body: { token } }))?.body.accessToken;
const home = (await call(base, 'GET', '/me/workspaces', { token: bearer }))?.body.items[0].id;
const listId = (await call(base, 'GET', `/workspaces/${home}/lists`, { token: bearer }))?.body.items[0].id;

const begun = performance.now();
const end = begun + Number(options.seconds) * 1_000;
let isOver = false;
const clients = acknowledged.map(async (_, client) => {
  for (let n = 1; !isOver; n += 1) {
    const body = { listId, title: `${client}: ${n}`, description: 'milk and honey '.repeat(20) };
    const asked = performance.now();
    const answer = await call(base, 'POST', `/workspaces/${home}/tasks`, { token: bearer, body });
    latencies.push(performance.now() - asked);
    if (answer?.status === 201) acknowledged[client] = n;
    else {
      refusals += 1;
      faults.push(`client ${client} was answered ${answer?.status}`);
      return;
    }
  }
});
for (let number = 1; performance.now() < end && faults.length === 0; number += 1) {
  const next = performance.now() + Number(options.every) * 1_000;
  await backUpAndCompare(number).catch((error) => faults.push(`backup ${number}: ${error.stderr ?? error}`));
  await new Promise((resolve) => setTimeout(resolve, Math.max(Math.min(next, end) - performance.now(), 0)));
}
isOver = true;
await Promise.all(clients);
const seconds = (performance.now() - begun) / 1_000;
server.child.kill('SIGTERM');
await server.ended;

const sorted = latencies.toSorted((a, b) => a - b);
const at = (part: number) => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(1);
console.log(
  `${latencies.length} writes in ${seconds.toFixed(0)} s, ${Math.round(latencies.length / seconds)} a second; ${refusals} refused; median ${at(0.5)} ms, 99 of 100 within ${at(0.99)} ms, the slowest ${at(1)} ms`,
);
console.log(faults.length === 0 ? 'amiss: nothing' : `AMISS:\n${faults.join('\n')}`);
rmSync(folder, { recursive: true, force: true });
process.exit(faults.length === 0 ? 0 : 1);
