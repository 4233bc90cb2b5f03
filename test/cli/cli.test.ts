import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { constants, getPriority, tmpdir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureOf } from '../../src/cli/failures.ts';
import { run } from '../../src/cli/program.ts';
import { progressBar } from '../../src/cli/progress.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { consoleTransport } from '../../src/mail/console-transport.ts';
import { argon2Passwords } from '../../src/users/passwords.ts';
import { openWorld, type World } from '../world.ts';

const MAIN = resolve(import.meta.dirname, '../../src/main.ts');

let folder: string;
let world: World | undefined;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-cli-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await world?.close();
  world = undefined;
  rmSync(folder, { recursive: true, force: true });
});

/** A server in process, on the data that the commands are run on. */
async function openServer(options: Parameters<typeof openWorld>[0] = {}): Promise<World> {
  world = await openWorld({ start: Date.now(), passwords: argon2Passwords(), ...options });
  return world;
}

interface Given {
  /** On stdin. */
  input?: string;
  /** Typed at the prompts of a terminal, in place of stdin. */
  typed?: string[];
  shell?: Partial<Shell>;
}

/** Runs a command in process. */
async function errand(args: string[], { input, typed, shell = {} }: Given = {}) {
  const outcome = { code: -1, out: '', err: '' };
  const terminal = Object.assign(new PassThrough(), { isTTY: true });
  const responses = [...(typed ?? [])];
  outcome.code = await run(args, {
    environment: { ERRAND_DATABASE_PATH: join(world?.folder ?? folder, 'errand.db') },
    workingDirectory: folder,
    words: ['errand', ...args],
    uid: process.geteuid?.(),
    stdin: typed ? terminal : Readable.from(input === undefined ? [] : [Buffer.from(input)]),
    isWatched: false,
    print: (text) => {
      outcome.out += text;
    },
    printed: async () => {},
    say: (text) => {
      outcome.err += text;
      if (text.endsWith(': ')) terminal.write(`${responses.shift()}\r`);
    },
    lowerPriority: () => {},
    ...shell,
  });
  return outcome;
}

/** Runs a command in process and returns what it printed as JSON. */
async function errandJson(args: string[], given?: Given) {
  const { code, out, err } = await errand([...args, '--json'], given);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
}

/** Runs the program as a process of its own, in an empty environment. */
const start = (args: string[], environment: Record<string, string> = {}) =>
  watch(spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: environment }));

function watch(child: ChildProcessWithoutNullStreams) {
  children.push(child);
  const heard = { out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    heard.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    heard.err += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...heard }));
  return {
    child,
    ended,
    /** Waits for a log line, and returns what it says. */
    logged: (message: string) =>
      new Promise<Record<string, unknown>>((found, lost) => {
        child.stderr.on('data', () => {
          const line = heard.err.split('\n').find((text) => text.includes(`"msg":"${message}"`));
          if (line) found(JSON.parse(line));
        });
        child.once('close', () => lost(new Error(`${message} was not logged: ${heard.err}`)));
      }),
  };
}

const signIn = async (email: string, password: string) =>
  (await world?.call('POST', '/auth/login', { body: { email, password } })) ?? { status: 0, body: {} };

describe('create-user', () => {
  const ada = ['create-user', '--email', 'Ada@Example.com', '--name', ' Ada '];

  it('makes what a confirmation makes while the server runs, and the person signs in at once', async () => {
    const server = await openServer();
    const made = await errandJson([...ada, '--password-stdin'], { input: 'correct horse\n' });
    expect(made).toEqual({
      id: expect.any(String),
      email: 'ada@example.com',
      name: 'Ada',
      isEmailVerified: true,
    });
    const { status, body } = await signIn('ada@example.com', 'correct horse');
    expect(status).toBe(200);
    const workspaces = await server.call('GET', '/me/workspaces', { token: body.accessToken });
    expect(workspaces.body.items).toMatchObject([{ title: "Ada's workspace", role: 'owner' }]);
  });

  it('takes a title for the workspace, and no password when told so', async () => {
    await openServer();
    const { code } = await errand([...ada, '--no-password', '--workspace-title', 'Engines']);
    expect(code).toBe(0);
    expect(await errandJson(['users', 'list'])).toMatchObject([
      { email: 'ada@example.com', hasPassword: false },
    ]);
  });

  it('asks for the password on a terminal, twice, and never shows it', async () => {
    await openServer();
    const { code, out, err } = await errand(ada, { typed: ['correct horse', 'correct horse'] });
    expect([code, err]).toEqual([0, 'Password: \nRepeat password: \n']);
    expect(out + err).not.toContain('horse');
    expect((await signIn('ada@example.com', 'correct horse')).status).toBe(200);
  });

  it('makes nothing when the two passwords differ', async () => {
    await openServer();
    expect(await errand(ada, { typed: ['correct horse', 'correct hoarse'] })).toMatchObject({
      code: 1,
      err: expect.stringContaining('The two passwords differ'),
    });
    expect(await errandJson(['users', 'list'])).toEqual([]);
  });

  it('is misused without a password on stdin, a terminal or an option', async () => {
    await openServer();
    expect(await errand(ada)).toMatchObject({ code: 2, err: expect.stringContaining('--password-stdin') });
  });

  it('rejects what registration rejects, in the same words', async () => {
    await openServer();
    const rejected = async (email: string, name: string, input: string) =>
      errand(['create-user', '--email', email, '--name', name, '--password-stdin'], { input });
    expect(await rejected('ada', ' ', 'correct horse')).toEqual({
      code: 2,
      out: '',
      err: 'errand: Email must be valid\nerrand: Name must be 1 to 200 characters\n',
    });
    expect(await rejected('a@example.com', 'A', 'short\n')).toMatchObject({
      code: 2,
      err: 'errand: Password must be at least 8 characters\n',
    });
    expect(await rejected('a@example.com', 'A', 'correct\0horse\n')).toMatchObject({
      code: 1,
      err: expect.stringContaining('NUL'),
    });
  });

  it('takes a byte order mark for no part of a password', async () => {
    await openServer();
    expect(await errand([...ada, '--password-stdin'], { input: '\ufeffcorrect horse\r\n' })).toMatchObject({
      code: 0,
    });
    expect((await signIn('ada@example.com', 'correct horse')).status).toBe(200);
  });

  it('fails for an address that has an account', async () => {
    await openServer();
    await errand([...ada, '--no-password']);
    expect(await errand([...ada, '--no-password'])).toEqual({
      code: 1,
      out: '',
      err: 'errand: There is an account with the address ada@example.com already\n',
    });
  });
});

describe('users', () => {
  it('sign-out ends every session, access tokens included', async () => {
    const server = await openServer();
    const ada = await server.signUp('ada@example.com');
    await signIn(ada.email, ada.password);
    expect(await errandJson(['users', 'sign-out', 'ADA@example.com'])).toEqual({
      email: 'ada@example.com',
      sessionsEnded: 2,
    });
    expect((await server.call('GET', '/me', { token: ada.accessToken })).status).toBe(401);
  });

  it('set-password does what a reset does: sessions and mailed tokens end, and the server mails a notice', async () => {
    const server = await openServer();
    const ada = await server.signUp('ada@example.com');
    await server.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    const { token } = await server.mailTo(ada.email);
    const { code } = await errand(['users', 'set-password', ada.email, '--password-stdin'], {
      input: 'battery staple',
    });
    expect(code).toBe(0);
    expect((await server.call('GET', '/me', { token: ada.accessToken })).status).toBe(401);
    expect((await signIn(ada.email, ada.password)).status).toBe(401);
    expect((await signIn(ada.email, 'battery staple')).status).toBe(200);
    const reset = { token, newPassword: 'something else' };
    expect((await server.call('POST', '/auth/password/reset/confirm', { body: reset })).status).toBe(401);
    server.clock.set(Date.now());
    server.deps.mailer.wake();
    expect((await server.mailTo(ada.email)).subject).toBe('Your password was changed');
  });

  it('set-password takes what is piped into it without being told to', async () => {
    const server = await openServer();
    const ada = await server.signUp('ada@example.com');
    const { code } = await errand(['users', 'set-password', ada.email], { input: 'battery staple\n' });
    expect(code).toBe(0);
    expect((await signIn(ada.email, 'battery staple')).status).toBe(200);
    expect((await errand(['users', 'set-password', ada.email])).code).toBe(2);
    expect((await signIn(ada.email, 'battery staple')).status).toBe(200);
  });

  it('fails for an address without an account', async () => {
    await openServer();
    expect(await errand(['users', 'sign-out', 'nobody@example.com'])).toMatchObject({
      code: 1,
      err: 'errand: There is no account with the address nobody@example.com\n',
    });
  });
});

describe('mail', () => {
  it('show gives the link and token that the console gave, while the server runs and after', async () => {
    let console = '';
    const stdout = new Writable({
      write: (chunk, _encoding, done) => {
        console += chunk;
        done();
      },
    });
    const server = await openServer({ transport: consoleTransport(stdout), folder });
    const person = { email: 'ada@example.com', password: 'correct horse', name: 'Ada' };
    await server.call('POST', '/auth/register', { body: person });
    await server.untilIdle();
    const token = /^Token: (.+)$/m.exec(console)?.[1];
    const [mail] = await errandJson(['mail', 'list']);
    expect(mail).toMatchObject({ kind: 'confirm-signup', to: 'ada@example.com', state: 'sent' });

    const shown = await errand(['mail', 'show', mail.id]);
    expect(shown).toMatchObject({ code: 0, out: expect.stringContaining(`Token: ${token}\n`) });
    await server.close();
    world = undefined;
    expect(await errand(['mail', 'show', mail.id])).toEqual(shown);
    const { message } = await errandJson(['mail', 'show', mail.id]);
    expect(message).toMatchObject({ token, link: expect.stringContaining(token ?? '-') });
  });

  it('retry lets the server send a mail again', async () => {
    let fate: 'rejected' | 'taken' = 'rejected';
    const server = await openServer({
      transport: {
        deliver: async () =>
          fate === 'taken' ? { kind: 'taken' } : { kind: 'rejected', reason: 'no \x1b[31m' },
        erasesTaken: true,
        verify: async () => undefined,
        close: () => {},
      },
    });
    await server.call('POST', '/auth/register', {
      body: { email: 'ada@example.com', password: 'correct horse', name: 'Ada' },
    });
    await server.untilIdle();
    expect((await errand(['mail', 'list'])).out).toMatch(/failed \(no \?\[31m\)/);
    const [{ id }] = await errandJson(['mail', 'list']);
    fate = 'taken';
    expect((await errand(['mail', 'retry', id])).code).toBe(0);
    server.clock.set(Date.now());
    server.deps.mailer.wake();
    await server.untilIdle();
    expect(await errandJson(['mail', 'list'])).toMatchObject([{ id, state: 'sent' }]);
    expect(await errand(['mail', 'retry', id])).toMatchObject({ code: 1, out: '' });
    expect(await errand(['mail', 'show', id])).toMatchObject({
      code: 0,
      err: expect.stringContaining('is gone'),
    });
  });

  it('retry rejects a mail whose content no key can read any more', async () => {
    const server = await openServer({
      folder,
      transport: {
        deliver: async () => ({ kind: 'delayed', reason: 'not now' }),
        erasesTaken: true,
        verify: async () => undefined,
        close: () => {},
      },
    });
    const body = { email: 'ada@example.com', password: 'correct horse', name: 'Ada' };
    await server.call('POST', '/auth/register', { body });
    await server.untilIdle();
    await server.close();
    world = undefined;
    const [{ id }] = await errandJson(['mail', 'list']);
    rmSync(join(folder, 'keys.json'));
    expect(await errand(['mail', 'retry', id])).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringContaining('is gone'),
    });
  });

  it('show and retry fail for an unknown id', async () => {
    await openServer();
    for (const verb of ['show', 'retry']) {
      expect(await errand(['mail', verb, 'x'])).toMatchObject({
        code: 1,
        err: 'errand: There is no mail x in the outbox\n',
      });
    }
  });

  it('test needs no database', async () => {
    const { code, out, err } = await start(['mail', 'test', 'ada@example.com']).ended;
    expect(code).toBe(0);
    expect(out).toContain('To: ada@example.com\nSubject: A test of mail delivery');
    expect(err).toBe('errand: the console transport accepted a test mail to ada@example.com\n');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('keys rotate', () => {
  it('makes a running server sign with a new key while old tokens still work', async () => {
    const server = await openServer();
    const ada = await server.signUp();
    const { kid } = await errandJson(['keys', 'rotate']);
    server.clock.set(Date.now());
    server.deps.keys.refresh();
    const { body } = await signIn(ada.email, ada.password);
    const header = Buffer.from(body.accessToken.split('.')[0], 'base64url').toString();
    expect(JSON.parse(header).kid).toBe(kid);
    expect((await server.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
    expect(statSync(join(server.folder, 'keys.json')).mode & 0o777).toBe(0o600);
  });
});

describe('migrate', () => {
  it('makes the database where there is none, and says what it ran', async () => {
    const { ran, database } = await errandJson(['migrate']);
    expect(database).toBe(join(folder, 'errand.db'));
    expect(ran[0]).toBe('0001_accounts');
    expect(await errandJson(['migrate', '--status'])).toEqual({ database, done: ran, pending: [] });
    expect((await errandJson(['migrate', '--to-latest'])).ran).toEqual([]);
  });

  it('--status makes nothing', async () => {
    expect(await errand(['migrate', '--status'])).toMatchObject({ code: 1 });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('draws its progress only where someone watches', () => {
    let said = '';
    const shell = { isWatched: false, say: (text: string) => (said += text) } as unknown as Shell;
    progressBar(shell, 'Migrating')(1, 2);
    expect(said).toBe('');
    progressBar({ ...shell, isWatched: true }, 'Migrating')(2, 2);
    expect(said).toMatch(/^\rMigrating █+ 2\/2\n$/);
  });
});

describe('config', () => {
  it('prints the effective settings without secrets, as TOML and as JSON', async () => {
    writeFileSync(join(folder, 'config.toml'), '[mail]\nsmtp_password = "hush"\n[server]\nport = 1');
    const { out } = await errand(['config']);
    expect(out).toContain('port = 1\n');
    expect(out).not.toContain('hush');
    expect((await errandJson(['config'])).mail.smtp_password).toBe('********');
  });

  it('--check says the same as JSON', async () => {
    expect(await errandJson(['config', '--check'])).toEqual({
      isValid: true,
      file: null,
      warnings: [],
      errors: [],
    });
    writeFileSync(join(folder, 'bad.toml'), '[server]\nprot = 1');
    const bad = await errand(['config', '--check', '--json', '--config', 'bad.toml']);
    expect([bad.code, JSON.parse(bad.out)]).toEqual([
      1,
      { isValid: false, warnings: [], errors: [expect.stringMatching(/server\.prot: .*port\?.*line 2\)$/)] },
    ]);
  });

  it('--check tells valid from invalid by its exit code, and warns', async () => {
    const environment = { ERRAND_PORT: 'tcp://10.0.0.1' };
    const valid = await errand(['config', '--check'], { shell: { environment } });
    expect(valid).toEqual({
      code: 0,
      out: 'The configuration is valid\n',
      err: 'errand: warning: The environment variable ERRAND_PORT is not a setting of Errand and is ignored\n',
    });
    writeFileSync(join(folder, 'bad.toml'), '[server]\nport = -1\nhost = ""');
    expect(await errand(['config', '--check', '--config', 'bad.toml'])).toEqual({
      code: 1,
      out: '',
      err: `errand: server.host: must not be empty (${join(folder, 'bad.toml')}, line 3)\nerrand: server.port: must be a whole number from 0 to 65535 (${join(folder, 'bad.toml')}, line 2)\n`,
    });
  });
});

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
    await expect.poll(() => readFileSync(file, 'utf8'), { timeout: 20_000 }).toContain('listening');
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

describe('the command line', () => {
  it('takes --config before the command as well as after it', async () => {
    writeFileSync(join(folder, 'own.toml'), '[server]\nport = 4711');
    for (const args of [
      ['--config', 'own.toml', 'config'],
      ['--config=own.toml', 'config'],
      ['config', '--config', 'own.toml'],
    ])
      expect((await errand(args)).out).toContain('port = 4711\n');
  });

  it('says how to set what is a setting and no option', async () => {
    const { code, err } = await errand(['serve', '--port', '9000']);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^errand: unknown option '--port'[\s\S]*server\.port[\s\S]*ERRAND_SERVER_PORT/),
    ]);
  });

  it('speaks of every mistake with one prefix, and names all required options at once', async () => {
    for (const args of [['nope'], ['help', 'nope'], ['create-user'], ['users', 'list', '--nope']]) {
      const { code, err } = await errand(args);
      expect([code, err]).toEqual([2, expect.stringMatching(/^errand: /)]);
      expect(err).not.toContain('error:');
    }
    const { err } = await errand(['create-user']);
    expect(err).toMatch(/--email <address>[\s\S]*--name <name>/);
  });

  it('leaves no folder behind where a command fails for want of data', async () => {
    for (const args of [
      ['create-user', '--email', 'a@example.com', '--name', 'A', '--no-password'],
      ['users', 'list'],
      ['restore', 'none.db', '--yes'],
      ['doctor'],
    ]) {
      const { code } = await errand(args, { shell: { environment: {} } });
      expect([args, code, readdirSync(folder)]).toEqual([args, 1, []]);
    }
  });
});

describe('every command', () => {
  const onData = [
    ['users', 'list'],
    ['users', 'sign-out', 'a@example.com'],
    ['users', 'set-password', 'a@example.com', '--password-stdin'],
    ['create-user', '--email', 'a@example.com', '--name', 'A', '--no-password'],
    ['mail', 'list'],
    ['mail', 'show', 'x'],
    ['mail', 'retry', 'x'],
    ['keys', 'rotate'],
    ['migrate', '--status'],
    ['migrate', '--rehearse'],
    ['backup', 'x.db'],
  ];

  it.each(onData)('%s %s says which path is missing, and makes nothing', async (...args) => {
    const { code, out, err } = await errand(args, { input: 'correct horse' });
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`at ${folder}/`);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([...onData, ['serve'], ['migrate'], ['restore', 'x.db', '--yes'], ['doctor']])(
    '%s %s is rejected for another user, with the line to run instead',
    async (...args) => {
      const server = await openServer();
      const { code, err } = await errand(args, { shell: { uid: 54_321 } });
      expect(code).toBe(1);
      const where = `env ERRAND_DATABASE_PATH=${server.folder}/errand.db`;
      expect(err).toContain(`\n  sudo -u ${userInfo().username} ${where} errand ${args.join(' ')}\n`);
    },
  );

  it('says in that line where the data is, and no secret', async () => {
    const server = await openServer();
    writeFileSync(join(folder, 'own.toml'), `[database]\npath = "${server.folder}/errand.db"`);
    const given = (environment: Record<string, string>) =>
      errand(['users', 'list'], { shell: { uid: 54_321, environment } });
    const secret = { ERRAND_METRICS_TOKEN: 'hush' };
    const { err } = await given({ ...secret, ERRAND_CONFIG: 'own.toml' });
    expect(err).toContain(
      `\n  sudo -u ${userInfo().username} env ERRAND_CONFIG=own.toml errand users list\n`,
    );
    renameSync(join(folder, 'own.toml'), join(folder, 'config.toml'));
    expect((await given(secret)).err).toContain(`\n  sudo -u ${userInfo().username} errand users list\n`);
  });

  it.each([
    [],
    ['tidy'],
    ['users'],
    ['users', 'list', 'more'],
    ['users', 'set-password'],
    ['serve', '--port', '1'],
    ['create-user', '--email', 'a@example.com'],
    ['create-user', '--email', 'a@example.com', '--name', 'A', '--password', 'hush'],
    ['create-user', '--email', 'a@example.com', '--name', 'A', '--no-password', '--password-stdin'],
    ['migrate', '--status', '--to-latest'],
    ['migrate', '--status', '--rehearse'],
    ['backup', 'x.db', 'y.db'],
    ['restore'],
    ['restore', 'x.db'],
  ])('is misused as "errand %s %s": exit code 2, talk on stderr', async (...args) => {
    const { code, out, err } = await errand(args);
    expect([code, out]).toEqual([2, '']);
    expect(err).not.toBe('');
  });

  it.each([
    ['serve'],
    ['migrate'],
    ['create-user'],
    ['users', 'list'],
    ['users', 'set-password'],
    ['users', 'sign-out'],
    ['mail', 'list'],
    ['mail', 'show'],
    ['mail', 'retry'],
    ['mail', 'test'],
    ['keys', 'rotate'],
    ['config'],
    ['backup'],
    ['restore'],
    ['doctor'],
  ])('%s %s explains itself by --help and takes --config', async (...args) => {
    const { code, out, err } = await errand([...args, '--help']);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`Usage: errand ${args.join(' ')}`);
    expect(out).toContain('--config <file>');
  });

  it.each([
    { args: ['backup', 'x.db'], isLong: true },
    { args: ['doctor'], isLong: true },
    { args: ['export', '--user', 'a@example.com'], isLong: true },
    { args: ['migrate', '--rehearse'], isLong: true },
    { args: ['migrate', '--status'], isLong: false },
    { args: ['users', 'list'], isLong: false },
  ])('$args lets a server beside it go first: $isLong', async ({ args, isLong }) => {
    let hasGivenWay = false;
    const lowerPriority = () => {
      hasGivenWay = true;
    };
    await errand(args, { shell: { lowerPriority } });
    expect(hasGivenWay).toBe(isLong);
  });

  it('tells a fault of the surroundings in a line, and only the unforeseen with its stack', () => {
    const fault = (facts: object) => failureOf(Object.assign(new Error('why'), facts)).message;
    expect(fault({ code: 'EACCES', syscall: 'listen', port: 80 })).toMatch(/^server\.port: .* port 80;/);
    expect(fault({ code: 'EADDRNOTAVAIL', syscall: 'listen' })).toBe(
      'server.host: this machine has no such address',
    );
    expect(fault({ code: 'ENOSPC', syscall: 'write' })).toBe('why');
    expect(fault({ code: 'SQLITE_FULL' })).toBe('The database: why (SQLITE_FULL)');
    expect(failureOf(new TypeError('why')).message).toContain('at ');
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
