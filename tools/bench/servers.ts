import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { SignJWT } from 'jose';
import { memoryOf } from '../faults/latency.ts';
import { EMAIL, FLOOR_SESSION, PASSWORD } from './data.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;
const COMMIT_EACH = new URL('commit-each.ts', import.meta.url).href;
const FLOOR = new URL('floor.ts', import.meta.url).pathname;
const READY_MS = 30_000;

export interface Server {
  port: number;
  token: string;
  /** Milliseconds from exec to the first response. */
  readyAfter: number;
  /** Seconds of processor time used so far by all its threads; undefined where the system does not tell. */
  processorSeconds(): number | undefined;
  /** Megabytes held; undefined where the system does not tell. */
  megabytes(): number | undefined;
  stop(): Promise<void>;
}

interface ErrandOptions {
  /** The data holds the person who signs in. */
  isSeeded: boolean;
  /** One commit for each request, instead of one for many. */
  commitsEach?: boolean;
  /** Where processor profiles are written when it stops. */
  profiles?: string | undefined;
  /** A checkout of another state of Errand, whose sources are run. */
  beside?: string | undefined;
  /** The built executable instead of the sources. */
  executable?: string | undefined;
}

/** Errand on the data in `folder`. */
export async function startErrand(folder: string, options: ErrandOptions): Promise<Server> {
  const port = await freePort();
  const settings = {
    ERRAND_SERVER_PORT: String(port),
    ERRAND_DATABASE_PATH: join(folder, 'errand.db'),
    ERRAND_RATE_LIMITS_ENABLED: 'false',
    ERRAND_LOG_LEVEL: 'silent',
    ERRAND_AUTH_ACCESS_TOKEN_MINUTES: '1440',
    ERRAND_BACKUP_SCHEDULE: '',
    ...(options.beside === undefined && { ERRAND_QUOTAS_TASKS: '0' }),
  };
  const command = options.executable
    ? [options.executable, 'serve']
    : [
        process.execPath,
        ...flagsOf(options.profiles),
        ...(options.commitsEach ? ['--import', COMMIT_EACH] : []),
        options.beside === undefined ? MAIN : join(options.beside, 'src/main.ts'),
        'serve',
      ];
  const started = await start(command, settings, port, folder);
  return { ...started, token: options.isSeeded ? await signIn(port) : '' };
}

/** The floor on the data in `folder`, one commit for each turn of the event loop or for each request. */
export async function startFloor(
  folder: string,
  commits: 'group' | 'each',
  profiles?: string,
): Promise<Server> {
  const port = await freePort();
  const secret = randomBytes(32);
  const settings = {
    FLOOR_PORT: String(port),
    FLOOR_PATH: join(folder, 'floor.db'),
    FLOOR_SECRET: secret.toString('base64url'),
    FLOOR_COMMITS: commits,
  };
  const db = new SqliteDatabase(join(folder, 'floor.db'), { readonly: true });
  const userId = db.prepare('select user_id from sessions where id = ?').pluck().get(FLOOR_SESSION);
  db.close();
  const token = await new SignJWT({ sid: FLOOR_SESSION })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'floor' })
    .setSubject(String(userId))
    .setExpirationTime('1 day')
    .sign(secret);
  return { ...(await start([process.execPath, ...flagsOf(profiles), FLOOR], settings, port, folder)), token };
}

const flagsOf = (profiles: string | undefined): string[] =>
  profiles === undefined ? [] : ['--cpu-prof', '--cpu-prof-dir', profiles];

async function start(
  [command = '', ...args]: string[],
  settings: Record<string, string>,
  port: number,
  folder: string,
): Promise<Omit<Server, 'token'>> {
  const { PATH } = process.env;
  const began = performance.now();
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...(PATH !== undefined && { PATH }), ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  while (!(await isServing(port))) {
    if (child.exitCode !== null) throw new Error(`A server ended at once: ${command} ${args.join(' ')}`);
    if (performance.now() - began > READY_MS)
      throw new Error(`A server never responded: ${command} ${args.join(' ')}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const { pid } = child;
  return {
    port,
    readyAfter: performance.now() - began,
    processorSeconds: () => ofSystem(() => secondsOf(pid)),
    megabytes: () => ofSystem(() => memoryOf(pid)),
    stop: () => stopped(child),
  };
}

const isServing = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } }).then(
    () => true,
    () => false,
  );

/** An access token. */
export async function signIn(port: number, email = EMAIL): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const session = (await response.json()) as { accessToken?: string };
  if (session.accessToken === undefined) throw new Error(`Sign-in failed: ${JSON.stringify(session)}`);
  return session.accessToken;
}

const stopped = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

const ofSystem = (read: () => number): number | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/** The first number of `schedstat` is the nanoseconds that a thread ran. */
const secondsOf = (pid: number | undefined): number =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]))
    .reduce((sum, nanoseconds) => sum + nanoseconds / 1e9, 0);
