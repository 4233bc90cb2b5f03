import { describe, expect, it } from 'vitest';
import { DAY, HOUR } from '../../src/kernel/instants.ts';
import { purgeExpired } from '../../src/storage/purge.ts';
import { openInstead, openLimited, useWorld, world } from '../ada.ts';
import { logIn, post, register } from '../sign-in.ts';
import { BOT_TOKEN, widget } from '../telegram-double.ts';

useWorld();

const confirm = (token: string | undefined, password?: string) =>
  post('/auth/register/confirm', { token, password });
const signsIn = async (password: string, email = VICTIM) => (await logIn(email, password)).status;

const VICTIM = 'victim@example.com';
const THEIRS = 'password of the victim';
const STRANGERS = 'password of a stranger';
/** Signs the address up and returns the token that was mailed for it, if one was. */
const tokenFor = async (password: string, email = VICTIM) => {
  const before = world.mails.length;
  expect((await register(email, password)).status).toBe(201);
  await world.untilIdle();
  world.clock.advance(1);
  return world.mails.slice(before).find(({ to }) => to === email)?.token;
};
const hasPassword = async ({ body }: Awaited<ReturnType<typeof confirm>>) =>
  (await world.call('GET', '/me', { token: body.accessToken })).body.hasPassword;

describe('sign-up', () => {
  it('opens an account only when the mailed token comes back', async () => {
    const { status, body } = await register('Ada@Example.com', 'password1', 'Ada');
    expect([status, body]).toEqual([201, undefined]);
    expect(await signsIn('password1', 'ada@example.com')).toBe(401);

    const mail = await world.mailTo('ada@example.com');
    const confirmed = await confirm(mail.token);
    expect(confirmed.status).toBe(201);
    expect(confirmed.body.user).toEqual({
      id: expect.any(String),
      email: 'ada@example.com',
      name: 'Ada',
      isEmailVerified: true,
    });
    const workspaces = await world.call('GET', '/me/workspaces', { token: confirmed.body.accessToken });
    expect(workspaces.body).toMatchObject({
      page: 1,
      limit: 50,
      total: 1,
      items: [{ title: "Ada's workspace", role: 'owner', memberCount: 1 }],
    });
  });

  it('accepts a confirmation token once, and not after a day', async () => {
    await register('a@example.com');
    const { token } = await world.mailTo('a@example.com');
    world.clock.advance(DAY + 1);
    expect((await confirm(token)).status).toBe(401);
    await register('a@example.com');
    const { token: second } = await world.mailTo('a@example.com');
    expect((await confirm(second)).status).toBe(201);
    expect((await confirm(second)).status).toBe(401);
  });
});

describe('sign-ups of one address with several passwords', () => {
  it.each([
    ['the stranger’s', 'before', () => tokenFor(STRANGERS), () => tokenFor(THEIRS), 0],
    ['the owner’s', 'before', () => tokenFor(STRANGERS), () => tokenFor(THEIRS), 1],
    ['the stranger’s', 'after', () => tokenFor(THEIRS), () => tokenFor(STRANGERS), 1],
    ['the owner’s', 'after', () => tokenFor(THEIRS), () => tokenFor(STRANGERS), 0],
  ])(
    'open the account without one by %s link, made %s, and a mail says so',
    async (_whose, _when, first, second, used) => {
      const tokens = [await first(), await second()];
      const opened = await confirm(tokens[used]);
      expect([opened.status, await hasPassword(opened)]).toEqual([201, false]);
      expect([await signsIn(STRANGERS), await signsIn(THEIRS)]).toEqual([401, 401]);
      const { subject, text } = await world.mailTo(VICTIM);
      expect(subject).toBe('Your account has no password yet');
      expect(text).toContain('with different passwords');
      expect((await confirm(tokens[1 - used])).status).toBe(401);
    },
  );

  it('keep the password of the confirmed one where the confirmation offers just that', async () => {
    const [theirs, strangers] = [await tokenFor(THEIRS), await tokenFor(STRANGERS)];
    expect(strangers).toBeDefined();
    const opened = await confirm(theirs, THEIRS);
    expect([opened.status, await hasPassword(opened)]).toEqual([201, true]);
    expect([await signsIn(STRANGERS), await signsIn(THEIRS)]).toEqual([401, 200]);
    expect(world.mails.some(({ subject }) => subject === 'Your account has no password yet')).toBe(false);
  });

  it('keep none where the confirmation offers that of another one', async () => {
    const [, strangers] = [await tokenFor(THEIRS), await tokenFor(STRANGERS)];
    const opened = await confirm(strangers, THEIRS);
    expect([opened.status, await hasPassword(opened)]).toEqual([201, false]);
    expect([await signsIn(STRANGERS), await signsIn(THEIRS)]).toEqual([401, 401]);
  });

  it('count for a day, also once they are purged', async () => {
    await tokenFor(STRANGERS);
    world.clock.advance(23 * HOUR);
    const within = await tokenFor(THEIRS);
    await purgeExpired(world.deps);
    expect(await hasPassword(await confirm(within))).toBe(false);

    await tokenFor(STRANGERS, 'other@example.com');
    world.clock.advance(DAY + 1);
    await purgeExpired(world.deps);
    expect(world.rows('select * from signup_attempts')).toEqual([]);
    expect(await hasPassword(await confirm(await tokenFor(THEIRS, 'other@example.com')))).toBe(true);
  });

  it('count where they were not kept, as five wait already', async () => {
    const [first] = [await tokenFor(STRANGERS), ...(await strangersSignUps(4))];
    expect(await tokenFor(THEIRS)).toBeUndefined();
    expect((await world.mailTo(VICTIM)).subject).toBe('Use an earlier mail to confirm your address');
    expect(await hasPassword(await confirm(first))).toBe(false);
  });

  it('count where they were not mailed, as too many mails went there', async () => {
    await openLimited({ mail_burst: 2 });
    const [first] = [await tokenFor(STRANGERS), await tokenFor(STRANGERS)];
    expect(await tokenFor(THEIRS)).toBeUndefined();
    expect(await hasPassword(await confirm(first))).toBe(false);
  });

  it('count against one by Telegram, and the other way round', async () => {
    await openInstead({ settings: { auth: { telegram_bot_token: BOT_TOKEN } } });
    await post('/auth/login/telegram', { ...widget(world, { id: 7 }), email: VICTIM });
    await world.untilIdle();
    expect(await hasPassword(await confirm(await tokenFor(STRANGERS)))).toBe(false);
  });

  it('leave nothing behind from which a password could be guessed', async () => {
    for (let i = 0; i < 20; i += 1) await register(VICTIM, `password ${i}`);
    const rows = world.rows<{ email: string; password_tag: number }>('select * from signup_attempts');
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(Object.keys(row)).toEqual(['email', 'password_tag', 'made_at']);
      expect(row.password_tag).toBeLessThan(2 ** 16);
    }
    await confirm((await world.mailTo(VICTIM)).token);
    for (const { token } of world.mails.filter((mail) => mail.token)) await confirm(token);
    expect(world.rows('select * from signup_attempts')).toEqual([]);
  });
});

const strangersSignUps = async (count: number) => {
  const tokens = [];
  for (let i = 0; i < count; i += 1) tokens.push(await tokenFor(STRANGERS));
  return tokens;
};

describe('sign-ups of one address with the same password', () => {
  it('keep it, whichever is confirmed', async () => {
    const [, second] = [await tokenFor(THEIRS), await tokenFor(THEIRS)];
    const opened = await confirm(second);
    expect([opened.status, await hasPassword(opened)]).toEqual([201, true]);
    expect(await signsIn(THEIRS)).toBe(200);
  });

  it('are kept five at a time, the oldest ones, and a later one is mailed without a token', async () => {
    const [first, ...others] = await strangersSignUps(7);
    expect(others.map((token) => token !== undefined)).toEqual([true, true, true, true, false, false]);
    expect((await confirm(first)).status).toBe(201);
    expect(world.rows('select * from pending_signups')).toEqual([]);
  });

  it('make room for others once they have expired', async () => {
    await strangersSignUps(5);
    world.clock.advance(DAY);
    expect(await tokenFor(THEIRS)).toBeDefined();
  });
});

it('a single sign-up keeps its password, whatever the confirmation offers', async () => {
  expect(await hasPassword(await confirm(await tokenFor(THEIRS), 'something else'))).toBe(true);
  expect(await signsIn(THEIRS)).toBe(200);
});

it('sign-ups of other addresses take no place of one, and neither count against it nor make others forgotten', async () => {
  let count = 0;
  const othersSignUp = async () => {
    const tokens = [];
    for (let i = 0; i < 3; i += 1) {
      count += 1;
      tokens.push(await tokenFor(`password ${count}`, `other${count}@example.com`));
    }
    return tokens;
  };
  await tokenFor(STRANGERS);
  const others = await othersSignUp();
  const doubtful = await tokenFor(THEIRS);
  others.push(...(await othersSignUp()));
  for (const token of others) expect(await hasPassword(await confirm(token))).toBe(true);
  expect(await hasPassword(await confirm(doubtful))).toBe(false);
});
