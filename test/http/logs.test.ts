import { beforeEach, describe, expect, it } from 'vitest';
import { MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { idToken, newSigningKey, openGoogle, withGoogle } from '../google-double.ts';
import { BOT_TOKEN, widget } from '../telegram-double.ts';
import { openWorld, quickPasswords, type TestResponse, type World } from '../world.ts';

const KEY = newSigningKey('key-1');
const PASSWORDS = ['password one', 'password two', 'password three', 'password four', 'a wrong password'];
const [FIRST, SECOND_ONE, THIRD, FOURTH, WRONG] = PASSWORDS;
const QUERY = 'needle in a search';
const JSON_OF_EVE = { 'Content-Type': 'application/json', 'User-Agent': 'Eve\u001b[31m' };

let google: Awaited<ReturnType<typeof openGoogle>>;
let world: World;
let fails: Error | undefined;
beforeEach(async () => {
  fails = undefined;
  google = await openGoogle(KEY);
  world = await openWorld(
    withGoogle(google, {
      passwords: {
        ...quickPasswords,
        verify: (stored, password) =>
          fails ? Promise.reject(fails) : quickPasswords.verify(stored, password),
      },
      settings: {
        auth: { telegram_bot_token: BOT_TOKEN },
        rate_limits: { enabled: true, auth_burst: 10_000, refresh_burst: 10_000 },
      },
    }),
  );
});

const post = (path: string, body: object | string, token?: string): Promise<TestResponse> =>
  world.call('POST', path, { body, token, headers: JSON_OF_EVE });

async function mailed(email: string): Promise<string> {
  const { token, code } = await world.mailTo(email);
  return token ?? code ?? '';
}

/** Every flow of an account, with what succeeds in it and what fails. */
async function live(): Promise<void> {
  const [email, newEmail] = ['ada.lovelace@example.com', 'countess@example.com'];
  await post('/auth/register', { email, password: FIRST, name: 'Ada' });
  await post('/auth/register', `{"email":"${email}","password":"${FIRST}`);
  await post('/auth/register', { email, password: FIRST, name: ['Ada'] });
  const token = await mailed(email);
  const { accessToken, refreshToken } = (await post('/auth/register/confirm', { token })).body;
  await post('/auth/register', { email, password: FIRST, name: 'Eve' });
  await post('/auth/register/confirm', { token });
  await post('/auth/login', { email, password: WRONG });
  await post('/auth/login', { email: `Bcc:${email}`, password: WRONG });
  await post('/auth/login', { email, password: FIRST });
  await post('/auth/login/code', { email });
  const code = await mailed(email);
  await post('/auth/login/code/confirm', { email, code: '000000' });
  await post('/auth/login/code/confirm', { email, code });
  await post('/auth/refresh', { refreshToken: 'unknown-refresh-token' });
  const rotated = (await post('/auth/refresh', { refreshToken })).body;
  await post('/auth/logout', { refreshToken: rotated.refreshToken }, accessToken);
  await world.call('GET', `/me?access_token=${rotated.accessToken}`, { token: accessToken });
  await world.call('GET', `/workspaces/x/tasks/search?q=${encodeURIComponent(QUERY)}`, {
    token: accessToken,
  });

  await post('/auth/password/reset/request', { email });
  const reset = await mailed(email);
  await post('/auth/password/reset/confirm', { token: reset, newPassword: 'short' });
  await post('/auth/password/reset/confirm', { token: reset, newPassword: SECOND_ONE });
  const session = (await post('/auth/login', { email, password: SECOND_ONE })).body;
  await post('/me/password', { currentPassword: WRONG, newPassword: THIRD }, session.accessToken);
  await post('/me/password', { currentPassword: SECOND_ONE, newPassword: THIRD }, session.accessToken);

  world.clock.advance(SECOND);
  await post('/auth/email/change/request', { newEmail }, session.accessToken);
  const [change, keep] = [await mailed(newEmail), await mailed(email)];
  await post('/auth/email/change/confirm', { token: change });
  await post('/auth/email/change/revert', { token: keep });

  const good = idToken(KEY, { sub: 'countess', email: 'countess@gmail.com' });
  const bad = idToken(KEY, { sub: 'countess', email: 'countess@gmail.com', aud: 'another' });
  for (const offered of [good, bad, `${good}x`]) await post('/auth/login/google', { idToken: offered });
  const fields = widget(world, { id: 7 });
  await post('/auth/login/telegram', { ...fields, email: 'telegram@example.com' });
  await post('/auth/login/telegram', fields);
  await mailed('telegram@example.com');

  const last = (await post('/auth/login', { email, password: THIRD })).body;
  await post('/me/telegram', widget(world, { id: 8 }), last.accessToken);
  for (let i = 0; i < 2; i += 1) await world.call('DELETE', '/me/telegram', { token: last.accessToken });
  await post('/auth/refresh', { refreshToken: last.refreshToken });
  await post('/auth/refresh', { refreshToken: last.refreshToken });
  for (let i = 0; i < 12; i += 1) await post('/auth/login', { email, password: WRONG });
  await mailed(email);
}

/** The same while the storage takes no writes, and while something unforeseen happens. */
async function fail(): Promise<void> {
  const body = { email: 'ada.lovelace@example.com', password: FOURTH };
  world.clock.advance(20 * MINUTE);
  world.opened.storage.writing.pragma('query_only = on');
  expect((await post('/auth/register', { ...body, name: 'Ada' })).status).toBe(503);
  world.opened.storage.writing.pragma('query_only = off');
  fails = new Error('unforeseen');
  expect((await post('/auth/login', body)).status).toBe(500);
  world.clock.advance(SECOND);
}

it('the log holds no password, token, code, link, address of mail, header or search, at any level, whatever fails', async () => {
  await live();
  await fail();
  const log = world.log.join('');
  expect(log).toContain('"event":"sign-in-failed"');
  expect(log).not.toContain(encodeURIComponent(QUERY));
  // And nothing of what it has seen is in there, as each world asks at its close.
  await world.close();
});

it('the log tells what concerns security, each with the user or the address it is about', async () => {
  await live();
  const events = world.log
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event && !event.startsWith('mail-'));
  expect(events.map(({ event }) => event)).toEqual(
    expect.arrayContaining([
      'account-created',
      'attempts-limited',
      'email-changed',
      'email-kept',
      'identity-added',
      'password-changed',
      'password-reset',
      'refresh-token-reused',
      'sign-in-failed',
      'signed-in',
    ]),
  );
  const times = (kind: string) => events.filter(({ event }) => event === kind).length;
  expect([times('account-created'), times('identity-removed')]).toEqual([2, 1]);
  for (const { event, userId, address } of events)
    expect([event, userId ?? address]).toEqual([event, expect.any(String)]);
});

it('a line of the log stays a line, whatever a client sends', async () => {
  await live();
  for (const line of world.log) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(line).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  }
});

describe('the log of every test', () => {
  it('is searched for what that test sent, got and was mailed: a world with a secret in its log does not close', async () => {
    const other = await openWorld({ settings: { auth: { telegram_bot_token: BOT_TOKEN } } });
    const ada = await other.signUp('ada@example.com', 'Ada');
    await other.call('POST', '/auth/login/code', { body: { email: ada.email } });
    const { code } = await other.mailTo(ada.email);
    await other.call('GET', '/workspaces/x/tasks/search?q=a+needle', { token: ada.accessToken });
    await other.call('POST', '/auth/login', { body: { email: ada.email, password: 'a wrong one' } });
    const { token, link } = other.mails[0] ?? {};
    const passwords = [ada.password, 'a wrong one'];
    const tokens = [ada.accessToken, ada.refreshToken, `Bearer ${ada.accessToken}`, BOT_TOKEN];
    const secrets = [...passwords, ...tokens, token, link, code, ada.email, 'a needle'];
    const before = other.log.length;
    for (const secret of secrets) other.deps.log.trace({ about: `it was ${secret}.` }, 'leaking');
    const leaking = other.log.slice(before);
    await expect(other.close()).rejects.toMatchObject({ actual: { offending: leaking } });
    other.log.length = 0;
  });
});
