/**
 * Lets the disk fail under the real server, and holds it to clean refusals and to recovery without a restart:
 *   node test/faults/disk.ts [--rounds 3]
 * Full: a small tmpfs that is filled up. Failing: strace answers the server's writes and syncs with an error, the
 * first, second, … until an operation meets none. Needs Linux, root and strace. Exit code 1 when anything is amiss.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import SqliteDatabase from 'better-sqlite3';
import {
  type Answer,
  call,
  createMailbox,
  type Mailbox,
  mailThat,
  type ServerProcess,
  startServer,
} from './server.ts';

const MOST_FAULTS = 40;
/** A start makes hundreds of writes: the later ones are tried more and more sparsely. */
const SPARSER = 4;
const FAULTS = ['pwrite64:error=ENOSPC', 'pwrite64:error=EIO', 'fsync:error=EIO'];
const STORM = ['pwrite64:error=EIO:when=7+13', 'fsync:error=EIO:when=1+2'];

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const faults: string[] = [];
const answers: Record<string, number> = {};
const met: Record<string, number> = {};
const amiss = (what: string) => faults.push(what);

/** Someone signed in, whose name tells what was acknowledged. */
interface Person {
  base: string;
  token: string;
  name: string;
}

async function signUp(base: string, mailbox: Mailbox): Promise<Person> {
  const email = `${crypto.randomUUID()}@example.com`;
  const body = { email, password: `password of ${email}`, name: 'First' };
  await call(base, 'POST', '/auth/register', { body });
  const { text } = await mailThat(mailbox, ({ to }) => to === email);
  const token = /[\w-]{43}/.exec(text)?.[0];
  const confirmed = await call(base, 'POST', '/auth/register/confirm', { body: { token } });
  return { base, token: confirmed?.body.accessToken, name: 'First' };
}

/** Only these answers are clean: done, or 503 in JSON that tells nothing of the disk. */
function note(kind: string, answer: Answer | undefined, done: number): boolean {
  const key = `${kind} ${answer?.status ?? 'broken'}`;
  answers[key] = (answers[key] ?? 0) + 1;
  if (answer?.status === done) return true;
  if (answer?.status !== 503 || answer.body.error !== 'ServiceUnavailableError') {
    amiss(`${kind} was answered ${JSON.stringify(answer)}`);
  }
  return false;
}

async function rename(person: Person): Promise<boolean> {
  const name = `Name ${crypto.randomUUID()}`;
  const answer = await call(person.base, 'PATCH', '/me', { token: person.token, body: { name } });
  const isDone = note('rename', answer, 200);
  if (isDone) person.name = name;
  return isDone;
}

async function register(base: string): Promise<boolean> {
  const email = `${crypto.randomUUID()}@example.com`;
  const body = { email, password: `password of ${email}`, name: 'x' };
  return note('register', await call(base, 'POST', '/auth/register', { body }), 201);
}

async function readsBack(person: Person, when: string): Promise<void> {
  const answer = await call(person.base, 'GET', '/me', { token: person.token });
  answers[`read ${answer?.status}`] = (answers[`read ${answer?.status}`] ?? 0) + 1;
  if (answer?.body.name !== person.name) amiss(`${when}: read ${JSON.stringify(answer)}, not ${person.name}`);
}

async function recovers(person: Person, when: string): Promise<void> {
  for (const write of [() => rename(person), () => register(person.base)]) {
    if (!(await write())) amiss(`${when}: no recovery`);
  }
  await readsBack(person, `${when}, recovered`);
}

function checkFile(folder: string, when: string): void {
  const db = new SqliteDatabase(join(folder, 'errand.db'), { readonly: true });
  const integrity = db.pragma('integrity_check', { simple: true });
  const orphans = db.pragma('foreign_key_check');
  db.close();
  if (integrity !== 'ok' || JSON.stringify(orphans) !== '[]')
    amiss(`${when}: ${integrity} ${JSON.stringify(orphans)}`);
}

async function stops(server: ServerProcess, when: string): Promise<void> {
  server.child.kill('SIGTERM');
  await server.ended;
  if (server.child.exitCode !== 0) amiss(`${when}: ended with ${server.child.exitCode}`);
}

const fill = (file: string) => {
  writeFileSync(file, '');
  for (const size of [65_536, 4_096, 512, 1]) {
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size));
    } catch {}
  }
};

async function fullDisk(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=700', 'errand-full', folder]);
  const ballast = join(folder, 'ballast');
  const mailbox = createMailbox();
  try {
    const server = startServer(folder, mailbox);
    const base = await server.listening;
    const person = await signUp(base, mailbox);
    for (let round = 1; round <= Number(options.rounds); round++) {
      const when = `full disk, round ${round}`;
      fill(ballast);
      let refusals = 0;
      for (let i = 0; i < 2_000 && refusals < 30; i++)
        if (!(await (i % 5 ? rename(person) : register(base)))) refusals += 1;
      if (refusals < 30) amiss(`${when}: never full`);
      await readsBack(person, when);
      rmSync(ballast);
      await recovers(person, when);
      checkFile(folder, when);
    }
    fill(ballast);
    await rename(person);
    await stops(server, 'full disk');
    rmSync(ballast);
    const again = startServer(folder, mailbox);
    await readsBack({ ...person, base: await again.listening }, 'after a stop on a full disk');
    await stops(again, 'after a full disk');
    checkFile(folder, 'after a full disk');
  } finally {
    execFileSync('umount', ['-l', folder]);
    rmdirSync(folder);
  }
}

async function firstStartOnFullDisk(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=700', 'errand-full', folder]);
  const ballast = join(folder, 'ballast');
  try {
    fill(ballast);
    const refused = startServer(folder, createMailbox());
    await refused.ended;
    const said = refused.complaints.join('\n');
    console.log('a first start on a full disk says:', said.slice(0, 400));
    if (!refused.child.exitCode || !said.includes('errand.db')) amiss(`a start on a full disk: ${said}`);
    rmSync(ballast);
    execFileSync('mount', ['-o', 'remount,size=16m', folder]);
    const started = startServer(folder, createMailbox());
    await started.listening;
    await stops(started, 'a start after one on a full disk');
  } finally {
    execFileSync('umount', ['-l', folder]);
    rmdirSync(folder);
  }
}

/** Has strace answer the server's system calls with errors until it is told to stop. */
async function injecting(server: ServerProcess, injections: string[]): Promise<() => Promise<void>> {
  const tracer: ChildProcess = spawn(
    'strace',
    [
      '-p',
      String(server.child.pid),
      '-o',
      '/dev/null',
      ...injections.flatMap((text) => ['-e', `inject=${text}`]),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = once(tracer, 'close');
  if (tracer.stderr) await once(createInterface({ input: tracer.stderr }), 'line');
  return async () => {
    tracer.kill('SIGINT');
    await ended;
  };
}

async function failingDisk(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-failing-'));
  const mailbox = createMailbox();
  const server = startServer(folder, mailbox);
  const base = await server.listening;
  const people = await Promise.all(Array.from({ length: 8 }, () => signUp(base, mailbox)));
  const person = people[0] ?? (await signUp(base, mailbox));
  for (const fault of FAULTS) {
    for (const write of [() => rename(person), () => register(base)]) {
      for (let nth = 1, isMet = true; isMet && nth <= MOST_FAULTS; nth++) {
        const stop = await injecting(server, [`${fault}:when=${nth}`]);
        isMet = !(await write());
        await readsBack(person, `${fault}, the ${nth}th`);
        await stop();
        if (isMet) met[fault] = (met[fault] ?? 0) + 1;
        await recovers(person, `${fault}, the ${nth}th`);
      }
    }
    const stop = await injecting(server, [`${fault}:when=1+`]);
    for (let i = 0; i < 5; i++) await rename(person);
    await readsBack(person, `${fault}, all`);
    await stop();
    await recovers(person, `${fault}, all`);
  }
  for (let round = 1; round <= Number(options.rounds); round++) {
    const stop = await injecting(server, STORM);
    await Promise.all(
      people.map(async (one) => {
        for (let i = 0; i < 80; i++) await rename(one);
      }),
    );
    await stop();
    for (const one of people) await recovers(one, `storm ${round}`);
    checkFile(folder, `storm ${round}`);
  }
  server.child.kill('SIGKILL');
  await server.ended;
  const again = startServer(folder, mailbox);
  const newBase = await again.listening;
  for (const one of people) await readsBack({ ...one, base: newBase }, 'after a kill');
  checkFile(folder, 'after a kill');
  await stops(again, 'after a kill');
  rmSync(folder, { recursive: true, force: true });
}

/** Kills or fails a first start, migrations included, at this write or that; the next one must do it all. */
async function failingStarts(): Promise<void> {
  for (const called of ['pwrite64', 'fsync']) {
    // A kill always ends a start, so it tells how many calls one makes; some errors it may survive.
    let calls = 0;
    for (let nth = 1; await startFails(`${called}:signal=KILL`, nth); nth = sparser(nth)) calls = nth;
    for (const fault of FAULTS.filter((text) => text.startsWith(called))) {
      for (let nth = 1; nth <= calls; nth = sparser(nth)) await startFails(fault, nth);
    }
  }
}

const sparser = (nth: number) => nth + 1 + Math.floor(nth / SPARSER);

async function startFails(fault: string, nth: number): Promise<boolean> {
  const when = `a start with ${fault}, the ${nth}th`;
  const folder = mkdtempSync(join(tmpdir(), 'errand-start-'));
  const inject = ['strace', '-D', '-o', '/dev/null', '-e', `inject=${fault}:when=${nth}`];
  const server = startServer(folder, createMailbox(), inject);
  const fails = await server.listening.then(
    () => false,
    () => true,
  );
  if (fails) met[`start ${fault}`] = (met[`start ${fault}`] ?? 0) + 1;
  if (fails && server.child.exitCode === 0) amiss(`${when}: ended with 0`);
  server.child.kill('SIGKILL');
  await server.ended;
  const next = startServer(folder, createMailbox());
  await next.listening.then(
    () => stops(next, when),
    (error) => amiss(`${when}: then ${error}`),
  );
  checkFile(folder, when);
  rmSync(folder, { recursive: true, force: true });
  return fails;
}

await fullDisk();
await firstStartOnFullDisk();
await failingDisk();
await failingStarts();
console.log('faults met:', met);
console.log('answers:', answers);
console.log(faults.length === 0 ? 'amiss: nothing' : `AMISS:\n${faults.slice(0, 40).join('\n')}`);
process.exit(faults.length === 0 ? 0 : 1);
