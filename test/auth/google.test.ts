import { beforeEach, describe, expect, it } from 'vitest';
import { SECOND } from '../../src/kernel/instants.ts';
import { openInstead, reopen, world } from '../ada.ts';
import { type GoogleDouble, idToken, newSigningKey, openGoogle, withGoogle } from '../google-double.ts';
import { errand } from '../shell.ts';
import { changeEmail, confirmSignup, logInByCode, post, register, tokenTo } from '../sign-in.ts';

const KEY = newSigningKey('key-1');

let google: GoogleDouble;
beforeEach(async () => {
  google = await openGoogle(KEY);
  await openInstead(withGoogle(google));
});

const logIn = (token: string) => post('/auth/login/google', { idToken: token });
const link = (idToken: string, accessToken: string) => post('/me/google', { idToken }, accessToken);
const me = async (token: string) => (await world.call('GET', '/me', { token })).body;
const subjects = () => world.mails.map(({ subject }) => subject);

describe('sign-in by Google', () => {
  it('opens an account with its default workspace at the first time, and finds it again', async () => {
    const first = await logIn(idToken(KEY));
    expect([first.status, first.body.user]).toEqual([
      200,
      { id: expect.any(String), email: 'ada@gmail.com', name: 'Ada Lovelace', isEmailVerified: true },
    ]);
    expect(await me(first.body.accessToken)).toMatchObject({ hasPassword: false, googleLinked: true });
    const workspaces = await world.call('GET', '/me/workspaces', { token: first.body.accessToken });
    expect(workspaces.body.items).toMatchObject([{ title: "Ada Lovelace's workspace", role: 'owner' }]);
    const again = await logIn(idToken(KEY, { iss: 'accounts.google.com' }));
    expect([again.status, again.body.user.id]).toEqual([200, first.body.user.id]);
  });

  it('is rejected while the account is disabled, by sub and by address', async () => {
    const { body } = await logIn(idToken(KEY));
    await errand(world, ['create-user', '--email', 'bob@gmail.com', '--name', 'Bob', '--no-password']);
    for (const email of ['ada@gmail.com', 'bob@gmail.com'])
      expect(await errand(world, ['users', 'disable', email])).toMatchObject({ code: 0 });
    expect((await logIn(idToken(KEY))).status).toBe(401);
    expect((await logIn(idToken(KEY, { sub: '2', email: 'bob@gmail.com' }))).status).toBe(401);
    await errand(world, ['users', 'enable', 'ada@gmail.com']);
    expect((await logIn(idToken(KEY))).body.user).toEqual(body.user);
  });

  it('knows people by sub: an address that changes at Google changes nothing here', async () => {
    const { body } = await logIn(idToken(KEY));
    const renamed = await logIn(idToken(KEY, { email: 'countess@gmail.com', name: 'Countess' }));
    expect(renamed.body.user).toEqual(body.user);
    const other = await logIn(idToken(KEY, { sub: '2', email: 'countess@gmail.com' }));
    expect(other.body.user.id).not.toBe(body.user.id);
    for (const claims of [{ email: undefined }, { email_verified: false }, { email: 'ü@example.com' }]) {
      expect((await logIn(idToken(KEY, claims))).body.user).toEqual(body.user);
      expect((await logIn(idToken(KEY, { ...claims, sub: '3' }))).status).toBe(401);
    }
  });

  it('takes a token until it expires, and 50 parallel first sign-ins with one open one account', async () => {
    const exp = Math.floor(Date.now() / SECOND) + 3_590;
    const token = idToken(KEY, { exp });
    const responses = await Promise.all(Array.from({ length: 50 }, () => logIn(token)));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.user?.id}`)).size).toBe(1);
    const { total } = (await world.call('GET', '/me/workspaces', { token: responses[0]?.body.accessToken }))
      .body;
    expect(total).toBe(1);
    world.clock.set(exp * SECOND - 1);
    expect((await logIn(token)).status).toBe(200);
    world.clock.advance(1);
    expect((await logIn(token)).status).toBe(401);
  });

  it.each([
    ['Ada\u0000\n Lovelace\u2028', 'Ada  Lovelace'],
    [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
    ['  ', 'ada'],
    [undefined, 'ada'],
    [7, 'ada'],
  ])('makes the name %j fit: %j', async (name, expected) => {
    expect((await logIn(idToken(KEY, { name }))).body.user.name).toBe(expected);
  });

  it('accepts keys as certificates and as a JWK set', async () => {
    google.respond = (response) => {
      const { n, e } = KEY.publicKey.export({ format: 'jwk' });
      response.end(JSON.stringify({ keys: [{ kid: KEY.kid, kty: 'RSA', alg: 'RS256', use: 'sig', n, e }] }));
    };
    expect((await logIn(idToken(KEY))).status).toBe(200);
  });
});

describe('an address with a pending sign-up', () => {
  it('is free of it for good once Google opened the account, also when the account moves away', async () => {
    await register('ada@gmail.com', 'password of Mallory', 'Mallory');
    const pending = await tokenTo('ada@gmail.com');
    const { body } = await logIn(idToken(KEY));
    await changeEmail(body.accessToken, 'ada@example.com');
    expect((await confirmSignup(pending)).status).toBe(401);
  });
});

describe('an address that has an account', () => {
  const ACCOUNT = 'ada@example.com';
  const asked = { email: ACCOUNT, sub: '5' };

  it('is linked only where Google is authoritative, and its owner is told', async () => {
    const ada = await world.signUp(ACCOUNT);
    const rejected = await logIn(idToken(KEY, asked));
    expect([rejected.status, rejected.body.message]).toEqual([401, expect.stringMatching(/sign in .*link/)]);
    expect((await logIn(idToken(KEY, { ...asked, hd: '' }))).status).toBe(401);
    expect((await me(ada.accessToken)).googleLinked).toBe(false);

    const { status, body } = await logIn(idToken(KEY, { ...asked, hd: 'example.com' }));
    expect([status, body.user.id]).toEqual([200, ada.id]);
    expect(await me(ada.accessToken)).toMatchObject({ googleLinked: true, hasPassword: true });
    expect((await world.mailTo(ACCOUNT)).subject).toBe('Google was added as a way to sign in');
    expect((await logIn(idToken(KEY, asked))).status).toBe(200);
  });

  it('of Gmail is linked whatever its case, and look-alikes are not', async () => {
    const ada = await world.signUp('ada@gmail.com');
    const evil = await world.signUp('ada@gmail.com.example.com');
    expect((await logIn(idToken(KEY, { email: 'ADA@Gmail.com' }))).body.user.id).toBe(ada.id);
    expect((await logIn(idToken(KEY, { sub: '6', email: evil.email }))).status).toBe(401);
  });

  it('is not handed to the present owner of the address at Google', async () => {
    await logIn(idToken(KEY, { hd: 'gmail.com' }));
    expect((await logIn(idToken(KEY, { sub: '7' }))).status).toBe(401);
  });

  it('that a Google account moved away from is free for others', async () => {
    const { body } = await logIn(idToken(KEY));
    await changeEmail(body.accessToken, ACCOUNT);
    expect((await logIn(idToken(KEY))).body.user).toMatchObject({ id: body.user.id, email: ACCOUNT });
    expect((await logIn(idToken(KEY, { sub: '8' }))).body.user.id).not.toBe(body.user.id);
  });
});

describe('linking', () => {
  it('is asked for by the owner, told to them, and may be taken back to the last way in', async () => {
    const ada = await world.signUp('ada@example.com');
    const token = idToken(KEY, { email: 'elsewhere@example.org' });
    const linked = await link(token, ada.accessToken);
    expect([linked.status, linked.body]).toEqual([200, await me(ada.accessToken)]);
    expect(linked.body).toMatchObject({ googleLinked: true, email: 'ada@example.com' });
    expect((await logIn(token)).body.user.id).toBe(ada.id);
    expect((await link(token, ada.accessToken)).status).toBe(200);

    const unlink = () => world.call('DELETE', '/me/google', { token: ada.accessToken });
    expect([(await unlink()).status, (await unlink()).status]).toEqual([204, 204]);
    await world.untilIdle();
    expect(subjects().filter((subject) => subject.startsWith('Google was'))).toEqual([
      'Google was added as a way to sign in',
      'Google was removed as a way to sign in',
    ]);
    expect((await me(ada.accessToken)).googleLinked).toBe(false);
    expect((await logIn(token)).body.user.id).not.toBe(ada.id);
  });

  it('leaves the mailed code to an account without any other way in', async () => {
    const { body } = await logIn(idToken(KEY));
    await world.call('DELETE', '/me/google', { token: body.accessToken });
    await world.untilIdle();
    const response = await logInByCode('ada@gmail.com');
    expect([response.status, response.body.user.id]).toEqual([200, body.user.id]);
  });

  it('names idToken when the token does not work, vouches for no address, is another account’s, or a second one', async () => {
    const taken = idToken(KEY);
    await logIn(taken);
    const ada = await world.signUp('ada@example.com');
    const rejections = [await link(taken, ada.accessToken), await link('a.b.c', ada.accessToken)];
    expect((await link(idToken(KEY, { sub: '2' }), ada.accessToken)).status).toBe(200);
    rejections.push(await link(idToken(KEY, { sub: '3' }), ada.accessToken));
    rejections.push(await link(idToken(KEY, { sub: '2', email_verified: false }), ada.accessToken));
    for (const { status, body } of rejections) {
      expect([status, body.issues]).toEqual([400, [{ path: 'idToken', message: expect.any(String) }]]);
    }
    expect((await world.call('POST', '/me/google', { body: { idToken: taken } })).status).toBe(401);
  });
});

describe('closed sign-up', () => {
  it('rejects those who are new, and nobody else', async () => {
    const { body } = await logIn(idToken(KEY));
    const bob = await world.signUp('bob@gmail.com');
    await reopen(withGoogle(google, { settings: { auth: { signup: 'closed' } } }));
    expect((await logIn(idToken(KEY))).body.user.id).toBe(body.user.id);
    expect((await logIn(idToken(KEY, { sub: '2', email: bob.email }))).body.user.id).toBe(bob.id);
    const { status, body: rejection } = await logIn(idToken(KEY, { sub: '3', email: 'new@gmail.com' }));
    expect([status, rejection.error]).toEqual([403, 'ForbiddenError']);
  });
});
