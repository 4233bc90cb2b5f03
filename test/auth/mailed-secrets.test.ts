import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY, MINUTE, toInstant } from '../../src/kernel/instants.ts';
import type { OutgoingMail } from '../../src/mail/worker.ts';
import { listMails } from '../../src/storage/outbox-listing.ts';
import { purgeExpired } from '../../src/storage/purge.ts';
import { ada, openAda, openInstead, useAda, world } from '../ada.ts';
import {
  askForEmail,
  codeTo,
  confirmCode,
  confirmEmail,
  confirmReset,
  confirmSignup,
  keepEmail,
  logIn,
  post,
  register,
  resetTokenTo,
  tokenTo,
} from '../sign-in.ts';
import { collecting, type TestResponse } from '../world.ts';

useAda();

describe('a mail that carries what a newer one replaces', () => {
  it('goes out all the same, as every mail that was promised', async () => {
    const atOnce = (times: number, path: string, body: unknown, token?: string) =>
      Promise.all(Array.from({ length: times }, () => post(path, body, token)));
    const home = (await world.call('GET', '/me/workspaces', { token: ada.accessToken })).body.items[0].id;
    world.mails.length = 0;
    await atOnce(2, '/auth/login/code', { email: ada.email });
    await atOnce(4, '/auth/password/reset/request', { email: ada.email });
    await atOnce(2, '/auth/email/change/request', { newEmail: 'new@example.com' }, ada.accessToken);
    await atOnce(6, '/auth/register', { email: 'eve@example.com', password: 'long enough', name: 'Eve' });
    const invited = { email: 'bob@example.com', role: 'member' };
    await atOnce(2, `/workspaces/${home}/invitations`, invited, ada.accessToken);
    await world.untilIdle();
    const sent: Record<string, number> = {};
    for (const { to, subject } of world.mails)
      sent[`${to}: ${subject}`] = (sent[`${to}: ${subject}`] ?? 0) + 1;
    expect(sent).toEqual({
      'ada@example.com: Your sign-in code': 2,
      'ada@example.com: Reset your password': 4,
      'ada@example.com: Your e-mail address is about to change': 2,
      'new@example.com: Confirm your new e-mail address': 2,
      'eve@example.com: Confirm your e-mail address': 5,
      'eve@example.com: Use an earlier mail to confirm your address': 1,
      'bob@example.com: You are invited to a workspace': 2,
    });
  });
});

describe('what a mail carries', () => {
  const NEW = 'new@example.com';
  const change = () => askForEmail(ada.accessToken, NEW);
  it.each<[string, number, string, () => Promise<TestResponse>, string, object?]>([
    ['confirm-signup', DAY, NEW, () => register(NEW, 'password1', 'New'), '/auth/register/confirm'],
    [
      'login-code',
      10 * MINUTE,
      'ada@example.com',
      () => post('/auth/login/code', { email: ada.email }),
      '/auth/login/code/confirm',
      { email: 'ada@example.com' },
    ],
    [
      'password-reset',
      30 * MINUTE,
      'ada@example.com',
      () => post('/auth/password/reset/request', { email: ada.email }),
      '/auth/password/reset/confirm',
      { newPassword: 'new password' },
    ],
    ['email-change', 30 * MINUTE, NEW, change, '/auth/email/change/confirm'],
    ['email-keep', 7 * DAY, 'ada@example.com', change, '/auth/email/change/revert'],
  ])('%s: works to its last millisecond, and then its mail goes with it', async (...flow) => {
    const [kind, lifeMs, to, ask, path, more] = flow;
    await ask();
    const { token, code } = await world.mailTo(to);
    const listed = () => listMails(world.deps.read).filter((mail) => mail.kind === kind);
    expect(listed()).toMatchObject([{ to, expiresAt: toInstant(world.clock.now() + lifeMs) }]);
    world.clock.advance(lifeMs - 1);
    expect((await post(path, { token, code, ...more })).status).toBeLessThan(300);
    expect(listed()).toEqual([]);
  });
});

describe('mailed links', () => {
  it('lead to server.public_url, whatever the request says of its host', async () => {
    const headers = {
      Host: 'evil.example',
      'X-Forwarded-Host': 'evil.example',
      'X-Forwarded-Proto': 'https',
      Forwarded: 'host=evil.example',
    };
    const asked: [string, object][] = [
      ['/auth/register', { email: 'new@example.com', password: 'password1', name: 'New' }],
      ['/auth/password/reset/request', { email: ada.email }],
      ['/auth/email/change/request', { newEmail: 'other@example.com' }],
    ];
    for (const [path, body] of asked) {
      const response = await world.app.request(`http://evil.example/api${path}`, {
        method: 'POST',
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          Authorization: `Bearer ${ada.accessToken}`,
        },
        body: JSON.stringify(body),
      });
      expect(response.status).toBeLessThan(300);
    }
    await world.untilIdle();
    const links = world.mails.flatMap(({ link }) => link ?? []);
    expect(links.length).toBeGreaterThan(4);
    for (const link of links) expect(link).toMatch(/^http:\/\/localhost:8080\/[a-z-]+#token=/);
    expect(JSON.stringify(world.mails)).not.toContain('evil');
  });
});

describe('the data folder', () => {
  it('holds no secret that could be read, also where sent mails are kept', async () => {
    const mails: OutgoingMail[] = [];
    await openInstead({ transport: { ...collecting(mails), erasesTaken: false } });
    const mailed = async () => {
      await world.untilIdle();
      return mails.at(-1)?.token ?? mails.at(-1)?.code ?? '';
    };
    const email = 'ada@example.com';
    const secrets = ['the first password', 'the second password', 'another password'];
    const [first, second, offered] = secrets;
    await register(email, offered, 'Ada');
    secrets.push(await mailed());
    await register(email, first, 'Ada');
    secrets.push(await mailed());
    const signedUp = (await confirmSignup(secrets.at(-1))).body;
    const rotated = (await post('/auth/refresh', { refreshToken: signedUp.refreshToken })).body;
    await post('/auth/password/reset/request', { email });
    secrets.push(await mailed());
    await confirmReset(secrets.at(-1), second);
    const again = (await logIn(email, second ?? '')).body;
    await askForEmail(again.accessToken, 'new@example.com');
    await post('/auth/password/reset/request', { email });
    await world.untilIdle();
    await post('/auth/login/code', { email });
    const code = await mailed();
    for (const { token } of mails) if (token) secrets.push(token);
    for (const pair of [signedUp, rotated, again]) secrets.push(pair.accessToken, pair.refreshToken);
    expect(secrets.every((secret) => secret.length > 10)).toBe(true);
    const files = readdirSync(world.folder).filter((name) => name !== 'keys.json');
    expect(files).toContain('errand.db-wal');
    for (const file of files) {
      const bytes = readFileSync(join(world.folder, file));
      for (const secret of [...secrets, `Code: ${code}`])
        expect([file, secret, bytes.includes(secret)]).toEqual([file, secret, false]);
    }
  });
});

describe('what time makes worthless', () => {
  const TABLES = [
    'sessions',
    'refresh_tokens',
    'known_addresses',
    'pending_signups',
    'signup_attempts',
    'login_codes',
    'email_tokens',
    'budgets',
    'outbox',
  ];
  const rows = () => Object.fromEntries(TABLES.map((table) => [table, world.count(table)]));

  it('is purged, however much it is, and nothing else', async () => {
    await openAda({ settings: { rate_limits: { enabled: true, auth_burst: 100_000 } } });
    const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, (_, i) => i));
    world.run(
      `insert into pending_signups
         select value, 'p@example.com', 'P', null, null, null, value, '2026', '2026-01-01', null from json_each(?)`,
      numbers(2_500),
    );
    await register('new@example.com', 'password1', 'New');
    await post('/auth/login/code', { email: ada.email });
    await post('/auth/password/reset/request', { email: ada.email });
    await askForEmail(ada.accessToken, 'other@example.com');
    await logIn(ada.email, 'wrong password');
    await post('/auth/refresh', { refreshToken: ada.refreshToken });
    await world.untilIdle();
    const { pending_signups: pending, budgets, ...full } = rows();
    world.run(
      `insert into budgets select 'full' || value, ? from json_each(?)`,
      world.clock.now() - 1,
      numbers(5_500),
    );
    await purgeExpired(world.deps);
    expect(rows()).toEqual({ ...full, budgets, pending_signups: Number(pending) - 2_500 });
    world.clock.advance(40 * DAY);
    await purgeExpired(world.deps);
    await purgeExpired(world.deps);
    expect(Object.values(rows())).toEqual(TABLES.map(() => 0));
  });
});

describe('single-use secrets', () => {
  const FIFTY = Array.from({ length: 50 });
  const winners = async (use: () => Promise<{ status: number }>) => {
    const statuses = (await Promise.all(FIFTY.map(use))).map(({ status }) => status);
    const winning = statuses.filter((status) => status < 300).length;
    expect(statuses.filter((status) => status === 401).length).toBe(FIFTY.length - winning);
    return winning;
  };

  it('of every kind are spent by exactly one of 50 parallel uses, round after round', async () => {
    for (let round = 0; round < 5; round += 1) {
      const email = `round${round}@example.com`;
      await register(email, 'password1', 'Round');
      const signup = await tokenTo(email);
      expect(await winners(() => confirmSignup(signup))).toBe(1);

      const code = await codeTo(email);
      expect(await winners(() => confirmCode(email, code))).toBe(1);

      const reset = await resetTokenTo(email);
      expect(await winners(() => confirmReset(reset, 'password2'))).toBe(1);

      const { accessToken } = (await logIn(email, 'password2')).body;
      await askForEmail(accessToken, `new-${email}`);
      const change = await tokenTo(`new-${email}`);
      const keep = await tokenTo(email);
      expect(await winners(() => confirmEmail(change))).toBe(1);
      expect(await winners(() => keepEmail(keep))).toBe(1);
    }
  });
});
