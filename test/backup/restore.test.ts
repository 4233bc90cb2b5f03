import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { writeBackup } from '../../src/backup/backup.ts';
import { backupNotes, noteFailure, overdueSince } from '../../src/backup/notes.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { connectionDb } from '../../src/db/connection.ts';
import { migrate } from '../../src/db/migrate.ts';
import { lockData, openStorage } from '../../src/db/open.ts';
import { StorageError } from '../../src/db/storage-error.ts';
import { DAY, toInstant } from '../../src/kernel/instants.ts';
import { newFolder } from '../new-folder.ts';
import { as, homeOf, invite } from '../people.ts';
import { errand } from '../shell.ts';
import { openWorld, type Person, START, type World } from '../world.ts';

const RESTORE = join(import.meta.dirname, '../../src/backup/restore.ts');
const MIGRATIONS = join(import.meta.dirname, '../../migrations/index.ts');
const unwatched = () => () => {};

/** Where the data is that a backup was made of, and what follows is restored into. */
let folder: string;
let database: string;
let backup: string;
let world: World | undefined;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = newFolder('restore');
  mkdirSync(join(folder, 'data'));
  database = join(folder, 'data', 'errand.db');
  backup = join(folder, 'backup.db');
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Opens the data; the mails of a world that was opened before are gone. */
async function open(): Promise<World> {
  await world?.close();
  world = await openWorld({ folder: join(folder, 'data') });
  return world;
}

async function close(): Promise<void> {
  await world?.close();
  world = undefined;
}

let prepared: { folder: string; ada: Person } | undefined;

/** A database with Ada in it and a backup of that, and Bob, who came later; made once. */
async function dataWithBackup(): Promise<Person> {
  if (prepared) {
    cpSync(prepared.folder, folder, { recursive: true });
    return prepared.ada;
  }
  const opened = await open();
  const ada = await opened.signUp('ada@example.com');
  await writeBackup(database, backup, unwatched);
  await opened.signUp('bob@example.com');
  await close();
  prepared = { folder: mkdtempSync(join(tmpdir(), 'errand-restore-')), ada };
  cpSync(folder, prepared.folder, { recursive: true });
  return ada;
}

afterAll(() => {
  if (prepared) rmSync(prepared.folder, { recursive: true });
});

const restore = (options: Partial<Parameters<typeof restoreBackup>[0]> = {}) =>
  restoreBackup({
    file: backup,
    databasePath: database,
    migrations,
    at: toInstant(START),
    keepSessions: false,
    progress: unwatched,
    ...options,
  });
const command = (...args: string[]) =>
  errand({ folder: join(folder, 'data') } as World, ['restore', ...args], { workingDirectory: folder });

const valuesIn = (path: string, sql: string): string[] => {
  const connection = new SqliteDatabase(path, { readonly: true });
  const values = connection.prepare<[], string>(sql).pluck().all();
  connection.close();
  return values;
};
const emailsIn = (path: string) => valuesIn(path, 'select email from users order by email');
/** Changes the backup as no Errand would. */
const spoilBackup = (sql: string): void => {
  const connection = new SqliteDatabase(backup);
  connection.pragma('foreign_keys = off');
  connection.exec(sql).close();
};
const everything = () =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
const replaced = () => `${database}.replaced-2026-03-27T10-00-00-000Z`;

describe('a restore', () => {
  it('puts what the backup holds into the place of the database, and keeps the file that was there', async () => {
    await dataWithBackup();
    const [inode, before] = [statSync(join(folder, 'data')).ino, readFileSync(database)];
    const facts = await restore();
    expect(facts).toMatchObject({ replaced: replaced(), rows: { users: 1 } });
    expect(emailsIn(database)).toEqual(['ada@example.com']);
    expect(readFileSync(replaced()).equals(before)).toBe(true);
    expect((statSync(database).mode & 0o777).toString(8)).toBe('600');
    expect(statSync(join(folder, 'data')).ino).toBe(inode);
    expect(readdirSync(join(folder, 'data')).filter((name) => /new|wal|shm|journal/.test(name))).toEqual([]);
    expect(emailsIn(replaced())).toEqual(['ada@example.com', 'bob@example.com']);
  });

  it('begins another epoch, so that nobody follows what became of the replaced one', async () => {
    await dataWithBackup();
    const epoch = () => valuesIn(database, "select value from meta where key = 'epoch'");
    const before = epoch();
    await restore();
    const first = epoch();
    await restore({ at: toInstant(START + DAY) });
    expect(new Set([...before, ...first, ...epoch()]).size).toBe(3);
  });

  it('knows of the backup that it was made of, and of no failure before that', async () => {
    const opened = await open();
    await opened.signUp('ada@example.com');
    noteFailure(connectionDb(opened.opened.storage.writing), 'disk was full', START);
    await writeBackup(database, backup, unwatched);
    await close();
    await restore({ at: toInstant(START + 3 * DAY) });
    const restored = new SqliteDatabase(database);
    const db = connectionDb(restored);
    expect(backupNotes(db)).toEqual({
      done: undefined,
      failed: undefined,
      restored: { at: toInstant(START + 3 * DAY), file: backup, bytes: statSync(backup).size },
    });
    expect(overdueSince('0 3 * * *', db, START + 3 * DAY)).toBeUndefined();
    restored.close();
  });

  it.each([
    [
      'a trigger',
      'create trigger backdoor after insert on tasks begin select 1; end',
      'the trigger backdoor',
    ],
    ['a view', 'create view everything as select * from users', 'the view everything'],
    ['a table', 'create table extra_junk (x)', 'the table extra_junk'],
    [
      'a trigger called like a replication table',
      'create trigger _litestream_seq after insert on tasks begin select 1; end',
      'the trigger _litestream_seq',
    ],
    ['an index', 'create index more on users (name)', 'the index more'],
    ['no trigger', 'drop trigger tasks_uncounted', 'the trigger tasks_uncounted is missing'],
    [
      'another trigger',
      'drop trigger members_counted; create trigger members_counted after insert on members begin select 1; end',
      'the trigger members_counted is not as',
    ],
  ])(
    'rejects a file with %s that the migrations do not make, by name, and changes nothing',
    async (_what, sql, named) => {
      await dataWithBackup();
      spoilBackup(sql);
      const before = everything();
      await expect(restore()).rejects.toThrow(named);
      expect(everything()).toEqual(before);
    },
  );

  it('takes a file with statistics, and with the tables of a replication tool', async () => {
    await dataWithBackup();
    spoilBackup(
      'analyze; create table _litestream_seq (id integer primary key, seq integer); create table _litestream_lock (id integer)',
    );
    await restore();
    expect(emailsIn(database)).toEqual(['ada@example.com']);
  });

  it('tells of a file that it rejects what to do with that, and not to restore', async () => {
    await dataWithBackup();
    writeFileSync(backup, 'x'.repeat(1_000));
    const rejection: Error = await restore().then(
      () => new Error('taken'),
      (error) => error,
    );
    expect(rejection.message).toBe(
      `${backup} is not a SQLite database. Nothing was changed. Take another backup`,
    );
  });

  it('makes the database where there is none', async () => {
    await dataWithBackup();
    for (const name of readdirSync(join(folder, 'data'))) rmSync(join(folder, 'data', name));
    expect((await restore()).replaced).toBeUndefined();
    expect(emailsIn(database)).toEqual(['ada@example.com']);
  });

  it('ends all sessions, codes, mailed tokens and unsent mail in it', async () => {
    const opened = await open();
    const ada = await opened.signUp('ada@example.com');
    const apiToken = (
      await as(opened, ada)('POST', '/me/tokens', { title: 'Script', role: 'viewer', workspaceIds: null })
    ).body.token;
    const token = await invite(opened, ada, await homeOf(opened, ada), 'eve@example.com', 'viewer');
    await opened.call('POST', '/auth/login/code', { body: { email: ada.email } });
    const { code } = await opened.mailTo(ada.email);
    await opened.call('POST', '/auth/password/reset/request', { body: { email: ada.email } });
    const { token: resetToken } = await opened.mailTo(ada.email);
    const eve = { email: 'new@example.com', password: 'correct horse', name: 'New' };
    await opened.call('POST', '/auth/register', { body: eve });
    const { token: signUpToken } = await opened.mailTo(eve.email);
    opened.opened.storage.writing.exec(
      `update outbox set state = 'queued', sent_at = null where kind = 'confirm-signup'`,
    );
    await writeBackup(database, backup, unwatched);
    await close();
    const { ended } = await restore();
    expect(ended).toMatchObject({
      sessions: 1,
      login_codes: 1,
      email_tokens: 1,
      pending_signups: 1,
      invitations: 1,
      outbox: 1,
    });

    const again = await open();
    const statusOf = async (path: string, body: object) => (await again.call('POST', path, { body })).status;
    expect((await again.call('GET', '/me', { token: ada.accessToken })).status).toBe(401);
    expect((await again.call('GET', '/me', { token: apiToken })).status).toBe(401);
    expect(await statusOf('/auth/refresh', { refreshToken: ada.refreshToken })).toBe(401);
    expect(await statusOf('/auth/login/code/confirm', { email: ada.email, code })).toBe(401);
    expect(
      await statusOf('/auth/password/reset/confirm', { token: resetToken, newPassword: 'x'.repeat(9) }),
    ).toBe(401);
    expect(await statusOf('/auth/register/confirm', { token: signUpToken })).toBe(401);
    await again.untilIdle();
    expect(again.mails).toEqual([]);
    const { status, body } = await again.call('POST', '/auth/login', {
      body: { email: ada.email, password: ada.password },
    });
    expect(status).toBe(200);
    const invited = await as(again, { ...ada, accessToken: body.accessToken })(
      'GET',
      `/workspaces/${await homeOf(again, { ...ada, accessToken: body.accessToken })}/invitations`,
    );
    expect(invited.body.items).toMatchObject([{ email: 'eve@example.com' }]);
    expect(token).toBeTruthy();
    const words = again.values('select token_hash from invitations');
    expect(words).toEqual([expect.stringMatching(/^ended /)]);
  });

  it('keeps them when told to', async () => {
    const ada = await dataWithBackup();
    expect((await restore({ keepSessions: true })).ended).toEqual({});
    const again = await open();
    expect((await again.call('GET', '/me', { token: ada.accessToken })).status).toBe(200);
    expect(
      (await again.call('POST', '/auth/refresh', { body: { refreshToken: ada.refreshToken } })).status,
    ).toBe(200);
  });

  it('of an older schema stands, to be migrated by the next start', async () => {
    const storage = openStorage({ path: backup, create: true });
    await migrate(storage, Object.fromEntries(Object.entries(migrations).slice(0, 1)));
    storage.writing.exec(`insert into users (id, email, name, is_email_verified, created_at, updated_at)
        values ('1', 'old@example.com', 'Old', 1, '', '')`);
    storage.close();
    await restore();
    const opened = await open();
    expect(opened.values('select email from users')).toEqual(['old@example.com']);
  });

  it('takes from a copy that has its log beside it what is in there, and leaves both as they were', async () => {
    const opened = await open();
    await opened.signUp('ada@example.com');
    for (const end of ['', '-wal']) copyFileSync(database + end, backup + end);
    await close();
    const before = readFileSync(`${backup}-wal`);
    expect(before.length).toBeGreaterThan(0);
    await restore();
    expect(emailsIn(database)).toEqual(['ada@example.com']);
    expect(readFileSync(`${backup}-wal`).equals(before)).toBe(true);
  });

  it('takes nothing from the log of a database that is gone, and keeps that', async () => {
    await dataWithBackup();
    const opened = await open();
    await opened.signUp('carl@example.com');
    const log = readFileSync(`${database}-wal`);
    await close();
    rmSync(database);
    writeFileSync(`${database}-wal`, log);
    expect(await restore()).toMatchObject({ replaced: `${replaced()}-wal` });
    expect(emailsIn(database)).toEqual(['ada@example.com']);
    expect(readFileSync(`${replaced()}-wal`).equals(log)).toBe(true);
  });

  it('replaces a database that is damaged beyond opening, whose log is kept with it', async () => {
    await dataWithBackup();
    for (const [end, content] of [
      ['', 'no database'],
      ['-wal', 'no log'],
    ]) {
      writeFileSync(`${database}${end}`, content ?? '');
    }
    await restore();
    expect(emailsIn(database)).toEqual(['ada@example.com']);
    expect(readFileSync(replaced(), 'utf8')).toBe('no database');
    expect(readFileSync(`${replaced()}-wal`, 'utf8')).toBe('no log');
    expect(existsSync(`${database}-wal`)).toBe(false);
  });
});

describe('a restore is rejected, and nothing is changed,', () => {
  const NOT_BACKUPS: [string, () => void | Promise<void>, RegExp][] = [
    ['missing', () => rmSync(backup), /There is no backup/],
    ['empty', () => writeFileSync(backup, ''), /is empty/],
    [
      'a text',
      () => writeFileSync(backup, 'To whom it may concern\n'.repeat(1_000)),
      /not a SQLite database/,
    ],
    [
      'of another program',
      () => {
        rmSync(backup);
        spoilBackup('create table notes (id)');
      },
      /another program/,
    ],
    [
      'with the log of another database beside it',
      () => writeFileSync(`${backup}-wal`, 'x'.repeat(5_000)),
      /backup\.db-wal is not of .*backup\.db/,
    ],
    ['truncated', () => truncateSync(backup, statSync(backup).size - 4_096), /truncated/],
    [
      'damaged in its midst',
      () => {
        const bytes = readFileSync(backup);
        for (let page = 10; page < 60; page++) bytes.fill(0xff, page * 4_096 + 8, page * 4_096 + 400);
        writeFileSync(backup, bytes);
      },
      /damaged/,
    ],
    [
      'with a row that refers to none',
      () => spoilBackup(`insert into members values ('no', 'one', 'viewer', 0, '')`),
      /damaged: 2? ?.*refer to no row/,
    ],
    [
      'of a newer Errand',
      () => spoilBackup(`insert into kysely_migration values ('9999_later', '')`),
      /newer Errand/,
    ],
  ];

  it.each(NOT_BACKUPS)('of a file that is %s', async (_kind, make, why) => {
    await dataWithBackup();
    await make();
    const before = everything();
    const attempt = restore();
    await expect(attempt).rejects.toThrow(why);
    await expect(attempt).rejects.toThrow(StorageError);
    expect(everything()).toEqual(before);
  });

  it('of the database itself', async () => {
    await dataWithBackup();
    await expect(restore({ file: database })).rejects.toThrow(/is the database itself/);
    expect(emailsIn(database)).toHaveLength(2);
  });

  it('where there is no space left, which it says of the copy and not of the backup', async () => {
    await dataWithBackup();
    const before = everything();
    const full = () => {
      throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    };
    const progress = (label: string) => (label === 'Checking' ? full : () => {});
    await expect(restore({ progress })).rejects.toThrow(
      /errand\.db\.new cannot be written: there is no space/,
    );
    expect(everything()).toEqual(before);
  });

  it('of a file that has the name of an unfinished one', async () => {
    await dataWithBackup();
    const file = `${database}.new`;
    copyFileSync(backup, file);
    const before = everything();
    await expect(restore({ file })).rejects.toThrow(/rename it first/);
    expect(everything()).toEqual(before);
  });

  it('while a server runs', async () => {
    await dataWithBackup();
    const unlock = lockData(database);
    const before = everything();
    const rejected = await command('backup.db', '--yes');
    expect(rejected).toMatchObject({
      code: 1,
      err: expect.stringContaining('Another Errand process is using'),
    });
    expect(everything()).toEqual(before);
    unlock();
  });

  it('while another program has the database open', async () => {
    await dataWithBackup();
    const source = `
      const { default: SqliteDatabase } = await import('better-sqlite3');
      globalThis.held = new SqliteDatabase(${JSON.stringify(database)});
      held.exec("insert into meta values ('a', 'b')");
      process.stdout.write('open');
      setInterval(() => {}, 1000);`;
    const cwd = import.meta.dirname;
    const stdio = ['ignore', 'pipe', 'inherit'] as const;
    const other = spawn(process.execPath, ['--input-type=module', '-e', source], { cwd, stdio: [...stdio] });
    children.push(other);
    if (other.stdout) await once(other.stdout, 'data');
    await expect(restore()).rejects.toThrow(/Another program has .* open/);
    expect(emailsIn(database)).toHaveLength(2);
    other.kill('SIGKILL');
    await once(other, 'close');
    await restore();
    expect(emailsIn(database)).toHaveLength(1);
  });

  it('without --yes, which is a misuse', async () => {
    await dataWithBackup();
    const before = everything();
    expect(await command('backup.db')).toMatchObject({ code: 2, err: expect.stringContaining('--yes') });
    expect((await command('none.db')).err).toMatch(/There is no backup at .*none\.db\n[\s\S]*--yes/);
    expect(everything()).toEqual(before);
  });
});

describe('a restore that is killed', () => {
  /** Restores in another process, which dies at a call of `node:fs`. */
  async function restoreDyingAt(name: string, when: 'before' | 'after'): Promise<void> {
    const source = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const real = fs[${JSON.stringify(name)}];
      fs[${JSON.stringify(name)}] = (...given) => {
        if (${JSON.stringify(when)} === 'before') process.kill(process.pid, 'SIGKILL');
        const result = real(...given);
        process.kill(process.pid, 'SIGKILL');
        return result;
      };
      syncBuiltinESMExports();
      const { restoreBackup } = await import(${JSON.stringify(RESTORE)});
      const { migrations } = await import(${JSON.stringify(MIGRATIONS)});
      const at = ${JSON.stringify(toInstant(START))};
      const [file, databasePath] = ${JSON.stringify([backup, database])};
      await restoreBackup({ file, databasePath, migrations, at, keepSessions: false, progress: () => () => {} });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: 'inherit' });
    children.push(child);
    await once(child, 'close');
    expect(child.signalCode).toBe('SIGKILL');
  }

  it.each([
    ['createWriteStream', 'after', 2],
    ['fsyncSync', 'before', 2],
    ['linkSync', 'before', 2],
    ['linkSync', 'after', 2],
    ['renameSync', 'before', 2],
    ['renameSync', 'after', 1],
  ] as const)(
    'at %s (%s) leaves the old database or the new one, whole, and is no hindrance to the next',
    async (name, when, users) => {
      await dataWithBackup();
      await restoreDyingAt(name, when);
      const opened = await open();
      expect(opened.count('users')).toBe(users);
      expect(opened.opened.storage.reading.pragma('integrity_check', { simple: true })).toBe('ok');
      await close();
      await restore({ at: toInstant(START + 1) });
      expect(emailsIn(database)).toEqual(['ada@example.com']);
      expect(readdirSync(join(folder, 'data')).filter((each) => each.includes('.new'))).toEqual([]);
    },
  );
});

describe('errand restore', () => {
  it('tells what it did, and how', async () => {
    await dataWithBackup();
    const { code, out, err } = await command('backup.db', '--yes');
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(`${database} is now what ${backup} holds`);
    expect(out).toMatch(/kept as .*errand\.db\.replaced-/);
    expect(out).toContain('everyone signs in again');
    const { database: path, ended } = JSON.parse((await command('backup.db', '--yes', '--json')).out);
    expect([path, ended.sessions]).toEqual([database, 1]);
  });

  it('lets no escape sequence of a file that it rejects reach the terminal', async () => {
    await dataWithBackup();
    spoilBackup('create trigger "\u001b[2J" after insert on users begin select 1; end');
    const { code, err } = await command('backup.db', '--yes');
    expect([code, err]).toEqual([1, expect.stringContaining('the trigger ?[2J is not')]);
  });
});
