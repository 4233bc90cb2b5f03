import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants, getPriority } from 'node:os';
import { join, resolve } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { children, folder, MAIN, start, useFolder, watch } from './commands.ts';

useFolder();

describe('the log of a server', () => {
  /** Starts a server whose stderr is a file, and returns the lines it wrote by the time it stopped. */
  async function linesOf(environment: (file: string) => Record<string, string>): Promise<string[]> {
    const file = join(folder, 'stderr');
    const stderr = openSync(file, 'w');
    const { dev, ino } = fstatSync(stderr);
    const child = spawn(process.execPath, [MAIN, 'serve'], {
      cwd: folder,
      env: { ERRAND_SERVER_PORT: '0', ...environment(`${dev}:${ino}`) },
      stdio: ['ignore', 'ignore', stderr],
    });
    children.push(child);
    closeSync(stderr);
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('listening');
    child.kill('SIGTERM');
    await once(child, 'close');
    return readFileSync(file, 'utf8').trim().split('\n');
  }

  it('carries the priority of each line where it goes to the journal of systemd, and JSON behind it', async () => {
    const lines = await linesOf((file) => ({ JOURNAL_STREAM: file }));
    for (const line of lines) {
      expect(line).toMatch(/^<[2-7]>\{/);
      expect(JSON.parse(line.slice(3)).level).toBe(line.startsWith('<6>') ? 30 : 40);
    }
  });

  it('is plain JSON elsewhere, also under a service that wrote its journal to another file', async () => {
    const lines = await linesOf(() => ({ JOURNAL_STREAM: '1:2' }));
    for (const line of lines) expect(JSON.parse(line).level).toBeGreaterThanOrEqual(30);
  });

  it('has no escape sequence in a file, pretty or not', async () => {
    const lines = await linesOf(() => ({ ERRAND_LOG_FORMAT: 'pretty' }));
    expect(lines.join('\n')).not.toContain('\x1b');
  });
});

describe('the process', () => {
  it.each([
    ['--version', /^errand \d+\.\d+\.\d+ \(Node\.js \d+\.\d+\.\d+, SQLite \d+\.\d+\.\d+\)\n$/],
    ['--help', /^Usage: errand /],
  ])('%s writes to stdout and to no file, in an empty environment', async (arg, expected) => {
    expect(await start([arg]).ended).toEqual({ code: 0, out: expect.stringMatching(expected), err: '' });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('ends with 2 when it is misused and with 1 when it fails', async () => {
    const ends = await Promise.all([start(['tidy']).ended, start(['users', 'list']).ended]);
    expect(ends.map(({ code, out }) => [code, out])).toEqual([
      [2, ''],
      [1, ''],
    ]);
    expect(ends[1]?.err).toBe(
      `errand: There is no database at ${join(folder, 'data/errand.db')}: \`errand migrate\` makes one, or \`errand serve\`\n`,
    );
  });

  it('serve tells where its data is and how much, keeps it private, rejects a second server, stops gently', async () => {
    const environment = { ERRAND_SERVER_PORT: '0', ERRAND_SERVER_HOST: '0.0.0.0', ERRAND_PORT: 'x' };
    const server = start(['serve'], environment);
    const lines = Promise.all([
      server.logged('starting'),
      server.logged('data opened'),
      server.logged('listening'),
    ]);
    const [starting, opened] = await lines;
    expect(starting).toMatchObject({ configurationFile: null, version: expect.any(String) });
    expect(opened).toMatchObject({
      database: join(folder, 'data/errand.db'),
      schema: expect.stringMatching(/^\d{4}_/),
      rows: { users: 0, workspaces: 0 },
    });
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700);
    for (const file of readdirSync(join(folder, 'data'))) {
      expect([file, statSync(join(folder, 'data', file)).mode & 0o077]).toEqual([file, 0]);
    }
    for (const command of ['serve', 'migrate']) {
      const { code, err } = await start([command], environment).ended;
      expect(code).toBe(1);
      expect(err).toMatch(/errand: Another Errand process is using .*errand\.db; stop it first\n$/);
      expect(err).not.toContain('    at ');
    }
    server.child.kill('SIGTERM');
    const { code, out, err } = await server.ended;
    expect([code, out]).toEqual([0, '']);
    expect(err).toContain('ERRAND_PORT is not a setting');
    expect(err).toContain('server.public_url is not set');
    expect(err).toContain('"msg":"stopped"');
  });

  it.runIf(process.platform === 'linux')(
    'serve has the processor before the threads that collect its garbage, which come before all else',
    async () => {
      const server = start(['serve'], { ERRAND_SERVER_PORT: '0' });
      await server.logged('listening');
      const tasks = `/proc/${server.child.pid}/task`;
      const helpers = readdirSync(tasks).filter(
        (thread) => readFileSync(join(tasks, thread, 'comm'), 'utf8') === 'node-V8Worker\n',
      );
      const own = getPriority();
      expect(getPriority(server.child.pid)).toBe(own);
      expect(new Set(helpers.map((thread) => getPriority(Number(thread))))).toEqual(
        new Set([Math.max(own, constants.priority.PRIORITY_BELOW_NORMAL)]),
      );
      server.child.kill('SIGTERM');
      await server.ended;
    },
  );

  it.runIf(process.platform === 'linux')(
    'serve lives on when the terminal closes that it was started from and does not write to',
    async () => {
      const server = start(['serve'], { ERRAND_SERVER_PORT: '0' });
      const { address } = await server.logged('listening');
      server.child.kill('SIGHUP');
      expect((await fetch(new URL('/readyz', String(address)))).status).toBe(200);
      server.child.kill('SIGTERM');
      expect((await server.ended).code).toBe(0);
    },
  );

  it('serve responds from the moment it listens, to whatever is asked first', async () => {
    const server = start(['serve'], { ERRAND_SERVER_PORT: '0' });
    const { address } = (await server.logged('listening')) as { address: string };
    const asked = [
      ['GET', 'healthz', 200],
      ['GET', 'api/me', 401],
      ['POST', 'healthz', 405],
      ['GET', '', 200],
      ['GET', 'nowhere', 404],
      ['GET', 'readyz', 200],
    ] as const;
    const statuses = asked.map(async ([method, path]) => (await fetch(address + path, { method })).status);
    expect(await Promise.all(statuses)).toEqual(asked.map(([, , status]) => status));
  });

  it('serve ends at once at a second signal, whatever is in flight', async () => {
    const server = start(['serve'], { ERRAND_SERVER_PORT: '0', ERRAND_SERVER_DRAIN_SECONDS: '600' });
    const { address } = await server.logged('listening');
    const client = connect(Number(new URL(String(address)).port), '127.0.0.1');
    client.on('error', () => {});
    await once(client, 'connect');
    // The server has begun with the request once it asks for the body.
    client.write(
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n',
    );
    await once(client, 'data');
    const stopping = server.logged('stopping');
    server.child.kill('SIGTERM');
    await stopping;
    // One that comes at once may be an echo of the first.
    const again = setInterval(() => server.child.kill('SIGTERM'), 20);
    expect((await server.ended).code).toBe(1);
    clearInterval(again);
    client.destroy();
  });

  it('serve names server.port when the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { code, err } = await start(['serve'], { ERRAND_SERVER_PORT: String(port) }).ended;
    other.close();
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n').at(-1)).toBe(
      `errand: server.port: port ${port} of 127.0.0.1 is taken by another program`,
    );
  });

  it('serve says what somebody has altered in the database, and serves', async () => {
    expect((await start(['migrate']).ended).code).toBe(0);
    const database = new SqliteDatabase(join(folder, 'data/errand.db'));
    database.exec('create trigger backdoor after insert on tasks begin select 1; end');
    database.close();
    const server = start(['serve'], { ERRAND_SERVER_PORT: '0' });
    const altered =
      'somebody has altered the database, perhaps to have it do something by itself: see `errand doctor`';
    const [told] = await Promise.all([server.logged(altered), server.logged('listening')]);
    expect(told).toMatchObject({ level: 50, faults: "the trigger backdoor is not Errand's" });
    server.child.kill('SIGTERM');
    expect((await server.ended).code).toBe(0);
  });

  it('serve warns once when a proxy stands in front that server.trusted_proxies does not name', async () => {
    const server = start(['serve'], { ERRAND_SERVER_PORT: '0' });
    const { api } = await server.logged('listening');
    for (const client of ['192.0.2.1', '192.0.2.2']) {
      await fetch(`${api}/auth/login`, { method: 'POST', headers: { 'X-Forwarded-For': client } });
    }
    server.child.kill('SIGTERM');
    const { err } = await server.ended;
    expect(err.match(/server\.trusted_proxies is empty/g)).toHaveLength(1);
  });

  it('serve stops gently when it is `npm start` that gets the SIGTERM', async () => {
    const { PATH = '' } = process.env;
    const environment = {
      PATH,
      HOME: folder,
      ERRAND_SERVER_PORT: '0',
      ERRAND_DATABASE_PATH: join(folder, 'errand.db'),
    };
    const npm = watch(spawn('npm', ['start'], { cwd: resolve(MAIN, '../..'), env: environment }));
    await npm.logged('listening');
    npm.child.kill('SIGTERM');
    const { code, err } = await npm.ended;
    expect([code, err]).toEqual([0, expect.stringContaining('"msg":"stopped"')]);
  });

  it('serve stops gently when its group gets the SIGTERM, which `npm start` then hands on as well', async () => {
    const environment = { PATH: process.env.PATH ?? '', HOME: folder, ERRAND_SERVER_PORT: '0' };
    const options = { ERRAND_DATABASE_PATH: join(folder, 'errand.db') };
    const root = resolve(MAIN, '../..');
    const npm = watch(
      spawn('npm', ['start'], { cwd: root, env: { ...environment, ...options }, detached: true }),
    );
    const { address } = await npm.logged('listening');
    const client = connect(Number(new URL(String(address)).port), '127.0.0.1');
    await once(client, 'connect');
    client.write(
      'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n',
    );
    await once(client, 'data');
    const stopping = npm.logged('stopping');
    process.kill(-(npm.child.pid ?? 0), 'SIGTERM');
    await stopping;
    client.write('{}');
    expect(String((await once(client, 'data'))[0])).toContain('HTTP/1.1 400');
    expect((await npm.ended).err).toContain('"msg":"stopped"');
  });

  it('leaves a broken key file as it is, and says so in a line', async () => {
    await start(['migrate']).ended;
    const keys = join(folder, 'data/keys.json');
    writeFileSync(keys, '{}', { mode: 0o600 });
    const { code, err } = await start(['users', 'list']).ended;
    expect([code, err.split('\n').length]).toEqual([1, 2]);
    expect(err).toContain(`errand: The key file ${keys} is damaged`);
    expect(readFileSync(keys, 'utf8')).toBe('{}');
    expect(existsSync(join(folder, 'data/errand.db'))).toBe(true);
  });
});
