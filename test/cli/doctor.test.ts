import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import type { SMTPServerOptions } from 'smtp-server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createApp } from '../../src/app.ts';
import { noteBackup, noteFailure, noteRestored } from '../../src/backup/notes.ts';
import { examineClock } from '../../src/cli/examine-surroundings.ts';
import type { Finding } from '../../src/cli/finding.ts';
import { createConfig } from '../../src/config.ts';
import { lockData } from '../../src/db/open.ts';
import { listen } from '../../src/http/listen.ts';
import { DAY, HOUR, MINUTE, toInstant } from '../../src/kernel/instants.ts';
import { at, call, listId, useHome, world } from '../ada.ts';
import { errand } from '../shell.ts';
import { smtpServer } from '../smtp-server.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const NOBODY = 65_534;
/** Nothing listens there. */
const NO_PORT = '1';

useHome({ start: Date.now() });

const pathOf = (name: string) => join(world.folder, name);
const environment = (more: Record<string, string> = {}) => ({
  ERRAND_DATABASE_PATH: pathOf('errand.db'),
  ERRAND_SERVER_PORT: NO_PORT,
  ...more,
});

async function doctor(more: Record<string, string> = {}) {
  const { code, out, err } = await errand(world, ['doctor', '--json'], { environment: environment(more) });
  const told: { isWell: boolean; findings: (Finding & { subject: string; advice?: string })[] } =
    JSON.parse(out);
  expect(told.isWell).toBe(code === 0);
  expect(err === '').toBe(code === 0);
  for (const { status, advice } of told.findings) expect(advice === undefined).toBe(status === 'ok');
  const problems = told.findings.filter(({ status }) => status !== 'ok');
  return { code, findings: told.findings, problems };
}

/** Changes the database as no version of Errand would. */
const spoil = (sql: string) => {
  world.opened.storage.writing.pragma('foreign_keys = off');
  world.opened.storage.writing.unsafeMode(true).exec(sql);
};

const addTask = (title = 'Buy milk') => call('POST', at('/tasks'), { listId, title });

async function overSmtp(options?: SMTPServerOptions): Promise<Record<string, string>> {
  const { port } = await smtpServer({ disabledCommands: ['STARTTLS'], ...options });
  return {
    ERRAND_MAIL_TRANSPORT: 'smtp',
    ERRAND_MAIL_FROM: 'errand@example.com',
    ERRAND_MAIL_SMTP_HOST: '127.0.0.1',
    ERRAND_MAIL_SMTP_PORT: String(port),
    ERRAND_MAIL_SMTP_TLS: 'none',
  };
}

describe('errand doctor', () => {
  it('finds nothing wrong in healthy data, says so of each subject, and changes nothing', async () => {
    await addTask();
    await world.opened.close();
    const files = () =>
      readdirSync(world.folder).map((name) => [name, readFileSync(pathOf(name)).toString('base64')]);
    const before = files();
    const { code, findings } = await doctor();
    expect(findings.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(code).toBe(0);
    expect(new Set(findings.map(({ subject }) => subject))).toEqual(
      new Set([
        ...[
          'settings',
          'permissions',
          'proxy',
          'server',
          'sign-up',
          'clock',
          'time zones',
          'mail',
          'keys',
          'disk',
        ],
        ...[
          'schema',
          'integrity',
          'references',
          'search',
          'counters',
          'values',
          'quotas',
          'trash',
          'imports',
          'backups',
        ],
      ]),
    );
    expect(files()).toEqual(before);
  });

  it('tells how much of their quotas is used, and warns of who has nearly used theirs up', async () => {
    await addTask();
    const quotas = async (most: string) => {
      const { findings } = await doctor({ ERRAND_QUOTAS_TASKS: most });
      return findings.find(({ subject }) => subject === 'quotas');
    };
    expect(await quotas('10')).toMatchObject({
      status: 'ok',
      message: expect.stringContaining('1 tasks (a quota of 10)'),
    });
    expect(await quotas('1')).toMatchObject({
      status: 'warn',
      advice: expect.stringContaining('quotas.tasks'),
    });
  });

  it('tells how much the trash holds, and since when', async () => {
    const trash = async () => (await doctor()).findings.find(({ subject }) => subject === 'trash');
    expect(await trash()).toMatchObject({ status: 'ok', message: 'Empty' });
    for (const title of ['Buy milk', 'Buy bread']) {
      const { id } = (await addTask(title)).body;
      await call('POST', at(`/tasks/${id}/comments`), { body: 'Soon' });
      await call('DELETE', at(`/tasks/${id}`));
      world.clock.advance(MINUTE);
    }
    const oldest = new Date(world.clock.now() - 2 * MINUTE).toISOString();
    expect(await trash()).toMatchObject({
      status: 'ok',
      message: `2 deleted things in 4 rows (25 bytes of text), the oldest of ${oldest}`,
    });
    spoil('update trash_counts set n = n + 1');
    const { problems } = await doctor();
    expect(problems).toMatchObject([
      { subject: 'counters', message: expect.stringContaining('of the trash that are wrong') },
      { subject: 'counters', message: expect.stringContaining('of the trash that count nothing') },
    ]);
  });

  it('tells of imports that are under way, and warns of those that nobody goes on with', async () => {
    const imports = async () => (await doctor()).findings.find(({ subject }) => subject === 'imports');
    expect(await imports()).toMatchObject({ status: 'ok', message: 'None unfinished' });
    const aliveAt = (at: number) =>
      spoil(
        `insert or replace into imports select id, 'api', '${new Date(at).toISOString()}' from workspaces`,
      );
    aliveAt(Date.now());
    expect(await imports()).toMatchObject({ status: 'ok', message: 'Workspaces being imported: 1' });
    const since = Date.now() - HOUR;
    aliveAt(since);
    expect(await imports()).toMatchObject({
      status: 'warn',
      message: `Workspaces of unfinished imports: 1, the first since ${new Date(since).toISOString()}`,
      advice: expect.stringContaining('Start the server'),
    });
  });

  it('works while the server runs, and asks it whether it is ready', async () => {
    const unlock = lockData(pathOf('errand.db'));
    onTestFinished(unlock);
    const server = await listen(createApp(world.deps), { host: '127.0.0.1', port: 0 });
    const { code, findings } = await doctor({ ERRAND_SERVER_PORT: String(server.port) });
    expect(code).toBe(0);
    expect(findings.find(({ subject }) => subject === 'server')?.message).toContain('is ready');
    world.opened.beginStop();
    const { problems } = await doctor({ ERRAND_SERVER_PORT: String(server.port) });
    expect(problems).toMatchObject([
      { subject: 'server', status: 'fail', message: expect.stringContaining('503') },
    ]);
    await server.drain(0);
  });

  it('prints a line for each finding with its cure below, and draws its progress where someone watches', async () => {
    chmodSync(pathOf('keys.json'), 0o644);
    const shell = { environment: environment(), isWatched: true };
    const { code, out, err } = await errand(world, ['doctor'], shell);
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {4}settings {5}Valid/);
    expect(out).toContain(
      `\nwarn  permissions  Other users of this machine may enter or read ${pathOf('keys.json')}\n`,
    );
    expect(out).toContain(`\n                   → chmod go-rwx ${pathOf('keys.json')}\n`);
    expect(err).toMatch(/\rExamining █+ (\d+)\/\1\n$/);
  });

  it('fails with exit code 1 when anything fails, and not for a warning', async () => {
    chmodSync(world.folder, 0o755);
    expect((await doctor()).code).toBe(0);
    await world.deps.write((tx) => noteFailure(tx, 'no room', world.clock.now()));
    expect((await doctor()).code).toBe(1);
  });
});

describe('errand doctor tells', () => {
  const DATABASE: [string, string, string, string][] = [
    [
      'a row that refers to none',
      `insert into members values ('no', 'one', 'viewer', 0, '')`,
      'references',
      'members',
    ],
    [
      'a task that search does not know',
      'delete from task_search',
      'search',
      '1 tasks that search does not know',
    ],
    [
      'a lost page of the search index',
      'delete from task_search_data where id > 10',
      'integrity',
      'task_search',
    ],
    [
      'a wrong total',
      'update task_counts set n = n + 1',
      'counters',
      '3 kept totals of tasks that are wrong',
    ],
    [
      'a trigger of someone else',
      'create trigger backdoor after insert on tasks begin select 1; end',
      'schema',
      'the trigger backdoor',
    ],
    [
      'a wrong total of the trash',
      `insert into trash_counts select code, 'task', 5, 5 from workspaces`,
      'counters',
      '1 kept totals of the trash that count nothing',
    ],
    ['a wrong number of members', 'update workspaces set member_count = 5', 'counters', 'number of members'],
    [
      'a provider that there is not',
      `insert into identities select 'nobody', '1', id, created_at from users`,
      'values',
      '1 impossible values of identities.provider',
    ],
    [
      'a role that is not that of an owner',
      `update members set role = 'viewer'`,
      'values',
      '1 members whose role disagrees with who owns the workspace',
    ],
    ['a day that there is not', `update tasks set due_date = '2026-02-31'`, 'values', 'tasks.due_date'],
    ['an instant in another form', `update users set created_at = 'today'`, 'values', 'users.created_at'],
    ['JSON that is cut short', `update tasks set overridden = '["title'`, 'values', 'tasks.overridden'],
    ['neither yes nor no', 'update members set is_default = 2', 'values', 'members.is_default'],
    [
      'an index in disorder',
      `pragma writable_schema = on; update sqlite_schema set sql = replace(sql, 'space_id, position', 'position, space_id') where name = 'lists_by_space'`,
      'integrity',
      'lists_by_space',
    ],
  ];
  it.each(DATABASE)('%s', async (_fault, sql, subject, message) => {
    await addTask();
    spoil(sql);
    const { code, problems } = await doctor();
    expect(code).toBe(1);
    expect(problems).toContainEqual(
      expect.objectContaining({ subject, status: 'fail', message: expect.stringContaining(message) }),
    );
  });

  it('columns that are missing, in a plain sentence for each check that they break', async () => {
    await addTask();
    spoil('alter table tasks rename column more_bytes to fewer_bytes');
    const { problems } = await doctor();
    expect(problems.map(({ subject }) => subject)).toEqual(expect.arrayContaining(['schema', 'counters']));
    expect(problems.find(({ subject }) => subject === 'counters')?.message).toBe(
      'Cannot be checked: no such column: more_bytes',
    );
    expect(problems.map(({ message }) => message).join('\n')).not.toMatch(/^ *at |Error:/m);
  });

  it('a database that is missing or none, and all the rest beside it', async () => {
    await world.opened.close();
    writeFileSync(pathOf('errand.db'), 'To whom it may concern\n'.repeat(99));
    const none = await doctor();
    expect([none.code, none.findings.length > 8]).toEqual([1, true]);
    expect(none.problems).toMatchObject([
      {
        subject: 'database',
        message: expect.stringContaining('not a SQLite'),
        advice: expect.stringContaining('errand restore'),
      },
    ]);
    rmSync(pathOf('errand.db'));
    expect((await doctor()).problems).toMatchObject([
      {
        subject: 'database',
        message: expect.stringContaining('no database'),
        advice: expect.stringContaining('Start'),
      },
    ]);
    expect(existsSync(pathOf('errand.db'))).toBe(false);
  });

  it('a data folder, database or folder of backups that its owner cannot write to', async () => {
    const isRoot = process.getuid?.() === 0;
    await world.opened.close();
    if (isRoot)
      for (const each of [world.folder, ...readdirSync(world.folder).map(pathOf)])
        chownSync(each, NOBODY, NOBODY);
    const problems = () => {
      const { stdout } = spawnSync(process.execPath, [MAIN, 'doctor', '--json'], {
        cwd: '/',
        encoding: 'utf8',
        env: environment(),
        ...(isRoot && { uid: NOBODY, gid: NOBODY }),
      });
      const { findings } = JSON.parse(stdout) as { findings: (Finding & { subject: string })[] };
      return findings.filter(({ status }) => status === 'fail').map(({ message }) => message);
    };
    chmodSync(pathOf('errand.db'), 0o400);
    expect(problems()).toEqual([`${pathOf('errand.db')} cannot be written`]);
    chmodSync(pathOf('errand.db'), 0o600);
    chmodSync(world.folder, 0o500);
    expect(problems()).toContain(`${world.folder} cannot be written`);
    chmodSync(world.folder, 0o700);
    mkdirSync(pathOf('backups'), { mode: 0o500 });
    if (isRoot) chownSync(pathOf('backups'), NOBODY, NOBODY);
    expect(problems()).toEqual([`${pathOf('backups')} cannot be written`]);
    chmodSync(pathOf('backups'), 0o700);
  });

  it('no mode of what is not its own', async () => {
    rmSync(pathOf('keys.json'));
    chmodSync(world.folder, 0o755);
    writeFileSync(pathOf('another'), '', { mode: 0o644 });
    const modes = async () =>
      (await doctor()).problems
        .filter(({ subject }) => subject === 'permissions')
        .map(({ advice }) => advice);
    expect(await modes()).toEqual([]);
    await world.opened.close();
    chmodSync(pathOf('errand.db'), 0o644);
    expect(await modes()).toEqual([`chmod go-rwx ${pathOf('errand.db')}`]);
  });

  it('another program at its port', async () => {
    const other = createServer((socket) => socket.end('SSH-2.0\r\n')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { problems } = await doctor({ ERRAND_SERVER_PORT: String((other.address() as AddressInfo).port) });
    expect(problems).toMatchObject([{ subject: 'server', status: 'fail' }]);
    other.close();
  });

  it('a server at its port that runs on other data', async () => {
    const server = await listen(createApp(world.deps), { host: '127.0.0.1', port: 0 });
    const port = { ERRAND_SERVER_PORT: String(server.port) };
    expect((await doctor(port)).problems).toMatchObject([
      { subject: 'server', status: 'fail', message: expect.stringContaining('another server') },
    ]);
    await server.drain(0);
    const unlock = lockData(pathOf('errand.db'));
    onTestFinished(unlock);
    expect((await doctor()).problems).toMatchObject([
      { subject: 'server', status: 'warn', message: expect.stringContaining('but not at') },
    ]);
  });

  it('sign-up that is open to everyone, as a note, and mails that come from localhost', async () => {
    const noteOf = async (more: Record<string, string>) =>
      (await doctor(more)).findings.find(({ subject }) => subject === 'sign-up');
    expect(await noteOf({})).toMatchObject({ status: 'ok', message: 'Open' });
    for (const open of [
      { ERRAND_SERVER_HOST: '0.0.0.0' },
      { ERRAND_SERVER_TRUSTED_PROXIES: '127.0.0.1' },
      await overSmtp(),
    ])
      expect(await noteOf(open)).toMatchObject({
        status: 'ok',
        message: expect.stringContaining('auth.signup = "closed"'),
      });
    expect((await noteOf({ ERRAND_AUTH_SIGNUP: 'closed' }))?.message).toContain('Closed');
    const unnamed = { ...(await overSmtp()), ERRAND_MAIL_FROM: 'Errand <errand@localhost>' };
    expect((await doctor(unnamed)).problems).toMatchObject([
      { subject: 'settings', status: 'warn', message: expect.stringContaining('mail.from') },
    ]);
  });

  it('settings that are invalid, by name, and variables that are none', async () => {
    const { code, problems } = await doctor({ ERRAND_SERVER_PORT: 'x', ERRAND_SERVER_HOST: '' });
    expect(code).toBe(1);
    expect(problems.map(({ message }) => message.split(':')[0])).toEqual(['server.host', 'server.port']);
    expect((await doctor({ ERRAND_SRVER_PORT: '1' })).problems).toMatchObject([
      { subject: 'settings', status: 'warn' },
    ]);
  });

  it('a mail server that cannot be reached, or rejects the credentials, and one that is fine', async () => {
    const working = await overSmtp();
    expect((await doctor(working)).problems).toEqual([]);
    expect((await doctor({ ...working, ERRAND_MAIL_SMTP_PORT: NO_PORT })).problems).toMatchObject([
      { subject: 'mail', status: 'fail', message: expect.stringContaining('127.0.0.1:1 cannot be used') },
    ]);
    const rejecting = await overSmtp({
      authOptional: false,
      allowInsecureAuth: true,
      onAuth: (_auth: unknown, _session: unknown, done: (error: Error) => void) => done(new Error('no')),
    });
    const credentials = { ERRAND_MAIL_SMTP_USER: 'errand', ERRAND_MAIL_SMTP_PASSWORD: 'hush' };
    const { problems } = await doctor({ ...rejecting, ...credentials });
    expect(problems).toMatchObject([{ subject: 'mail', message: expect.stringContaining('credentials') }]);
    expect(JSON.stringify(problems)).not.toContain('hush');
  });

  it('proxy settings that do not fit each other', async () => {
    const found = async (more: Record<string, string>) =>
      (await doctor(more)).problems.map(({ subject, status }) => `${status} ${subject}`);
    const publicUrl = {
      ERRAND_SERVER_PUBLIC_URL: 'https://tasks.example.com',
      ERRAND_MAIL_TRANSPORT: 'console',
    };
    expect(await found(publicUrl)).toEqual(['warn proxy', 'warn mail']);
    expect(await found({ ERRAND_SERVER_TRUSTED_PROXIES: '0.0.0.0/0' })).toEqual(['fail proxy']);
    expect(await found({ ERRAND_SERVER_HOST: '0.0.0.0' })).toEqual(['warn proxy']);
  });

  it('a key file that is damaged or missing, and makes none', async () => {
    writeFileSync(pathOf('keys.json'), '{}');
    expect((await doctor()).problems).toMatchObject([{ subject: 'keys', status: 'fail' }]);
    rmSync(pathOf('keys.json'));
    expect((await doctor()).problems).toMatchObject([{ subject: 'keys', status: 'warn' }]);
    expect(existsSync(pathOf('keys.json'))).toBe(false);
  });

  it('backups that failed, are overdue, gone or not scheduled', async () => {
    const found = async (more: Record<string, string> = {}) =>
      (await doctor(more)).problems.map(({ subject, status, message }) => `${status} ${subject} ${message}`);
    const now = Date.now();
    await world.deps.write((tx) => noteBackup(tx, { file: pathOf('errand.db'), bytes: 1 }, now - HOUR));
    expect(await found({ ERRAND_BACKUP_SCHEDULE: '0 0 1 * *' })).toEqual([]);
    await world.deps.write((tx) => noteBackup(tx, { file: pathOf('gone.db'), bytes: 1 }, now - 3 * DAY));
    expect(await found()).toEqual([
      expect.stringMatching(/^fail backups One is overdue since/),
      expect.stringMatching(/^warn backups The last one, .*gone\.db, is no longer there/),
    ]);
    await world.deps.write((tx) => noteFailure(tx, 'no room', now));
    expect(await found({ ERRAND_BACKUP_SCHEDULE: '' })).toEqual([
      expect.stringMatching(/^fail backups The last one failed, .*: no room/),
      expect.stringContaining('gone.db'),
      expect.stringContaining('None is scheduled'),
    ]);
    const external = { ERRAND_BACKUP_SCHEDULE: '', ERRAND_DATABASE_EXTERNAL_REPLICATION: 'true' };
    expect(await found(external)).toHaveLength(2);
  });

  it('a backup that was restored as that, not as one made then', async () => {
    const backups = async () =>
      (await doctor()).findings.flatMap(({ subject, message }) => (subject === 'backups' ? [message] : []));
    expect(await backups()).toEqual(['None yet']);
    const now = Date.now();
    await world.deps.write((tx) => noteRestored(tx, { file: '/mnt/b1.db', bytes: 4_100 }, now));
    expect(await backups()).toEqual([
      `None since the data was restored, ${toInstant(now)}, from /mnt/b1.db (4.1 kB)`,
    ]);
  });

  it('a disk without room for the next backup', async () => {
    await world.opened.close();
    truncateSync(pathOf('errand.db'), 2 ** 43);
    const { problems } = await doctor();
    expect(problems).toContainEqual(
      expect.objectContaining({
        subject: 'disk',
        status: 'warn',
        message: expect.stringContaining('17.6 TB'),
      }),
    );
  });

  it('a clock that went back behind its own files, or is beyond reason', async () => {
    const later = new Date(Date.now() + HOUR);
    utimesSync(pathOf('keys.json'), later, later);
    expect((await doctor()).problems).toMatchObject([{ subject: 'clock', status: 'warn' }]);
    utimesSync(pathOf('keys.json'), new Date(), new Date());
    expect((await doctor()).problems).toEqual([]);
    mkdirSync(pathOf('backups'));
    writeFileSync(pathOf('backups/errand-2199-01-01T00-00-00-000Z.db'), '', { mode: 0o600 });
    utimesSync(pathOf('backups/errand-2199-01-01T00-00-00-000Z.db'), later, later);
    expect((await doctor()).problems).toMatchObject([{ subject: 'clock', status: 'warn' }]);
    const config = createConfig({ database: { path: pathOf('errand.db') } });
    for (const now of [Date.parse('1970-01-02'), Date.parse('2155-01-01')]) {
      expect(examineClock(config, now)).toMatchObject([{ status: 'fail' }]);
    }
  });
});
