import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DAY } from '../../src/kernel/instants.ts';
import { errand } from './command.ts';
import { drill, type Site } from './drill.ts';
import { AT_NINE, addSeries, openAt, START, tasksIn, waitingIn } from './due-series.ts';
import { ERRORS, injecting, meeting, points, SYNCS, WRITES, when } from './inject.ts';
import { type Operation, recovers, startOperations, wasDone } from './operations.ts';
import { createMailbox, startServer, stops } from './server.ts';
import { wrongIn } from './wrong.ts';

/** A storm: many writers while the disk fails now and then, without being asked about in between. */
const STORM = [`${WRITES}:error=EIO:when=7+13`, `${SYNCS}:error=EIO:when=1+5`];
const STORM_CLIENTS = 8;
const STORM_WRITES = 40;
const SERIES = 20;

interface Fault {
  calls: string;
  error: string;
  isForGood: boolean;
}

const FAULTS: Fault[] = [WRITES, SYNCS].flatMap((calls) =>
  ERRORS.flatMap((error) => [false, true].map((isForGood) => ({ calls, error, isForGood }))),
);

const nthOf = ({ calls, error, isForGood }: Fault, nth: number) =>
  `${calls}:error=${error}:${when(nth, isForGood)}`;

/** What a failing disk rejects is rejected cleanly, leaves nothing behind, and works once the disk does again. */
export const disk = drill({
  about: 'the n-th write or sync fails, once or from then on, with ENOSPC, EIO or EROFS',
  counts: { nths: 4, rounds: 2 },
  run: async (site, { nths, rounds }) => {
    await failingRequests(site, nths, rounds);
    await failingTicks(join(site.folder, 'ticked'), site, nths);
    await failingBackups(site, nths);
  },
});

async function failingRequests(site: Site, nths: number, rounds: number): Promise<void> {
  const mailbox = createMailbox();
  // A sync beside the event loop that fails ends the process: `sync.ts`.
  const server = startServer(site.folder, mailbox, [], { ERRAND_DATABASE_SYNC: 'commit' });
  const operations = await startOperations(site, await server.listening, mailbox);
  for (const fault of FAULTS) {
    for (const operation of operations) {
      for (const nth of points(nths)) {
        if (!(await meets(site, server.child.pid, operation, nthOf(fault, nth)))) break;
      }
    }
    await recovers(site, operations, nthOf(fault, nths));
    for (const wrong of wrongIn(site.folder)) site.lose(`${nthOf(fault, nths)}: ${wrong}`);
  }
  for (let round = 1; round <= rounds; round += 1) await storm(site, server.child.pid, operations, round);
  server.child.kill('SIGKILL');
  await server.ended;
  const again = startServer(site.folder, mailbox);
  await again.listening;
  for (const wrong of wrongIn(site.folder)) site.lose(`after a kill: ${wrong}`);
  await stops(again, site, 'the stop');
}

/** Makes one request under a fault; false when it met none. */
async function meets(site: Site, pid: number | undefined, operation: Operation, fault: string) {
  const attempt = await operation.prepare();
  const stop = await injecting(pid, [fault]);
  const isDone = wasDone(site, operation, attempt, await attempt.act());
  await stop();
  if (!(await attempt.isAsReturned(isDone))) site.lose(`${fault}: ${operation.name} is not as returned`);
  return !isDone;
}

async function storm(site: Site, pid: number | undefined, operations: Operation[], round: number) {
  const [add] = operations.toReversed();
  if (!add) return;
  const checks: (() => Promise<boolean>)[] = [];
  const client = async () => {
    for (let i = 0; i < STORM_WRITES; i += 1) {
      const attempt = await add.prepare();
      const isDone = wasDone(site, add, attempt, await attempt.act());
      checks.push(() => attempt.isAsReturned(isDone));
    }
  };
  const stop = await injecting(pid, STORM);
  await Promise.all(Array.from({ length: STORM_CLIENTS }, client));
  await stop();
  for (const isAsReturned of checks) {
    if (!(await isAsReturned())) site.lose(`storm ${round}: a task is not as returned`);
  }
  await recovers(site, operations, `storm ${round}`);
  for (const wrong of wrongIn(site.folder)) site.lose(`storm ${round}: ${wrong}`);
}

/** A tick that fails is made good by the next one. */
async function failingTicks(folder: string, site: Site, nths: number): Promise<void> {
  mkdirSync(folder);
  const opened = await openAt(folder, () => START);
  await addSeries(opened, SERIES, 0);
  await opened.close();
  const child = fork(join(import.meta.dirname, 'ticking.ts'), [join(folder, 'errand.db')]);
  await once(child, 'message');
  const tick = async (now: number): Promise<boolean> => {
    const served = once(child, 'message');
    child.send(now);
    const [response] = await served;
    site.count(`tick ${response === 'done' ? 'done' : 'failed'}`);
    return response === 'done';
  };
  let days = 0;
  for (const fault of FAULTS) {
    for (const nth of points(nths)) {
      const now = AT_NINE + days * DAY;
      days += 1;
      const stop = await injecting(child.pid, [nthOf(fault, nth)]);
      const isDone = await tick(now);
      await stop();
      if (!isDone && !(await tick(now))) site.lose(`${nthOf(fault, nth)}: no recovery of the tick`);
      for (const wrong of wrongTicked(folder, now, days)) site.lose(`${nthOf(fault, nth)}: ${wrong}`);
      if (isDone) break;
    }
  }
  child.kill();
  await once(child, 'exit');
}

function wrongTicked(folder: string, now: number, days: number): string[] {
  const [tasks, waiting] = [tasksIn(folder), waitingIn(folder, now)];
  return [
    ...wrongIn(folder),
    ...(tasks === SERIES * (days + 1) ? [] : [`${tasks} tasks, not ${SERIES * (days + 1)}`]),
    ...(waiting === 0 ? [] : [`${waiting} series wait`]),
  ];
}

/** A backup is whole, or there is none and nothing else. */
async function failingBackups(site: Site, nths: number): Promise<void> {
  for (const fault of FAULTS) {
    for (const nth of points(nths)) {
      const file = join(site.folder, 'backup.db');
      const isMade = await backUp(site, file, nthOf(fault, nth));
      site.count(`backup ${isMade ? 'done' : 'failed'}`);
      const what = nthOf(fault, nth);
      if (isMade !== existsSync(file))
        site.lose(`${what}: ${isMade ? 'no backup' : 'half a backup'} is there`);
      if (isMade) {
        const restored = join(site.folder, 'restored');
        mkdirSync(restored);
        await errand(restored, ['restore', file, '--yes']);
        for (const wrong of wrongIn(restored)) site.lose(`${what}: ${wrong}`);
        rmSync(restored, { recursive: true });
        rmSync(file);
      }
      const left = readdirSync(site.folder).filter((name) => name.startsWith('backup'));
      if (left.length > 0) site.lose(`${what}: left ${left}`);
      if (isMade) break;
    }
  }
  for (const wrong of wrongIn(site.folder)) site.lose(`after the backups: ${wrong}`);
}

async function backUp(site: Site, file: string, fault: string): Promise<boolean> {
  try {
    await errand(site.folder, ['backup', file], meeting([fault]));
    return true;
  } catch (error) {
    if (!String(error).includes('errand: ')) site.lose(`${fault}: a backup failed with ${error}`);
    return false;
  }
}
