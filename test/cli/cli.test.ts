import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { failureOf } from '../../src/cli/failures.ts';
import { progressBar } from '../../src/cli/progress.ts';
import type { Shell } from '../../src/cli/shell.ts';
import { throwExplained } from '../../src/db/storage-error.ts';
import { errand, errandJson, folder, openServer, signIn, useFolder } from './commands.ts';

useFolder();

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

  it('has the file open once at a time: opened again, it would lose its locks', async () => {
    expect((await errand(['migrate'])).code).toBe(0);
    const logs: boolean[] = [];
    const print = () => logs.push(existsSync(join(folder, 'errand.db-wal')));
    expect((await errand(['migrate', '--remake-search'], { shell: { print } })).code).toBe(0);
    expect(logs).toEqual([false]);
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
    for (const args of [
      ['nope'],
      ['serv'],
      ['help', 'nope'],
      ['create-user'],
      ['users', 'list', '--nope'],
      ['serve', '--port', '9000'],
    ]) {
      const { code, err } = await errand(args);
      expect([code, err]).toEqual([2, expect.stringMatching(/^(errand: (?!error:).+\n)+$/)]);
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

  it('names the code of a failing file once', () => {
    const fault = (code: string, message: string) => {
      try {
        return throwExplained('/data/errand.db', Object.assign(new Error(message), { code }));
      } catch (error) {
        return failureOf(error).message;
      }
    };
    expect(fault('EACCES', 'EACCES: permission denied, open').match(/EACCES/g)).toHaveLength(1);
    expect(fault('SQLITE_CANTOPEN', 'unable to open database file')).toMatch(/ \(SQLITE_CANTOPEN\) \(unable/);
  });
});
