import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { insertIdentity } from '../../src/storage/identities.ts';
import { tick } from '../../src/tick.ts';
import { reopen, useWorld, world } from '../ada.ts';
import { pathsOf } from '../people.ts';
import { errand } from '../shell.ts';
import { confirmSignup, post } from '../sign-in.ts';
import { BOT_TOKEN, signature, widget } from '../telegram-double.ts';
import { openWorld } from '../world.ts';

const SETTINGS = { auth: { telegram_bot_token: BOT_TOKEN } };

useWorld({ settings: SETTINGS });

const logIn = (body: object) => post('/auth/login/telegram', body);
const link = (body: object, token: string) => post('/me/telegram', body, token);
const me = async (token: string) => (await world.call('GET', '/me', { token })).body;
/** What Telegram signs differs from second to second. */
const fresh = (fields: Record<string, unknown> = {}) => {
  world.clock.advance(SECOND);
  return widget(world, fields);
};
const signUp = async (email: string, fields: Record<string, unknown> = {}) => {
  expect((await logIn({ ...fresh(fields), email })).status).toBe(201);
  return confirmSignup((await world.mailTo(email)).token);
};

describe('sign-in by Telegram', () => {
  it('asks someone new for an address, and opens the account when that confirms', async () => {
    const fields = fresh({ last_name: 'Lovelace', photo_url: 'https://t.me/i/userpic/320/ada.jpg' });
    const asked = await logIn(fields);
    expect([asked.status, asked.body.issues]).toEqual([
      400,
      [{ path: 'email', message: expect.any(String) }],
    ]);
    const promised = await logIn({ ...fields, email: 'Ada@Example.com' });
    expect([promised.status, promised.body]).toEqual([201, undefined]);

    const mail = await world.mailTo('ada@example.com');
    for (const text of [mail.text, mail.html]) expect(text).toContain('@ada_l');
    const { status, body } = await confirmSignup(mail.token);
    expect([status, body.user]).toEqual([
      201,
      { id: expect.any(String), email: 'ada@example.com', name: 'Ada Lovelace', isEmailVerified: true },
    ]);
    expect(await me(body.accessToken)).toMatchObject({ hasPassword: false, telegramLinked: true });
    const again = await logIn(fresh());
    expect([again.status, again.body.user]).toEqual([200, body.user]);
  });

  it('is rejected while the account is disabled', async () => {
    const { body } = await signUp('ada@example.com');
    expect(await errand(world, ['users', 'disable', 'ada@example.com'])).toMatchObject({ code: 0 });
    expect((await logIn(fresh())).status).toBe(401);
    await errand(world, ['users', 'enable', 'ada@example.com']);
    expect((await logIn(fresh())).body.user).toEqual(body.user);
  });

  it('takes numbers and their digits, as callback and redirect bring them', async () => {
    const { body } = await signUp('ada@example.com');
    const { id, auth_date: date, ...rest } = fresh({ email: undefined });
    const response = await logIn({
      ...rest,
      id: String(id),
      auth_date: String(date),
      lang: 'en',
      email: 'ignored@example.com',
    });
    expect([response.status, response.body.user.id]).toEqual([200, body.user.id]);
  });

  it.each([
    ['more than an hour old', HOUR + SECOND, 401],
    ['an hour old', HOUR, 200],
    ['a moment ahead of us', -MINUTE, 200],
    ['from the future', -MINUTE - SECOND, 401],
  ])('of fields that are %s', async (_what, age, expected) => {
    await signUp('ada@example.com');
    const fields = widget(world, { auth_date: (world.clock.now() - age) / SECOND });
    expect((await logIn(fields)).status).toBe(expected);
  });

  it('takes what was signed once, however parallel, and remembers it until it is too old', async () => {
    await signUp('ada@example.com');
    const fields = fresh();
    const responses = await Promise.all(Array.from({ length: 50 }, () => logIn(fields)));
    expect(responses.filter(({ status }) => status === 200).length).toBe(1);
    expect(responses.filter(({ status }) => status === 401).length).toBe(49);
    expect((await logIn({ ...fields, hash: fields.hash.toUpperCase() })).status).toBe(401);
    world.clock.advance(HOUR);
    await tick(world.deps);
    expect((await logIn(fields)).status).toBe(401);
    world.clock.advance(2 * SECOND);
    await tick(world.deps);
    expect((await logIn(fields)).status).toBe(401);
    expect(world.rows('select * from used_telegram_logins')).toEqual([]);
  });

  it('spends a sign-up too', async () => {
    const fields = fresh();
    expect((await logIn({ ...fields, email: 'ada@example.com' })).status).toBe(201);
    expect((await logIn({ ...fields, email: 'bob@example.com' })).status).toBe(401);
  });

  it('is always rejected, with the reason, when no bot is configured', async () => {
    const unset = await openWorld();
    const call = (path: string, token?: string) =>
      unset.call('POST', path, { body: widget(unset, {}, ''), token });
    const { status, body } = await call('/auth/login/telegram');
    expect([status, body.message]).toEqual([401, expect.stringContaining('auth.telegram_bot_token')]);
    const ada = await unset.signUp();
    expect((await call('/me/telegram', ada.accessToken)).body.issues[0].path).toBe('hash');
  });
});

describe('what Telegram did not sign is rejected', () => {
  it('whichever field was changed, added or left out', async () => {
    await signUp('ada@example.com');
    const fields = fresh({ last_name: 'Lovelace' });
    const changed = [
      { id: 5 },
      { first_name: 'Eve' },
      { last_name: undefined },
      { username: 'eve' },
      { photo_url: 'https://example.com/eve.jpg' },
      { auth_date: fields.auth_date + 1 },
      { hash: signature(fields, 'another:bot') },
      { hash: '0'.repeat(64) },
      { hash: 'bad' },
      { hash: '' },
    ];
    for (const change of changed) expect((await logIn({ ...fields, ...change })).status).toBe(401);
    expect((await logIn(fields)).status).toBe(200);
  });

  it('even when a value holds a line that looks like another field', async () => {
    const victim = (await signUp('victim@example.com', { id: 5 })).body.user;
    const mine = fresh({ id: 66, first_name: 'A\nid=5\nlast_name=B' });
    const { first_name: _first, id: _id, ...rest } = mine;
    const asVictim = { ...rest, id: 5, first_name: 'A', last_name: `B\nid=66` };
    const { status, body } = await logIn(asVictim);
    expect([status, body.issues[0].path]).toEqual([400, 'last_name']);
    expect((await logIn(fresh({ id: 5 }))).body.user).toEqual(victim);
  });

  it('and a field of another kind is named', async () => {
    const wrong = {
      id: 1.5,
      first_name: null,
      auth_date: 'today',
      hash: undefined,
      username: 5,
      email: 'nope',
    };
    const { status, body } = await logIn({ ...fresh(), ...wrong });
    const paths = pathsOf(body).sort();
    expect([status, paths]).toEqual([400, ['auth_date', 'email', 'first_name', 'hash', 'id', 'username']]);
    for (const id of [0, -1, '007', '1e3', '', null]) {
      const { issues } = (await logIn({ ...fresh(), id })).body;
      expect(issues).toEqual([{ path: 'id', message: 'id must be a whole number above 0' }]);
    }
  });

  it('and the API description has the rules of its fields', async () => {
    const { body } = await world.call('GET', '/openapi.json');
    const given = body.paths['/me/telegram'].post.requestBody.content['application/json'].schema;
    const schema = given.$ref ? body.components.schemas[given.$ref.split('/').at(-1)] : given;
    expect(schema.properties.id.anyOf).toMatchObject([
      { exclusiveMinimum: 0 },
      { pattern: '^[1-9]\\d{0,15}$' },
    ]);
    expect(schema.properties.first_name).toMatchObject({ maxLength: 256, pattern: '^[^\\r\\n]*$' });
  });

  it('and nothing of it, taken or rejected, is in the log', async () => {
    const told = await openWorld({ settings: SETTINGS });
    const fields = widget(told, { last_name: 'Lovelace' });
    for (const body of [fields, { ...fields, email: 'ada@example.com' }, fields, { ...fields, id: 5 }]) {
      await told.call('POST', '/auth/login/telegram', { body });
    }
    await told.close();
    const text = told.log.join('');
    expect(text).toMatch(/"event":"sign-in-failed".*"path":"\/api\/auth\/login\/telegram"/);
    for (const secret of [fields.hash, BOT_TOKEN, 'Lovelace', 'ada_l', 'ada@example', '279058397'])
      expect(text).not.toContain(secret);
  });
});

describe('a sign-up by Telegram', () => {
  it('looks the same for existing, pending and new addresses, and nothing can be linked by it', async () => {
    const ada = await world.signUp('ada@example.com');
    await logIn({ ...fresh(), email: 'pending@example.com' });
    await world.untilIdle();
    const seen = [];
    for (const email of ['ada@example.com', 'pending@example.com', 'new@example.com']) {
      const fields = fresh();
      const before = world.opened.writer.counts.jobs;
      const { status, body, headers } = await logIn({ ...fields, email });
      const jobs = world.opened.writer.counts.jobs - before;
      await world.untilIdle();
      seen.push({ status, body, jobs, names: [...headers.keys()] });
    }
    expect(seen).toEqual([seen[0], seen[0], seen[0]]);
    const mail = await world.mailTo('ada@example.com');
    expect([mail.subject, mail.token]).toEqual(['You already have an account', undefined]);
    expect((await me(ada.accessToken)).telegramLinked).toBe(false);
    expect((await logIn(fresh())).status).toBe(400);
  });

  it.each([
    [{ username: 'eve<b>' }, 'Ada (number 279058397)'],
    [
      { username: undefined, first_name: '<a href="https://evil.example">Win!</a>' },
      'a hrefhttpsevilexampleWina (number',
    ],
    [{ username: undefined, first_name: '‮Ada.example' }, 'Adaexample (number'],
    [{ username: undefined, first_name: 'x'.repeat(200) }, ` ${'x'.repeat(64)} (number`],
    [{ username: undefined, first_name: '🎉 🎉' }, 'account number 279058397'],
  ])('names the Telegram account in plain words: %j', async (fields, expected) => {
    await logIn({ ...fresh(fields), email: 'ada@example.com' });
    const { text, html } = await world.mailTo('ada@example.com');
    expect(text).toContain(expected);
    expect(html).toContain(expected);
  });

  it('makes the name fit', async () => {
    const { body } = await signUp('ada@example.com', { first_name: '', last_name: '\u0085' });
    expect(body.user.name).toBe('ada');
    const long = await signUp('b@example.com', {
      id: 2,
      first_name: 'x'.repeat(150),
      last_name: 'y'.repeat(150),
    });
    expect(long.body.user.name).toBe(`${'x'.repeat(150)} ${'y'.repeat(49)}`);
  });

  it('comes to nothing when the Telegram account was linked meanwhile', async () => {
    await logIn({ ...fresh(), email: 'one@example.com' });
    const { token } = await world.mailTo('one@example.com');
    const { body } = await signUp('two@example.com');
    expect((await confirmSignup(token)).status).toBe(401);
    expect((await logIn(fresh())).body.user.id).toBe(body.user.id);
  });

  it('is rejected while sign-up is closed, and known people come in', async () => {
    const { body } = await signUp('ada@example.com');
    await logIn({ ...fresh({ id: 2 }), email: 'late@example.com' });
    const { token } = await world.mailTo('late@example.com');
    await reopen({ settings: { auth: { ...SETTINGS.auth, signup: 'closed' } } });
    expect((await logIn(fresh())).body.user.id).toBe(body.user.id);
    for (const more of [{}, { email: 'new@example.com' }, { email: 'ada@example.com' }]) {
      expect((await logIn({ ...fresh({ id: 3 }), ...more })).status).toBe(403);
    }
    expect((await confirmSignup(token)).status).toBe(401);
  });
});

describe('linking', () => {
  it('is asked for by the owner, told to them, and may be taken back', async () => {
    const ada = await world.signUp('ada@example.com');
    const fields = fresh();
    const linked = await link(fields, ada.accessToken);
    expect([linked.status, linked.body]).toEqual([200, await me(ada.accessToken)]);
    expect(linked.body.telegramLinked).toBe(true);
    expect((await world.mailTo(ada.email)).subject).toBe('Telegram was added as a way to sign in');
    expect((await logIn(fields)).status).toBe(401);
    expect((await logIn(fresh())).body.user.id).toBe(ada.id);

    const unlink = () => world.call('DELETE', '/me/telegram', { token: ada.accessToken });
    expect((await unlink()).status).toBe(204);
    expect((await world.mailTo(ada.email)).subject).toBe('Telegram was removed as a way to sign in');
    const { length } = world.mails;
    expect((await unlink()).status).toBe(204);
    await world.untilIdle();
    expect(world.mails.length).toBe(length);
    expect((await logIn(fresh())).status).toBe(400);
  });

  it('takes nobody for whom Google calls by the same number, and leaves that account linked', async () => {
    const ada = await world.signUp('ada@example.com');
    const { id } = fresh();
    await world.deps.write((tx) => insertIdentity(tx, ada.id, 'google', String(id), world.clock.now()));
    expect((await logIn(fresh())).status).toBe(400);
    expect((await link(fresh(), ada.accessToken)).body).toMatchObject({
      googleLinked: true,
      telegramLinked: true,
    });
    expect((await world.call('DELETE', '/me/telegram', { token: ada.accessToken })).status).toBe(204);
    expect(await me(ada.accessToken)).toMatchObject({ googleLinked: true, telegramLinked: false });
  });

  it('names hash when the fields do not work, are used, another account’s, or a second one', async () => {
    await signUp('bob@example.com');
    const ada = await world.signUp('ada@example.com');
    const used = fresh({ id: 2 });
    const rejections = [
      await link(fresh(), ada.accessToken),
      await link({ ...used, id: 3 }, ada.accessToken),
    ];
    expect((await link(used, ada.accessToken)).status).toBe(200);
    rejections.push(await link(used, ada.accessToken), await link(fresh({ id: 3 }), ada.accessToken));
    for (const { status, body } of rejections) {
      expect([status, body.issues]).toEqual([400, [{ path: 'hash', message: expect.any(String) }]]);
    }
    expect((await world.call('POST', '/me/telegram', { body: fresh() })).status).toBe(401);
  });
});
