import { createHash } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, onTestFinished, TestRunner } from 'vitest';
import { type App, createApp } from '../src/app.ts';
import { createConfig } from '../src/config.ts';
import type { WalSync } from '../src/db/wal-sync.ts';
import type { Deps } from '../src/deps.ts';
import { ownHeadersOf } from '../src/http/openapi-created.ts';
import { errorsOf } from '../src/http/openapi-errors.ts';
import { isVersioned, type Route } from '../src/http/route.ts';
import { silentLog } from '../src/kernel/log.ts';
import { once } from '../src/kernel/once.ts';
import type { OutgoingMail, Transport } from '../src/mail/worker.ts';
import { type Opened, openDeps } from '../src/open.ts';
import { routes } from '../src/routes.ts';
import { everySetting, isSecret } from '../src/settings.ts';
import type { Passwords } from '../src/users/passwords.ts';
import { openWatchedLog } from './watched-log.ts';

export const START = Date.parse('2026-03-27T10:00:00.000Z');

export interface Call {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
  address?: string;
}

export interface TestResponse {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever the response holds
  body: any;
  headers: Headers;
}

export interface Person {
  id: string;
  email: string;
  password: string;
  accessToken: string;
  refreshToken: string;
}

/** The whole application in process, on a real database file of its own, with a clock that the test moves. */
export interface World {
  app: App;
  deps: Deps;
  opened: Opened;
  folder: string;
  clock: { now(): number; advance(ms: number): void; set(ms: number): void };
  /** Every mail sent so far. */
  mails: OutgoingMail[];
  /** Every line of the log so far, as JSON. At `close` none may hold a secret that went in or out. */
  log: string[];
  call(method: string, path: string, call?: Call): Promise<TestResponse>;
  /** Waits until everything that was caused has happened: commits, mails. */
  untilIdle(): Promise<void>;
  /** The newest mail to an address. */
  mailTo(email: string): Promise<OutgoingMail>;
  /** Signs up, confirms by mail, and returns the signed-in person. */
  signUp(email?: string, name?: string): Promise<Person>;
  /** The rows that a query finds in what is committed. */
  rows<Row>(sql: string, ...values: unknown[]): Row[];
  /** The first column of each. */
  values<Value>(sql: string, ...values: unknown[]): Value[];
  /** How many rows a table has, or what else follows `from`. */
  count(from: string, ...values: unknown[]): number;
  /** How many commits something takes. */
  commitsOf(act: () => Promise<unknown>): Promise<number>;
  /** In how many steps each write is done from now on that goes in steps. */
  watchSteps(): number[];
  /** Writes past the application. */
  run(sql: string, ...values: unknown[]): void;
  /** Stops, and opens the same data again, at the same time unless the options say another. */
  reopen(options?: WorldOptions): Promise<World>;
  close(): Promise<void>;
}

export interface WorldOptions {
  settings?: Record<string, Record<string, unknown>>;
  passwords?: Passwords;
  transport?: Transport;
  walSync?: WalSync;
  endProcess?: () => void;
  /** A data folder to open again instead of a fresh one. */
  folder?: string;
  start?: number;
}

/** Closes something once the test under way has finished; opened outside of a test, it is closed by whoever opened it. */
export function closeAfterTest(close: () => Promise<void>): void {
  if (TestRunner.getCurrentTest()) onTestFinished(close);
}

let template: Promise<string> | undefined;

/**
 * Opens a world on a fresh copy of a migrated database, to be closed as `closeAfterTest` says. Rate limits are off unless
 * a setting says otherwise.
 */
export async function openWorld(options: WorldOptions = {}): Promise<World> {
  const folder = options.folder ?? (await freshFolder());
  const config = createConfig(
    {
      rate_limits: { enabled: false },
      log: { level: 'trace' },
      ...options.settings,
      database: { path: join(folder, 'errand.db'), ...options.settings?.database },
    },
    folder,
  );
  let time = options.start ?? START;
  const clock = {
    now: () => time,
    advance: (ms: number) => {
      time += ms;
    },
    set: (ms: number) => {
      time = ms;
    },
  };
  const mails: OutgoingMail[] = [];
  const watched = openWatchedLog(config.log.level);
  for (const [section, key, schema] of everySetting()) {
    if (isSecret(schema)) watched.isSecret((config[section] as Record<string, unknown>)[key]);
  }
  const transport = options.transport ?? collecting(mails);
  const opened = await openDeps(config, watched.log, {
    role: 'server',
    doubles: {
      clock,
      passwords: options.passwords ?? quickPasswords,
      transport: {
        deliver: (mail) => {
          for (const secret of [mail.token, mail.code, mail.link]) watched.isSecret(secret);
          return transport.deliver(mail);
        },
        erasesTaken: transport.erasesTaken,
        verify: () => transport.verify(),
        close: () => transport.close(),
      },
      mailPauseMs: 0,
      ...(options.walSync && { walSync: options.walSync }),
      ...(options.endProcess && { endProcess: options.endProcess }),
    },
  });
  // A test may close the data alone, to open it again.
  opened.close = once(opened.close);
  const app = createApp(opened.deps);
  const { base_path: basePath } = config.server;

  const call = async (method: string, path: string, { token, body, headers, address }: Call = {}) => {
    watched.isSecret(token);
    watched.isSecret(headers?.Authorization);
    watched.notesSecretsOf(body);
    watched.isSecret(/=([^;]*)/.exec(headers?.Cookie ?? '')?.[1]);
    watched.isSecret(new URLSearchParams(path.split('?')[1]).get('q'));
    const received = await app.request(
      path.startsWith('//') ? path.slice(1) : basePath + path,
      {
        method,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && {
          body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
        }),
      },
      { incoming: { socket: { remoteAddress: address ?? '127.0.0.1' } } },
    );
    const text = await textOf(received);
    const isJson = received.headers.get('content-type')?.startsWith('application/json') ?? false;
    const response: TestResponse = {
      status: received.status,
      body: isJson && method !== 'HEAD' ? JSON.parse(text) : text || undefined,
      headers: received.headers,
    };
    watched.notesSecretsOf(response.body);
    watched.isSecret(/=([^;]*)/.exec(response.headers.get('set-cookie') ?? '')?.[1]);
    checkShape(method, path, response);
    return response;
  };

  const untilIdle = async () => {
    await opened.writer.idle();
    await opened.deps.mailer.idle();
    await opened.writer.idle();
  };

  const mailTo = async (email: string) => {
    await untilIdle();
    const found = mails.findLast(({ to }) => to === email);
    if (!found) throw new Error(`No mail to ${email}`);
    return found;
  };

  const close = async () => {
    await opened.close();
    if (!options.folder) rmSync(folder, { recursive: true, force: true });
    watched.prove();
  };
  closeAfterTest(close);
  const { reading, writing } = opened.storage;
  const values = <Value>(sql: string, ...given: unknown[]) =>
    reading
      .prepare<unknown[], Value>(sql)
      .pluck()
      .all(...given);

  return {
    app,
    deps: opened.deps,
    opened,
    folder,
    clock,
    mails,
    log: watched.lines,
    call,
    untilIdle,
    mailTo,
    signUp: async (email = `${crypto.randomUUID()}@example.com`, name = 'Ada') => {
      const password = `password of ${email}`;
      expect((await call('POST', '/auth/register', { body: { email, password, name } })).status).toBe(201);
      const { token } = await mailTo(email.toLowerCase());
      const { status, body } = await call('POST', '/auth/register/confirm', { body: { token } });
      expect(status).toBe(201);
      return {
        id: body.user.id,
        email,
        password,
        accessToken: body.accessToken,
        refreshToken: body.refreshToken,
      };
    },
    rows: <Row>(sql: string, ...given: unknown[]) => reading.prepare<unknown[], Row>(sql).all(...given),
    values,
    count: (from, ...given) => values<number>(`select count(*) from ${from}`, ...given)[0] ?? Number.NaN,
    commitsOf: async (act) => {
      const before = opened.writer.counts.commits;
      await act();
      return opened.writer.counts.commits - before;
    },
    watchSteps: () => {
      const counts: number[] = [];
      const { writeInSteps } = opened.deps;
      opened.deps.writeInSteps = (change, from) =>
        writeInSteps(function* (tx) {
          const running = change(tx);
          for (let steps = 1; ; steps += 1) {
            const { done, value } = running.next();
            if (done) {
              counts.push(steps);
              return value;
            }
            yield;
          }
        }, from);
      return counts;
    },
    run: (sql, ...given) => void writing.prepare(sql).run(...given),
    reopen: async (more = {}) => {
      await opened.close();
      return openWorld({ start: time, ...more, folder });
    },
    close,
  };
}

/** Quick where the real ones are slow on purpose; otherwise they keep the same promises. */
export const quickPasswords: Passwords = {
  requireCapacity: () => {},
  hash: async (password) => `quick:${createHash('sha256').update(password).digest('hex')}`,
  verify: async (stored, password) =>
    stored === `quick:${createHash('sha256').update(password).digest('hex')}`,
  isOutdated: () => false,
};

export const collecting = (mails: OutgoingMail[]): Transport => ({
  deliver: async (mail) => {
    mails.push(mail);
    return { kind: 'taken' };
  },
  erasesTaken: true,
  verify: async () => undefined,
  close: () => {},
});

/** The declared route that a call goes to, if there is one. */
const routeOf = (method: string, path: string): Route | undefined =>
  routes.find(
    (route) =>
      route.method === method.toLowerCase() &&
      new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path.replace(/\?.*$/, '')),
  );

/** Its body; of a stream, which would not end, nothing. */
export async function textOf(response: Response): Promise<string> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return '';
  }
  if (response.headers.get('content-encoding') !== 'gzip') return response.text();
  return gunzipSync(await response.arrayBuffer()).toString();
}

/** Every response must be what its route declares: status, and the body of a success to the last field. */
function checkShape(method: string, path: string, response: TestResponse): void {
  const route = routeOf(method, path);
  if (!route) return;
  if (response.status === 304) {
    expect(isVersioned(route) && route.method === 'get').toBe(true);
    expect(response.body).toBeUndefined();
    return;
  }
  if (response.status >= 300) {
    expect(errorsOf(route), `${method} ${route.path} does not declare this rejection`).toContain(
      response.status,
    );
    return;
  }
  if (response.status === route.otherResponses?.status) {
    expect(response.body).toBeUndefined();
    return;
  }
  for (const name of ['Set-Cookie', 'Content-Disposition'])
    if (response.headers.has(name)) expect(Object.keys(ownHeadersOf(route))).toContain(name);
  if (!(route.existing && response.status === 200)) expect(response.status).toBe(route.status);
  if (route.response === undefined || route.isStream) expect(response.body).toBeUndefined();
  else expect(route.response.parse(response.body)).toEqual(response.body);
  if (isVersioned(route)) {
    expect(response.headers.get('etag')).toMatch(new RegExp(`^(W/)?"[0-9a-f]{8}-${response.body.version}"$`));
  }
}

async function freshFolder(): Promise<string> {
  template ??= makeTemplate();
  const folder = mkdtempSync(join(tmpdir(), 'errand-test-'));
  copyFileSync(await template, join(folder, 'errand.db'));
  return folder;
}

async function makeTemplate(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'errand-template-'));
  const config = createConfig({ database: { path: join(folder, 'errand.db') } });
  const opened = await openDeps(config, silentLog, { role: 'server' });
  opened.storage.writing.pragma('wal_checkpoint(truncate)');
  await opened.close();
  return join(folder, 'errand.db');
}
