import { describe, expect, it } from 'vitest';
import { DAY, HOUR, SECOND } from '../../src/kernel/instants.ts';
import { ada, openAda, useAda, world } from '../ada.ts';
import { as, homeOf, invite } from '../people.ts';

const BURST = 2;
const AGAIN = 6;

useAda({
  settings: { rate_limits: { enabled: true, mail_burst: BURST, auth_burst: 1_000 } },
});

const post = (path: string, body: unknown, token?: string) => world.call('POST', path, { body, token });

/** Asks more often than is mailed; returns the newest mail to that address. */
async function askTooOften(ask: () => Promise<{ status: number }>, to: string) {
  await world.untilIdle();
  const before = world.mails.length;
  const statuses = [];
  for (let i = 0; i < BURST + AGAIN; i += 1) statuses.push((await ask()).status);
  expect(new Set(statuses).size).toBe(1);
  await world.untilIdle();
  expect(world.mails.slice(before).filter((mail) => mail.to === to)).toHaveLength(BURST);
  return world.mailTo(to);
}

describe('what is asked for and not mailed, as too much was, leaves what was mailed in force:', () => {
  it('a sign-in code', async () => {
    const { email } = ada;
    const { code } = await askTooOften(() => post('/auth/login/code', { email }), email);
    expect((await post('/auth/login/code/confirm', { email, code })).status).toBe(200);
  });

  it('a password reset', async () => {
    const { email } = ada;
    const { token } = await askTooOften(() => post('/auth/password/reset/request', { email }), email);
    const reset = { token, newPassword: 'another password' };
    expect((await post('/auth/password/reset/confirm', reset)).status).toBe(204);
  });

  it('a sign-up', async () => {
    const body = { email: 'new@example.com', password: 'password1', name: 'New' };
    const { token } = await askTooOften(() => post('/auth/register', body), body.email);
    expect((await post('/auth/register/confirm', { token })).status).toBe(201);
  });

  it('a change of e-mail address, of which the old one is not told again', async () => {
    const newEmail = 'new@example.com';
    const ask = () => post('/auth/email/change/request', { newEmail }, ada.accessToken);
    const { token } = await askTooOften(ask, newEmail);
    expect(
      world.mails.filter(({ to, subject }) => to === ada.email && /about to/.test(subject)),
    ).toHaveLength(BURST);
    expect((await post('/auth/email/change/confirm', { token })).status).toBe(204);
  });

  it('an invitation, which gives what the newest one says', async () => {
    const zoe = await world.signUp('zoe@example.com');
    const invitations = `/workspaces/${await homeOf(world, ada)}/invitations`;
    const invite = (role: string) => as(world, ada)('POST', invitations, { email: zoe.email, role });
    const { token } = await askTooOften(() => invite('viewer'), zoe.email);
    expect((await invite('admin')).status).toBe(201);
    const { status, body } = await as(world, zoe)('POST', '/invitations/accept', { token });
    expect([status, body.role]).toEqual([200, 'admin']);
    expect((await as(world, ada)('GET', invitations)).body.total).toBe(0);
  });
});

describe('sign-ups from everywhere', () => {
  it('are mailed so often a day for the whole server and then rejected alike, while all else is mailed', async () => {
    const limits = { enabled: true, auth_burst: 1_000, signup_mails_per_day: 3 };
    await openAda({ settings: { rate_limits: limits } });
    const register = (email: string, i: number, invitationToken?: string) =>
      world.call('POST', '/auth/register', {
        body: { email, password: 'password1', name: 'New', invitationToken },
        address: `192.0.2.${i}`,
      });
    const statuses = async (...emails: string[]) =>
      (await Promise.all(emails.map((email, i) => register(email, i)))).map(({ status }) => status);
    expect(await statuses('a@example.com', 'b@example.com')).toEqual([201, 201]);
    expect(await statuses('c@example.com', 'a@example.com', ada.email)).toEqual([429, 429, 429]);
    const { headers } = await register('c@example.com', 1);
    expect(headers.get('retry-after')).toBe(String((8 * HOUR) / SECOND));

    const token = await invite(world, ada, await homeOf(world, ada), 'guest@example.com', 'member');
    expect((await register('guest@example.com', 2, token)).status).toBe(201);
    expect((await post('/auth/login/code', { email: ada.email })).status).toBe(200);
    expect((await world.mailTo(ada.email)).code).toMatch(/^\d{6}$/);

    world.clock.advance(DAY / limits.signup_mails_per_day);
    expect(await statuses('c@example.com', 'd@example.com')).toEqual([201, 429]);
  });
});
