import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { drill, type Site } from './drill.ts';
import { type Operation, recovers, startOperations, wasDone } from './operations.ts';
import { filesIn, rejects } from './rejection.ts';
import { createMailbox, startServer, stops } from './server.ts';
import { wrongIn } from './wrong.ts';

const MAX_WRITES = 2_000;
const REJECTIONS = 30;
/** Readiness is looked at again every 5 seconds. */
const READINESS_MS = 7_000;

/** A disk without space rejects writes, serves reads, and is used again once there is some; a read-only one stops a start. */
export const space = drill({
  about: 'a full disk and a read-only one, at start and while running (needs root)',
  counts: { rounds: 2 },
  run: async (site, { rounds }) => {
    await mounted(site, 'full', 'size=16m', (folder) => fullDisk({ ...site, folder }, rounds));
    await mounted(site, 'first', 'size=256k', (folder) => firstStart({ ...site, folder }));
    await mounted(site, 'readonly', 'size=16m', (folder) => readOnlyDisk({ ...site, folder }));
  },
});

async function mounted(site: Site, name: string, size: string, work: (folder: string) => Promise<void>) {
  const folder = join(site.folder, name);
  mkdirSync(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `${size},mode=700`, 'errand-drill', folder]);
  try {
    await work(folder);
  } finally {
    execFileSync('umount', ['-l', folder]);
  }
}

const remount = (folder: string, how: string) => execFileSync('mount', ['-o', `remount,${how}`, folder]);

const ballastIn = (folder: string) => join(folder, 'ballast');

function fill(folder: string): void {
  writeFileSync(ballastIn(folder), '');
  for (const size of [65_536, 4_096, 512, 1]) {
    try {
      for (;;) appendFileSync(ballastIn(folder), Buffer.alloc(size));
    } catch {}
  }
}

async function fullDisk(site: Site, rounds: number): Promise<void> {
  const { folder } = site;
  const mailbox = createMailbox();
  const server = startServer(folder, mailbox);
  const base = await server.listening;
  const operations = await startOperations(site, base, mailbox);
  for (let round = 1; round <= rounds; round += 1) {
    const when = `full disk, round ${round}`;
    fill(folder);
    await writeUntilRejected(site, operations, when);
    if ((await fetch(new URL('/healthz', base))).status !== 200) site.lose(`${when}: not alive`);
    await readinessIs(site, base, 503, when);
    rmSync(ballastIn(folder));
    await readinessIs(site, base, 200, when);
    await recovers(site, operations, when);
    for (const wrong of wrongIn(folder)) site.lose(`${when}: ${wrong}`);
  }
  fill(folder);
  await stops(server, site, 'a stop on a full disk');
  rmSync(ballastIn(folder));
  const again = startServer(folder, mailbox);
  await again.listening;
  await stops(again, site, 'after a stop on a full disk');
  for (const wrong of wrongIn(folder)) site.lose(`after a stop on a full disk: ${wrong}`);
}

/** Fills what is left with tasks; each is there if and only if it was acknowledged, which reads tell meanwhile. */
async function writeUntilRejected(site: Site, operations: Operation[], when: string): Promise<void> {
  const [add] = operations.toReversed();
  let rejections = 0;
  for (let i = 0; add && i < MAX_WRITES && rejections < REJECTIONS; i += 1) {
    const attempt = await add.prepare();
    const isDone = wasDone(site, add, attempt, await attempt.act());
    if (!isDone) rejections += 1;
    if (!(await attempt.isAsReturned(isDone))) site.lose(`${when}: a task is not as returned`);
  }
  if (rejections < REJECTIONS) site.lose(`${when}: never full`);
}

async function readinessIs(site: Site, base: string, status: number, when: string): Promise<void> {
  const patience = performance.now() + READINESS_MS;
  let found = 0;
  while (found !== status && performance.now() < patience) {
    found = (await fetch(new URL('/readyz', base))).status;
    if (found !== status) await wait(200);
  }
  site.count(`readiness ${found}`);
  if (found !== status) site.lose(`${when}: readiness stays ${found}, not ${status}`);
}

async function firstStart(site: Site): Promise<void> {
  const { folder } = site;
  fill(folder);
  await rejects(site, startServer(folder, createMailbox()), 'a first start on a full disk', /no space left/);
  rmSync(ballastIn(folder));
  remount(folder, 'size=16m');
  await starts(site, 'a start after one on a full disk');
}

async function readOnlyDisk(site: Site): Promise<void> {
  const { folder } = site;
  for (const when of ['a first start on a read-only disk', 'a start on data that became read-only']) {
    const before = filesIn(folder);
    remount(folder, 'ro');
    await rejects(site, startServer(folder, createMailbox()), when, /cannot be written|read-only/);
    remount(folder, 'rw');
    if (filesIn(folder) !== before) site.lose(`${when}: changed a file`);
    await starts(site, `the start after ${when}`);
  }
}

async function starts(site: Site, when: string): Promise<void> {
  const started = startServer(site.folder, createMailbox());
  await started.listening.catch((error) => site.lose(`${when}: ${error}`));
  await stops(started, site, when);
  for (const wrong of wrongIn(site.folder)) site.lose(`${when}: ${wrong}`);
}
