import { describe, expect, it } from 'vitest';
import { ada, openInstead, useAda, world } from '../ada.ts';
import { addMember, as, homeOf } from '../people.ts';
import { errand } from '../shell.ts';
import {
  askForEmail,
  codeTo,
  confirmCode,
  confirmEmail,
  confirmReset,
  keepEmail,
  logIn,
  post,
  register,
  resetTokenTo,
  tokenTo,
} from '../sign-in.ts';

useAda();

const EMAIL = 'ada@example.com';
const disable = async () =>
  expect(await errand(world, ['users', 'disable', EMAIL])).toMatchObject({ code: 0 });
const enable = async () => expect(await errand(world, ['users', 'enable', EMAIL])).toMatchObject({ code: 0 });

describe('a disabled account', () => {
  it('has no session left, at once, and says how many ended', async () => {
    await post('/auth/login', ada);
    const { out } = await errand(world, ['users', 'disable', EMAIL, '--json']);
    expect(JSON.parse(out)).toEqual({ email: EMAIL, isDisabled: true, sessionsEnded: 2 });
    expect((await world.call('GET', '/me', { token: ada.accessToken })).status).toBe(401);
    expect((await post('/auth/refresh', { refreshToken: ada.refreshToken })).status).toBe(401);
  });

  it('rejects the right password as a wrong one, and counts it as one', async () => {
    await disable();
    const right = await logIn(EMAIL, ada.password);
    const wrong = await logIn(EMAIL, 'not the password');
    expect([right.status, right.body]).toEqual([401, wrong.body]);
  });

  it('has its password compared all the same', async () => {
    await disable();
    let compared = 0;
    const { verify } = world.deps.signIn.passwords;
    world.deps.signIn.passwords.verify = (...input) => {
      compared += 1;
      return verify(...input);
    };
    await logIn(EMAIL, ada.password);
    expect(compared).toBe(1);
  });

  it('lets nobody in whose password was being compared when it was disabled', async () => {
    // Other worlds share it.
    const { passwords } = world.deps.signIn;
    const { verify } = passwords;
    passwords.verify = async (...input) => {
      passwords.verify = verify;
      const matches = await verify(...input);
      await disable();
      return matches;
    };
    expect((await logIn(EMAIL, ada.password)).status).toBe(401);
    expect(world.count('sessions')).toBe(0);
  });

  it('loses codes, links and resets that are outstanding', async () => {
    const code = await codeTo(EMAIL);
    const reset = await resetTokenTo(EMAIL);
    await askForEmail(ada.accessToken, 'new@example.com');
    const change = await tokenTo('new@example.com');
    const keep = await tokenTo(EMAIL);
    await disable();

    for (const isEnabled of [false, true]) {
      if (isEnabled) await enable();
      expect((await confirmCode(EMAIL, code)).status).toBe(401);
      expect((await confirmReset(reset)).status).toBe(401);
      expect((await confirmEmail(change)).status).toBe(401);
      expect((await keepEmail(keep)).status).toBe(401);
    }
  });

  it('is mailed nothing: no code, link, notice or invitation, with the same responses as before', async () => {
    const bob = await world.signUp('bob@example.com', 'Bob');
    const { body } = await world.call('GET', '/me/workspaces', { token: bob.accessToken });
    await disable();
    await world.untilIdle();
    const before = world.mails.length;
    expect((await post('/auth/login/code', { email: EMAIL })).status).toBe(200);
    expect((await post('/auth/password/reset/request', { email: EMAIL })).status).toBe(200);
    expect((await register(EMAIL, 'correct horse', 'Ada')).status).toBe(201);
    const invited = await post(
      `/workspaces/${body.items[0].id}/invitations`,
      { email: EMAIL, role: 'member' },
      bob.accessToken,
    );
    expect(invited.status).toBe(201);
    await world.untilIdle();
    expect(world.mails.length).toBe(before);
  });

  it('is mailed nothing of a workspace that is handed over to it', async () => {
    const bob = await world.signUp('bob@example.com', 'Bob');
    const home = await homeOf(world, bob);
    await addMember(world, bob, home, ada, 'member');
    await disable();
    await world.untilIdle();
    world.mails.length = 0;
    const handOver = { role: 'owner', password: bob.password };
    expect((await as(world, bob)('PATCH', `/workspaces/${home}/members/${ada.id}`, handOver)).status).toBe(
      200,
    );
    await world.untilIdle();
    expect(world.mails.map(({ to }) => to)).toEqual([bob.email]);
  });

  it('gets no notification, and what it had before stays', async () => {
    const bob = await world.signUp('bob@example.com', 'Bob');
    const { body } = await world.call('GET', '/me/workspaces', { token: bob.accessToken });
    const invite = () =>
      post(`/workspaces/${body.items[0].id}/invitations`, { email: EMAIL, role: 'member' }, bob.accessToken);
    const count = () => world.count(`notifications where user_id = ?`, ada.id);
    await invite();
    expect(count()).toBe(1);
    await disable();
    await invite();
    expect(count()).toBe(1);
  });

  it('signs in as before once it is enabled, with its workspace', async () => {
    await disable();
    await enable();
    const { status, body } = await logIn(EMAIL, ada.password);
    expect(status).toBe(200);
    const spaces = await world.call('GET', '/me/workspaces', { token: body.accessToken });
    expect(spaces.body.total).toBe(1);
  });

  it('stays disabled when it is disabled again, and says so where there is none', async () => {
    await disable();
    await disable();
    const unknown = await errand(world, ['users', 'disable', 'nobody@example.com']);
    expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('There is no account') });
  });
});

describe('users list', () => {
  const list = async (...options: string[]) =>
    JSON.parse((await errand(world, ['users', 'list', '--json', ...options])).out);

  it('shows last sign-in, sessions, workspaces, tasks and whether an account is disabled', async () => {
    await errand(world, ['create-user', '--email', 'bob@example.com', '--name', 'Bob', '--no-password']);
    const signedInAt = world.clock.now() + 60_000;
    world.clock.advance(60_000);
    await logIn(EMAIL, ada.password);
    const token = ada.accessToken;
    const { body } = await world.call('GET', '/me/workspaces', { token });
    const path = `/workspaces/${body.items[0].id}`;
    const lists = await world.call('GET', `${path}/lists`, { token });
    for (const title of ['one', 'two'])
      await post(`${path}/tasks`, { title, listId: lists.body.items[0].id }, token);
    await disable();

    const accounts = await list();
    const find = (email: string) => accounts.find((account: { email: string }) => account.email === email);
    expect(find(EMAIL)).toEqual({
      id: ada.id,
      email: EMAIL,
      name: 'Ada',
      isEmailVerified: true,
      hasPassword: true,
      createdAt: expect.any(String),
      lastSignInAt: new Date(signedInAt).toISOString(),
      sessions: 0,
      workspaces: 1,
      tasks: 2,
      isDisabled: true,
    });
    expect(find('bob@example.com')).toMatchObject({
      lastSignInAt: null,
      sessions: 0,
      tasks: 0,
      isDisabled: false,
    });
    const { out } = await errand(world, ['users', 'list']);
    expect(out).toMatch(
      /^EMAIL +NAME +PASSWORD +CREATED +LAST SIGN-IN +SESSIONS +WORKSPACES +TASKS +DISABLED +ID/,
    );
  });

  it('counts live sessions only', async () => {
    await openInstead({ start: Date.now() });
    await world.signUp(EMAIL);
    expect((await list())[0].sessions).toBe(1);
    await errand(world, ['users', 'sign-out', EMAIL]);
    expect((await list())[0].sessions).toBe(0);
  });

  it('is filtered by a text and by state, and comes in pages', async () => {
    await world.signUp('bob@example.com', 'Bob');
    await world.signUp('eve@example.org', 'Eve');
    const emails = async (...options: string[]) =>
      (await list(...options)).map(({ email }: { email: string }) => email);
    expect(await emails('--search', 'EXAMPLE.com')).toEqual([EMAIL, 'bob@example.com']);
    expect(await emails('--search', 'eve')).toEqual(['eve@example.org']);
    await world.signUp('emile@example.net', 'Émile');
    for (const text of ['Émile', 'émile']) {
      expect(await emails('--search', text)).toEqual(['emile@example.net']);
    }
    expect(await emails('--limit', '2')).toEqual([EMAIL, 'bob@example.com']);
    expect(await emails('--limit', '2', '--page', '2')).toEqual(['eve@example.org', 'emile@example.net']);
    expect(await emails('--search', 'e', '--limit', '1', '--page', '4')).toEqual(['emile@example.net']);
    await disable();
    expect(await emails('--disabled')).toEqual([EMAIL]);
    expect(await errand(world, ['users', 'list', '--limit', '0'])).toMatchObject({ code: 2 });
  });
});
