import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { ada, home, openInstead, reopen, useHome, world } from '../ada.ts';
import { invite } from '../people.ts';
import { logIn, post } from '../sign-in.ts';

const email = 'grace@example.com';

useHome();

const register = (invitationToken: string, more: object = {}) =>
  post('/auth/register/invited', { invitationToken, name: 'Grace', password: 'password1', ...more });

describe('signing up by an invitation', () => {
  it('opens the account, joins the workspace and signs in, in one step', async () => {
    const { status, body } = await register(await invite(world, ada, home, email, 'member'));
    expect([status, body.user]).toEqual([
      201,
      { id: expect.any(String), email, name: 'Grace', isEmailVerified: true },
    ]);
    const { items } = (await world.call('GET', '/me/workspaces', { token: body.accessToken })).body;
    expect(items).toMatchObject([
      { title: "Grace's workspace", role: 'owner' },
      { id: home, role: 'member' },
    ]);
    expect((await logIn(email, 'password1')).status).toBe(200);
    expect((await world.call('GET', '/me', { token: body.accessToken })).body.hasPassword).toBe(true);
  });

  it('works while sign-up is closed', async () => {
    const token = await invite(world, ada, home, email, 'viewer');
    await reopen({ settings: { auth: { signup: 'closed' } } });
    expect((await register(token)).status).toBe(201);
  });

  it('is 401 by a token that is wrong, used, withdrawn or expired, and opens nothing', async () => {
    const token = await invite(world, ada, home, email, 'member');
    expect((await register('x')).status).toBe(401);
    expect((await register(token)).status).toBe(201);
    expect((await register(token)).status).toBe(401);
    const expired = await invite(world, ada, home, 'eve@example.com', 'member');
    world.clock.advance(7 * DAY);
    expect((await register(expired)).status).toBe(401);
    expect((await logIn('eve@example.com', 'password1')).status).toBe(401);
  });

  it('is 401 where the address has an account, and the invitation still works', async () => {
    const bob = await world.signUp('bob@example.com');
    const token = await invite(world, ada, home, bob.email, 'member');
    expect((await register(token)).status).toBe(401);
    expect((await post('/invitations/accept', { token }, bob.accessToken)).status).toBe(200);
  });

  it('rejects a weak password without spending the token', async () => {
    const token = await invite(world, ada, home, email, 'member');
    const weak = await register(token, { password: 'short' });
    expect([weak.status, weak.body.issues[0].path]).toEqual([400, 'password']);
    expect((await register(token)).status).toBe(201);
  });
});

describe('the ways to sign in', () => {
  it('are told to everyone, and nothing else', async () => {
    expect((await world.call('GET', '/auth/options')).body).toEqual({
      signup: 'open',
      google: null,
      telegram: null,
      mail: 'console',
    });
    await openInstead({
      settings: {
        auth: {
          signup: 'closed',
          google_client_ids: ['first', 'second'],
          telegram_bot_token: '110201543:secret',
          telegram_bot_name: 'errand_bot',
        },
        mail: { transport: 'smtp', smtp_host: 'mail.example.com' },
      },
    });
    expect((await world.call('GET', '/auth/options')).body).toEqual({
      signup: 'closed',
      google: { clientId: 'first' },
      telegram: { botName: 'errand_bot', botId: '110201543' },
      mail: 'smtp',
    });
  });
});
