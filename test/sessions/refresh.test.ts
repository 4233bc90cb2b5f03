import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { rotateAccessKey } from '../../src/kernel/keys.ts';
import { tick } from '../../src/tick.ts';
import { ada, openAda, reopen, useAda, world } from '../ada.ts';
import { logIn, logOut, me, refresh } from '../sign-in.ts';
import type { Person, TestResponse } from '../world.ts';

useAda();
const login = async ({ email, password }: Person) => (await logIn(email, password)).body;

describe('a refresh token within auth.refresh_grace_seconds', () => {
  const GRACE = 10;
  beforeEach(async () => {
    await openAda({ settings: { auth: { refresh_grace_seconds: GRACE } } });
  });

  it('gets the same successor again, and a live access token, until that one is used', async () => {
    const { body: first } = await refresh(ada.refreshToken);
    world.clock.advance(GRACE * SECOND);
    const { status, body: again } = await refresh(ada.refreshToken);
    expect(status).toBe(200);
    expect(again.refreshToken).toBe(first.refreshToken);
    expect([await me(first.accessToken), await me(again.accessToken)]).toEqual([200, 200]);
    expect((await refresh(first.refreshToken)).status).toBe(200);
    expect((await refresh(ada.refreshToken)).status).toBe(401);
    expect(await me(again.accessToken)).toBe(401);
  });

  it('has one successor for 50 parallel uses, and nobody is mailed', async () => {
    const mails = world.mails.length;
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => refresh(ada.refreshToken)));
    expect(new Set(outcomes.map(({ status, body }) => `${status} ${body.refreshToken}`)).size).toBe(1);
    expect(await me(outcomes[0]?.body.accessToken)).toBe(200);
    await world.untilIdle();
    expect(world.mails.length).toBe(mails);
  });

  it.each([
    ['after that time', async () => world.clock.advance(GRACE * SECOND + 1)],
    ['on a clock that was set back', async () => world.clock.advance(-1)],
    [
      'once its successor was used',
      async (successor: string) => expect((await refresh(successor)).status).toBe(200),
    ],
  ])('is reuse %s', async (_, happens) => {
    const { body } = await refresh(ada.refreshToken);
    await happens(body.refreshToken);
    expect((await refresh(ada.refreshToken)).status).toBe(401);
    expect(await me(body.accessToken)).toBe(401);
    expect((await refresh(body.refreshToken)).status).toBe(401);
  });

  it('is followed by the same successor after a rotation of keys, and that is not at rest', async () => {
    const { body } = await refresh(ada.refreshToken);
    rotateAccessKey(`${world.folder}/keys.json`, world.clock.now(), 15 * MINUTE);
    world.deps.keys.refresh();
    expect((await refresh(ada.refreshToken)).body.refreshToken).toBe(body.refreshToken);
    for (const end of ['', '-wal'])
      expect(readFileSync(`${world.folder}/errand.db${end}`, 'latin1')).not.toContain(body.refreshToken);
  });
});

describe('refresh', () => {
  it('gives two new tokens and uses up the old one', async () => {
    const { status, body } = await refresh(ada.refreshToken);
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['accessToken', 'refreshToken', 'expiresIn']);
    expect(body.refreshToken).not.toBe(ada.refreshToken);
    expect(await me(body.accessToken)).toBe(200);
  });

  it('ends every session of the user when a used token comes back, access tokens included', async () => {
    const other = await login(ada);
    const bob = await world.signUp('bob@example.com');
    const { body: rotated } = await refresh(ada.refreshToken);
    const again = await refresh(ada.refreshToken);
    expect([again.status, again.body.error]).toEqual([401, 'UnauthorizedError']);
    for (const token of [ada.accessToken, other.accessToken, rotated.accessToken])
      expect(await me(token)).toBe(401);
    for (const token of [rotated.refreshToken, other.refreshToken])
      expect((await refresh(token)).status).toBe(401);
    expect(await me(bob.accessToken)).toBe(200);
    expect((await world.mailTo(ada.email)).subject).toBe('You were signed out everywhere');
  });

  it('lets at most one of 50 parallel uses win, and then no session is left', async () => {
    for (let round = 0; round < 10; round += 1) {
      const session = await login(ada);
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => refresh(session.refreshToken)));
      expect(outcomes.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      expect(outcomes.every(({ status }) => status === 200 || status === 401)).toBe(true);
      for (const { status, body } of outcomes)
        if (status === 200) expect(await me(body.accessToken)).toBe(401);
      expect(await me(session.accessToken)).toBe(401);
    }
  });

  it('rejects an unknown token without ending anything', async () => {
    for (const unknown of ['unknown', 'x'.repeat(10_000)]) expect((await refresh(unknown)).status).toBe(401);
    expect((await refresh(ada.accessToken)).status).toBe(401);
    expect(await me(ada.accessToken)).toBe(200);
  });

  it('works for 30 days from last use', async () => {
    world.clock.advance(30 * DAY - SECOND);
    const { status, body } = await refresh(ada.refreshToken);
    expect(status).toBe(200);
    world.clock.advance(30 * DAY - SECOND);
    const next = await refresh(body.refreshToken);
    expect(next.status).toBe(200);
    world.clock.advance(30 * DAY + SECOND);
    expect((await refresh(next.body.refreshToken)).status).toBe(401);
  });

  it('prolongs its own session and no other', async () => {
    const other = await login(ada);
    world.clock.advance(20 * DAY);
    const { body } = await world.call('POST', '/auth/refresh', {
      body: { refreshToken: ada.refreshToken },
      address: '192.0.2.7',
      headers: { 'User-Agent': 'Test/2' },
    });
    const { items } = (await world.call('GET', '/me/sessions', { token: body.accessToken })).body;
    expect(
      items.map(({ createdAt, lastUsedAt }: Record<string, string>) => createdAt === lastUsedAt),
    ).toEqual([false, true]);
    expect(items[0]).toMatchObject({ ip: '192.0.2.7', userAgent: 'Test/2', current: true });
    world.clock.advance(10 * DAY);
    expect((await refresh(other.refreshToken)).status).toBe(401);
    expect((await refresh(body.refreshToken)).status).toBe(200);
  });

  it('ends at auth.session_max_days from sign-in where that is set', async () => {
    await openAda({ settings: { auth: { session_max_days: 31 } } });
    world.clock.advance(29 * DAY);
    const { body } = await refresh(ada.refreshToken);
    world.clock.advance(2 * DAY + SECOND);
    expect((await refresh(body.refreshToken)).status).toBe(401);
  });

  it('rejects a session that a lowered auth.session_max_days has ended already', async () => {
    await reopen({ start: world.clock.now() + 7 * DAY, settings: { auth: { session_max_days: 7 } } });
    expect((await refresh(ada.refreshToken)).status).toBe(401);
  });

  it('forgets the tokens of a session that has ended: a used one of it ends nothing else', async () => {
    const other = await login(ada);
    const ended = [ada.refreshToken];
    const { body } = await refresh(ada.refreshToken);
    ended.push(body.refreshToken);
    expect((await logOut(body.accessToken, body.refreshToken)).status).toBe(204);
    await world.untilIdle();
    const mails = world.mails.length;
    for (const token of ended) {
      expect((await refresh(token)).status).toBe(401);
      expect((await logOut(other.accessToken, token)).status).toBe(204);
    }
    expect(await me(other.accessToken)).toBe(200);
    expect((await refresh(other.refreshToken)).status).toBe(200);
    await world.untilIdle();
    expect(world.mails.length).toBe(mails);
  });
});

describe('a session that has used up very many refresh tokens', () => {
  const MANY = 2_500;
  /** What the end of a session takes at once, and the first step of removing an account beside it. */
  const SOME = 900;
  const numberOf = (what: string) =>
    Number(world.opened.storage.writing.prepare(`select count(*) from ${what}`).pluck().get());

  const useUpMany = () =>
    world.opened.storage.writing
      .prepare(
        `insert into refresh_tokens select 'used ' || value, (select min(id) from sessions), '2026' from json_each(?)`,
      )
      .run(JSON.stringify(Array.from({ length: MANY }, (_, i) => i)));

  /** How many refresh tokens each job takes away from now on. */
  const watchJobs = () => {
    const taken: number[] = [];
    const { write } = world.deps;
    world.deps.write = (job) =>
      write((tx) => {
        const before = numberOf('refresh_tokens');
        const result = job(tx);
        taken.push(before - numberOf('refresh_tokens'));
        return result;
      });
    return taken;
  };

  const remove = (path: string, token: string, body?: object) => world.call('DELETE', path, { token, body });

  it.each<
    [string, number, (session: { accessToken: string; refreshToken: string }) => Promise<TestResponse>]
  >([
    ['by signing out', 204, ({ accessToken, refreshToken }) => logOut(accessToken, refreshToken)],
    [
      'one by one',
      204,
      async ({ accessToken }) => {
        const { items } = (await world.call('GET', '/me/sessions', { token: accessToken })).body;
        return remove(`/me/sessions/${items[0].id}`, accessToken);
      },
    ],
    ['with all the others', 204, async () => remove('/me/sessions', (await login(ada)).accessToken)],
    ['by reuse', 401, () => refresh(ada.refreshToken)],
    [
      'by a new password',
      204,
      async () => {
        const { accessToken: token } = await login(ada);
        const body = { currentPassword: ada.password, newPassword: ada.password };
        return world.call('POST', '/me/password', { token, body });
      },
    ],
    [
      'with its account',
      204,
      ({ accessToken }) => remove('/auth/me', accessToken, { password: ada.password }),
    ],
  ])('ends at once %s, and they go some in each commit', async (_way, status, end) => {
    const { body: current } = await refresh(ada.refreshToken);
    useUpMany();
    const taken = watchJobs();
    expect((await end(current)).status).toBe(status);
    expect(await me(current.accessToken)).toBe(401);
    const { accessToken } = await login(ada);
    for (const token of [ada.refreshToken, current.refreshToken])
      expect((await refresh(token)).status).toBe(401);
    if (accessToken !== undefined) expect(await me(accessToken)).toBe(200);
    await tick(world.deps);
    expect(numberOf('refresh_tokens where used_at is not null')).toBe(0);
    expect(numberOf('refresh_tokens')).toBe(numberOf('sessions'));
    expect(Math.max(...taken)).toBeLessThanOrEqual(SOME);
  });

  it('tells nothing of itself once it has ended, and has ended only once', async () => {
    const { accessToken: token } = await login(ada);
    useUpMany();
    const { items } = (await world.call('GET', '/me/sessions', { token })).body;
    const end = async () => (await remove(`/me/sessions/${items[0].id}`, token)).status;
    expect([await end(), await end()]).toEqual([204, 404]);
    expect((await world.call('GET', '/me/sessions', { token })).body.total).toBe(1);
    expect(numberOf(`sessions where ip <> ''`)).toBe(1);
  });
});
