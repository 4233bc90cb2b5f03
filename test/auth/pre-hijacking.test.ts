import { beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { openInstead, world } from '../ada.ts';
import { idToken, newSigningKey, openGoogle, withGoogle } from '../google-double.ts';
import { confirmSignup, post } from '../sign-in.ts';
import { BOT_TOKEN, widget } from '../telegram-double.ts';

const KEY = newSigningKey('key-1');
const ADDRESS = 'victim@gmail.com';
const MALLORY = 666;
const VICTIM = 5;

beforeEach(async () => {
  const google = await openGoogle(KEY);
  await openInstead(withGoogle(google, { settings: { auth: { telegram_bot_token: BOT_TOKEN } } }));
});

const register = (password: string) => post('/auth/register', { email: ADDRESS, password, name: 'V' });
const telegram = (id: number, more: object = {}) => {
  world.clock.advance(1_000);
  return post('/auth/login/telegram', { ...widget(world, { id }), ...more });
};
const newestToken = async () => (await world.mailTo(ADDRESS)).token;

/** What a stranger can begin for an address that is not theirs. */
const ATTACKS: Record<string, () => Promise<unknown>> = {
  'a sign-up': () => register('password of Mallory'),
  'a sign-up by Telegram': () => telegram(MALLORY, { email: ADDRESS }),
  'a sign-in code': () => post('/auth/login/code', { email: ADDRESS }),
  'a password reset': () => post('/auth/password/reset/request', { email: ADDRESS }),
  'a Google account that only had the address once': () =>
    post('/auth/login/google', {
      idToken: idToken(KEY, { sub: 'mallory', email: ADDRESS, email_verified: false }),
    }),
};

/** How the owner of the address comes in. */
const ENTRIES: Record<string, () => Promise<{ status: number; body: { user: { id: string } } }>> = {
  'a sign-up': async () => {
    await register('password of the victim');
    return confirmSignup(await newestToken());
  },
  Google: () => post('/auth/login/google', { idToken: idToken(KEY, { sub: 'victim', email: ADDRESS }) }),
  Telegram: async () => {
    await telegram(VICTIM, { email: ADDRESS });
    return confirmSignup(await newestToken());
  },
};

/** Nothing that Mallory began, or may still try, leads into the account. */
async function expectNoWayIn(owner: string, tokens: (string | undefined)[]) {
  for (const token of tokens) {
    if (token === undefined) continue;
    expect((await confirmSignup(token)).status).toBe(401);
    expect(
      (await post('/auth/password/reset/confirm', { token, newPassword: 'password of Mallory' })).status,
    ).toBe(401);
  }
  expect((await post('/auth/login', { email: ADDRESS, password: 'password of Mallory' })).status).toBe(401);
  expect((await telegram(MALLORY)).status).toBe(400);
  await telegram(MALLORY, { email: ADDRESS });
  await register('password of Mallory');
  const mail = await world.mailTo(ADDRESS);
  expect([mail.subject, mail.token]).toEqual(['You already have an account', undefined]);
  expect((await telegram(MALLORY)).status).toBe(400);
  const again = await post('/auth/login/google', {
    idToken: idToken(KEY, { sub: 'victim', email: ADDRESS }),
  });
  expect(again.body.user.id).toBe(owner);
}

const mailedTokens = async () => {
  await world.untilIdle();
  return world.mails.filter(({ to }) => to === ADDRESS).map(({ token }) => token);
};

describe.each(Object.entries(ENTRIES))('an account entered by %s', (_entry, enter) => {
  it.each(Object.entries(ATTACKS))(
    'is the owner’s alone after a stranger began %s',
    async (_attack, attack) => {
      await attack();
      const begun = await mailedTokens();
      const { status, body } = await enter();
      expect(status).toBeLessThan(300);
      await expectNoWayIn(body.user.id, begun);
    },
  );

  it('is the owner’s alone after all of that, before and in between', async () => {
    for (const attack of Object.values(ATTACKS)) await attack();
    const begun = await mailedTokens();
    for (const attack of Object.values(ATTACKS).reverse()) await attack();
    begun.push(...(await mailedTokens()));
    const { body } = await enter();
    await expectNoWayIn(body.user.id, begun);
  });
});

it('mails nothing that opens an account to come', async () => {
  await ATTACKS['a sign-in code']?.();
  await ATTACKS['a password reset']?.();
  expect(await mailedTokens()).toEqual([]);
});

it.each(['google', 'telegram'])(
  'linking %s is rejected once the session has ended, however far the request has come',
  async (provider) => {
    const { accessToken } = await world.signUp('ada@example.com');
    const proof = provider === 'google' ? { idToken: idToken(KEY) } : widget(world);
    const { write } = world.deps;
    world.deps.write = (job) =>
      write((tx) => {
        tx.run(query.deleteFrom('sessions'));
        return job(tx);
      });
    expect((await post(`/me/${provider}`, proof, accessToken)).status).toBe(401);
    expect(world.count('identities')).toBe(0);
  },
);
