import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY } from '../src/kernel/instants.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const register = (email: string, password = 'password1', name = 'Ada') =>
  world.call('POST', '/auth/register', { body: { email, password, name } });
const confirm = (token: string | undefined) =>
  world.call('POST', '/auth/register/confirm', { body: { token } });

describe('sign-up', () => {
  it('opens an account only when the mailed token comes back', async () => {
    const { status, body } = await register('Ada@Example.com');
    expect([status, body]).toEqual([201, undefined]);
    expect(
      (await world.call('POST', '/auth/login', { body: { email: 'ada@example.com', password: 'password1' } }))
        .status,
    ).toBe(401);

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
