import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, createConfig, loadConfig, maskedConfig } from '../src/config.ts';
import { everySetting, isSecret } from '../src/settings.ts';
import { newFolder } from './new-folder.ts';

let folder: string;
beforeEach(() => {
  folder = newFolder('config');
});

const write = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** What the configuration is rejected with. */
const rejection = (environment: Record<string, string> = {}, toml?: string): string => {
  if (toml !== undefined) write('config.toml', toml);
  try {
    loadConfig(undefined, environment, folder);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return error instanceof Error ? error.message : '';
  }
  return 'accepted';
};

describe('the configuration', () => {
  it('is rejected for an invalid value of the file, also where a variable hides it', () => {
    const toml = '[server]\nport = "x"\n\n[log]\nlevel = "info"';
    const rejected = rejection({ ERRAND_SERVER_PORT: '8080' }, toml);
    expect(rejected).toBe(
      `server.port: must be a whole number from 0 to 65535 (${join(folder, 'config.toml')}, line 2)`,
    );
  });

  it('is complete with neither file nor environment', () => {
    const { config, file, warnings } = loadConfig(undefined, {}, folder);
    expect(file).toBeUndefined();
    expect(warnings).toEqual([]);
    expect(config.server).toMatchObject({
      port: 8080,
      base_path: '/api',
      public_url: 'http://localhost:8080',
    });
    expect(config.database.path).toBe(join(folder, 'data/errand.db'));
    expect(config.backup.directory).toBe(join(folder, 'data/backups'));
  });

  it('is read from the file asked for, else ERRAND_CONFIG, else the working directory', () => {
    write('config.toml', '[server]\nport = 1');
    write('second.toml', '[server]\nport = 2');
    write('third.toml', '[server]\nport = 3');
    const portOf = (asked?: string, environment = {}) =>
      loadConfig(asked, environment, folder).config.server.port;
    expect(portOf()).toBe(1);
    expect(portOf(undefined, { ERRAND_CONFIG: '' })).toBe(1);
    expect(portOf(undefined, { ERRAND_CONFIG: 'second.toml' })).toBe(2);
    expect(portOf('third.toml', { ERRAND_CONFIG: 'second.toml' })).toBe(3);
    expect(() => portOf('missing.toml')).toThrow(join(folder, 'missing.toml'));
  });

  it('takes every setting from the environment over the file', () => {
    write('config.toml', '[server]\nport = 1\nhost = "::1"');
    const { config } = loadConfig(
      undefined,
      {
        ERRAND_SERVER_PORT: '2',
        ERRAND_SERVER_TRUSTED_PROXIES: ' 127.0.0.1, 10.0.0.0/8 ,',
        ERRAND_RATE_LIMITS_ENABLED: 'false',
        ERRAND_BACKUP_SCHEDULE: '',
      },
      folder,
    );
    expect(config.server).toMatchObject({
      port: 2,
      host: '::1',
      trusted_proxies: ['127.0.0.1', '10.0.0.0/8'],
    });
    expect(config.rate_limits.enabled).toBe(false);
    expect(config.backup.schedule).toBe('');
  });

  it('resolves relative paths against the folder of its file', () => {
    writeFileSync(join(folder, 'secret'), 'from the file \n');
    const path = write('config.toml', '[database]\npath = "db/a.db"\n[backup]\ndirectory = "kept"');
    const environment = { ERRAND_MAIL_SMTP_PASSWORD_FILE: 'secret' };
    const { config } = loadConfig(path, environment, '/');
    expect(config.database.path).toBe(join(folder, 'db/a.db'));
    expect(config.backup.directory).toBe(join(folder, 'kept'));
    expect(config.mail.smtp_password).toBe('from the file ');
  });

  it('is not passed over where it leads nowhere', () => {
    symlinkSync(join(folder, 'nowhere.toml'), join(folder, 'config.toml'));
    expect(() => loadConfig(undefined, {}, folder)).toThrow(`${join(folder, 'config.toml')} cannot be read`);
  });

  it('never gives pages more items by default than at most', () => {
    expect(createConfig({ pagination: { max_limit: 20 } }).pagination.default_limit).toBe(20);
  });

  it('cannot be changed', () => {
    const config = createConfig();
    expect(() => Object.assign(config.server, { port: 1 })).toThrow(TypeError);
    expect(() => (config.server.trusted_proxies as string[]).push('x')).toThrow(TypeError);
  });

  it('warns of variables that look like settings and are none', () => {
    const { warnings } = loadConfig(undefined, { ERRAND_PORT: 'tcp://x', ERRAND_CONFIG: '' }, folder);
    expect(warnings).toEqual([
      'The environment variable ERRAND_PORT is not a setting of Errand and is ignored',
    ]);
    const near = loadConfig(undefined, { ERRAND_SERVER_PROT: '1' }, folder).warnings;
    expect(near).toEqual([expect.stringMatching(/is ignored; did you mean ERRAND_SERVER_PORT\?$/)]);
  });

  it('warns where mails by SMTP would come from localhost', () => {
    const mail = { ERRAND_MAIL_TRANSPORT: 'smtp', ERRAND_MAIL_SMTP_HOST: 'smtp.example.com' };
    const { warnings } = loadConfig(undefined, mail, folder);
    expect(warnings).toEqual([expect.stringContaining('mail.from is Errand <errand@localhost>')]);
    const named = { ...mail, ERRAND_MAIL_FROM: 'errand@example.com' };
    expect(loadConfig(undefined, named, folder).warnings).toEqual([]);
  });

  it('is shown with its secrets masked', () => {
    const shown = maskedConfig(
      createConfig({
        auth: { telegram_bot_token: 'hush' },
        mail: { smtp_password: 'hush' },
        metrics: { token: 'hush' },
      }),
    );
    expect(JSON.stringify(shown)).not.toContain('hush');
    expect(shown.mail?.smtp_password).toBe('********');
    expect(shown.auth?.telegram_bot_name).toBe('');
  });

  it('is shown as it can be written', () => {
    for (const base_path of ['/', '/api', '/a/b/']) {
      const config = createConfig({ server: { base_path } });
      expect(createConfig(maskedConfig(config))).toEqual(config);
    }
  });

  it('is rejected where its file is not text in UTF-8', () => {
    writeFileSync(
      join(folder, 'config.toml'),
      Buffer.from('[mail]\nfrom = "J\u00fcrg <j@example.com>"', 'latin1'),
    );
    expect(rejection()).toBe(`${join(folder, 'config.toml')} is not text in UTF-8`);
  });
});

describe('a setting that cannot be used stops the start by its name', () => {
  it.each([
    [
      'a value of the wrong kind',
      '[server]\nport = "x"',
      'server.port: must be a whole number from 0 to 65535',
    ],
    [
      'a number out of range',
      '[server]\nport = 65536',
      'server.port: must be a whole number from 0 to 65535',
    ],
    ['a fraction', '[server]\nport = 1.5', 'server.port: must be a whole number from 0 to 65535'],
    ['a word for a flag', '[metrics]\nenabled = "yes"', 'metrics.enabled: must be true or false'],
    ['an unknown choice', '[auth]\nsignup = "maybe"', 'auth.signup: must be one of open, closed'],
    ['a text for a list', '[server]\ncors_origins = "x"', 'server.cors_origins: must be a list of strings'],
    ['an unknown key', '[server]\nprot = 1', 'server.prot: there is no such setting; did you mean port?'],
    ['an unknown section', '[sever]\nport = 1', 'sever: there is no such setting; did you mean server?'],
    ['a key outside its section', 'port = 1', 'port: there is no such setting; port belongs in [server]'],
    [
      'a key in another section',
      '[server]\nsmtp_host = "x"',
      'server.smtp_host: there is no such setting; smtp_host belongs in [mail]',
    ],
    ['a key like no other', '[server]\nxyzzy = 1', 'server.xyzzy: there is no such setting'],
    ['a section that is a value', 'server = 1', 'server: must be a section, [server]'],
    ['a section that is a list', '[[server]]\nport = 1', 'server: must be a section, [server]'],
    [
      'a proxy that is no address',
      '[server]\ntrusted_proxies = ["10.0.0.0/"]',
      'server.trusted_proxies: must hold addresses or ranges such as 10.0.0.0/8',
    ],
    [
      'an origin with a path',
      '[server]\ncors_origins = ["https://a.example/"]',
      'server.cors_origins: must hold origins such as https://app.example.com',
    ],
    [
      'any origin',
      '[server]\ncors_origins = ["*"]',
      'server.cors_origins: must hold origins such as https://app.example.com',
    ],
    [
      'a pattern that is none',
      '[backup]\nschedule = "0 25 * * *"',
      'backup.schedule: must be a cron pattern such as 0 3 * * *',
    ],
    [
      'a path that clients resolve to another',
      '[server]\nbase_path = "/a/../b"',
      'server.base_path: must be a path such as /api',
    ],
    [
      'an address with a password in it',
      '[server]\npublic_url = "https://ada:hush@a.example"',
      'server.public_url: must be an address such as https://tasks.example.com',
    ],
    [
      'an address with a password and no name',
      '[server]\npublic_url = "https://:hush@a.example"',
      'server.public_url: must be an address such as https://tasks.example.com',
    ],
    [
      'a date for a pattern',
      '[backup]\nschedule = "2999-01-01T00:00:00"',
      'backup.schedule: must be a cron pattern such as 0 3 * * *',
    ],
    [
      'an empty client id',
      '[auth]\ngoogle_client_ids = [""]',
      'auth.google_client_ids: must hold client ids',
    ],
    [
      'a pattern that no day fits',
      '[backup]\nschedule = "0 0 30 2 *"',
      'backup.schedule: must be a cron pattern such as 0 3 * * *',
    ],
    [
      'a pattern of seconds',
      '[backup]\nschedule = "* * * * * *"',
      'backup.schedule: must be a cron pattern such as 0 3 * * *',
    ],
    [
      'a link without its token',
      '[mail]\nlink_keep_email = "https://a.example/"',
      'mail.link_keep_email: must begin with http:// or https:// and contain {token}',
    ],
    [
      'a sender whose domain is not in ASCII',
      '[mail]\nfrom = "Errand <errand@müller.de>"',
      'mail.from: must be like ada@example.com or Ada <ada@example.com>',
    ],
    [
      'two senders',
      '[mail]\nfrom = "errand@acme.org, b <x@y.z>"',
      'mail.from: must be like ada@example.com or Ada <ada@example.com>',
    ],
    [
      'a database that SQLite would look for under another name',
      '[database]\npath = "data/errand.db "',
      'database.path: must be a path without white space around it',
    ],
    [
      'SMTP without a host',
      '[mail]\ntransport = "smtp"',
      'mail.smtp_host: is needed when mail.transport is smtp',
    ],
  ])('%s', (_case, toml, message) => {
    // Each is on the last line, or else is a section, on the first; what is missing is on none.
    const lines = message.startsWith('mail.smtp_host')
      ? ''
      : `, line ${/^\w+\.|^port/.test(message) ? toml.split('\n').length : 1}`;
    expect(rejection({}, toml)).toBe(`${message} (${join(folder, 'config.toml')}${lines})`);
  });

  it('tells every fault at once', () => {
    expect(rejection({}, '[server]\nport = -1\nhost = ""\n[log]\nlevel = "loud"').split('\n')).toHaveLength(
      3,
    );
  });

  it.each(['', ' 1', '1e3', '0x10', '65536'])('names the variable that holds %j for a number', (given) => {
    expect(rejection({ ERRAND_SERVER_PORT: given })).toBe(
      'server.port: must be a whole number from 0 to 65535 (set by ERRAND_SERVER_PORT)',
    );
  });

  it('names the variable even when the section of the file is broken', () => {
    expect(rejection({ ERRAND_SERVER_PORT: '1' }, 'server = 1')).toBe(
      `server: must be a section, [server] (${join(folder, 'config.toml')}, line 1)`,
    );
  });

  it('names the line of a fault, also after comments, other sections and settings', () => {
    const toml = '# a\n\n[log]\nlevel = "info"\n\n[server] # here\nhost = "::1"\n  port = "x"\n';
    expect(rejection({}, toml)).toMatch(/config\.toml, line 8\)$/);
  });

  it('takes an empty variable for the file of a secret as none', () => {
    const environment = {
      ERRAND_MAIL_SMTP_PASSWORD_FILE: '',
      ERRAND_METRICS_TOKEN: 'x',
      ERRAND_METRICS_TOKEN_FILE: '',
    };
    const { config } = loadConfig(undefined, environment, folder);
    expect([config.mail.smtp_password, config.metrics.token]).toEqual(['', 'x']);
  });

  it('rejects a secret given twice, missing or empty', () => {
    write('empty', '\n');
    const [plain, file] = ['ERRAND_METRICS_TOKEN', 'ERRAND_METRICS_TOKEN_FILE'];
    expect(rejection({ [plain]: 'hush', [file]: 'empty' })).toBe(
      'metrics.token: is set by both ERRAND_METRICS_TOKEN and ERRAND_METRICS_TOKEN_FILE',
    );
    expect(rejection({ [file]: 'missing' })).toContain(
      'metrics.token: the file that ERRAND_METRICS_TOKEN_FILE names',
    );
    expect(rejection({ [file]: 'empty' })).toMatch(/^metrics\.token: .* is empty$/);
  });

  it('never repeats a value, not even of a line that cannot be parsed', () => {
    expect(rejection({}, '[mail]\nsmtp_password = "hush\n')).toMatch(/config\.toml, line 2, column \d+: \w/);
    expect(rejection({}, '[mail]\nsmtp_password = "hush\n')).not.toContain('hush');
    write('config.toml', '');
    fc.assert(
      fc.property(fc.constantFrom(...everySetting()), fc.uuid(), ([section, key], value) => {
        const variable = `ERRAND_${section}_${key}`.toUpperCase();
        const told = rejection({ [variable]: value });
        expect(told).not.toContain(value);
        if (told !== 'accepted') expect(told).toContain(`${section}.${key}: `);
      }),
    );
  });
});

describe('config.example.toml', () => {
  const example = readFileSync(join(import.meta.dirname, '../config.example.toml'), 'utf8');
  const everyLine = example.replaceAll(/^# (?=[a-z_]+ = )/gm, '');

  it('changes nothing as it is', () => {
    const path = write('config.toml', example);
    expect(loadConfig(path, {}, folder).config).toEqual(loadConfig(undefined, {}, folder).config);
  });

  it('shows every setting with its default, and no other', () => {
    const shown = Object.entries(parse(everyLine)).flatMap(([section, keys]) =>
      Object.entries(keys as object).map(([key, value]) => [`${section}.${key}`, value]),
    );
    const defaults = everySetting().map(([section, key, schema]) => [
      `${section}.${key}`,
      // The only default that depends on where it is looked at.
      section === 'log' && key === 'format' ? 'json' : schema.parse(undefined),
    ]);
    expect(shown).toEqual(defaults);
  });

  it('says of every secret that it is one, and holds none', () => {
    for (const [section, key, schema] of everySetting().filter(([, , setting]) => isSecret(setting))) {
      expect([`${section}.${key}`, schema.parse(undefined)]).toEqual([`${section}.${key}`, '']);
    }
    expect(example.match(/\bsecret\b/g)?.length).toBeGreaterThanOrEqual(3);
  });
});
