import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { ada, useAda, world } from '../ada.ts';
import { as, homeOf, invite } from '../people.ts';
import { askForEmail, confirmEmail, post, register, resetTokenTo, tokenTo } from '../sign-in.ts';

useAda();

const read = (token: string | undefined) => post('/auth/links/read', { token });
const NOTHING_MORE = { account: null, isChanged: null, inviter: null, workspace: null, role: null };

const ask: Record<string, () => Promise<{ token: string | undefined; about: object }>> = {
  'a sign-up': async () => {
    await register('new@example.com');
    return {
      token: await tokenTo('new@example.com'),
      about: { purpose: 'confirm-signup', email: 'new@example.com' },
    };
  },
  'a password reset': async () => {
    const token = await resetTokenTo(ada.email);
    return { token, about: { purpose: 'reset-password', email: ada.email } };
  },
  'a change of address': async () => {
    await askForEmail(ada.accessToken, 'new@example.com');
    return {
      token: await tokenTo('new@example.com'),
      about: { purpose: 'confirm-email', email: 'new@example.com', account: ada.email },
    };
  },
  'a change of address that may be cancelled': async () => {
    await askForEmail(ada.accessToken, 'new@example.com');
    return {
      token: await tokenTo(ada.email),
      about: { purpose: 'keep-email', email: ada.email, isChanged: false },
    };
  },
  'a change of address that may be undone': async () => {
    await askForEmail(ada.accessToken, 'new@example.com');
    const keep = await tokenTo(ada.email);
    await confirmEmail(await tokenTo('new@example.com'));
    return { token: keep, about: { purpose: 'keep-email', email: ada.email, isChanged: true } };
  },
  'an invitation': async () => {
    const token = await invite(world, ada, await homeOf(world, ada), 'bob@example.com', 'member');
    const about = {
      purpose: 'accept-invitation',
      email: 'bob@example.com',
      inviter: 'Ada',
      workspace: "Ada's workspace",
      role: 'member',
    };
    return { token, about };
  },
};

describe('a mailed token', () => {
  it.each(Object.entries(ask))(
    'of %s tells what it is about, and is not spent by that',
    async (_what, asked) => {
      const { token, about } = await asked();
      const before = world.opened.storage.writing.serialize();
      for (let i = 0; i < 2; i += 1)
        expect(await read(token)).toMatchObject({ status: 200, body: { ...NOTHING_MORE, ...about } });
      await world.untilIdle();
      expect(world.opened.storage.writing.serialize().equals(before)).toBe(true);
      world.clock.advance(7 * DAY);
      expect((await read(token)).status).toBe(401);
    },
  );

  it('that is none tells nothing: neither an unknown one nor one of a session', async () => {
    for (const token of ['unknown', ada.accessToken, ada.refreshToken])
      expect((await read(token)).status).toBe(401);
    expect((await read(undefined)).body.issues).toEqual([{ path: 'token', message: 'Token is required' }]);
  });

  it('of an invitation shows no words that read as an address', async () => {
    await as(world, ada)('PATCH', '/me', { name: 'Support at https://evil.example' });
    const home = await homeOf(world, ada);
    await as(world, ada)('PATCH', `/workspaces/${home}`, { title: 'evil.example' });
    const { body } = await read(await invite(world, ada, home, 'bob@example.com', 'viewer'));
    expect(body).toMatchObject({ inviter: 'Support at …', workspace: null, role: 'viewer' });
  });

  it('of an invitation that was taken back, or whose inviter left, works no more', async () => {
    const home = await homeOf(world, ada);
    const token = await invite(world, ada, home, 'bob@example.com', 'viewer');
    expect((await as(world, ada)('DELETE', '/auth/me', { password: ada.password })).status).toBe(204);
    expect((await read(token)).status).toBe(401);
  });
});
