import { describe, expect, it } from 'vitest';
import { DAY, MINUTE } from '../../src/kernel/instants.ts';
import { routes } from '../../src/routes.ts';
import { isWellFormed, newApiToken } from '../../src/sessions/api-token-format.ts';
import { tick } from '../../src/tick.ts';
import { ada, home, openAda, useHome, world } from '../ada.ts';
import { addMember, as, homeOf, joined, pathsOf } from '../people.ts';
import {
  askForEmail,
  confirmEmail,
  confirmReset,
  keepEmail,
  logIn,
  post,
  resetTokenTo,
  tokenTo,
} from '../sign-in.ts';
import type { Person } from '../world.ts';

useHome();

const INPUT = { title: 'Report', role: 'admin', workspaceIds: null as string[] | null };

const make = async (input: object = {}, person = ada) =>
  (await as(world, person)('POST', '/me/tokens', { ...INPUT, ...input })).body;

const get = (token: string, path: string) => world.call('GET', path, { token });
const statusOf = async (token: string, path = '/me') => (await get(token, path)).status;
const iso = (ms: number) => new Date(ms).toISOString();

describe('an API token', () => {
  it('is shown once, has a checksum, and is kept as a hash', async () => {
    const made = await make();
    expect(made.token).toMatch(/^errand_[\w-]{43}[0-9A-Za-z]{6}$/);
    expect(made).toEqual({
      id: expect.any(String),
      title: 'Report',
      role: 'admin',
      workspaceIds: null,
      lastFour: made.token.slice(-4),
      createdAt: iso(world.clock.now()),
      expiresAt: iso(world.clock.now() + 90 * DAY),
      lastUsedAt: null,
      token: made.token,
    });
    const { token: _token, ...listed } = made;
    const page = (await as(world, ada)('GET', '/me/tokens')).body;
    expect(page).toEqual({ items: [listed], page: 1, limit: 50, total: 1 });
    const rows = world.rows('select * from api_tokens');
    expect(JSON.stringify(rows)).not.toContain(made.token);
  });

  it('has a checksum of CRC-32 in base 62', () => {
    expect(isWellFormed(`errand_${'A'.repeat(43)}1zEXPJ`)).toBe(true);
    const token = newApiToken();
    expect(isWellFormed(token)).toBe(true);
    for (let at = 0; at < token.length; at += 1) {
      const other = token[at] === 'x' ? 'y' : 'x';
      expect(isWellFormed(token.slice(0, at) + other + token.slice(at + 1))).toBe(false);
    }
    for (const broken of [token.slice(0, -1), `${token}x`, token.toUpperCase(), ` ${token}`])
      expect(isWellFormed(broken)).toBe(false);
  });

  it('with a wrong checksum is 401 without a query, as is an unknown one with one', async () => {
    const { token } = await make();
    const unknown = await get(newApiToken(), '/me');
    const wrong = await get(`${token.slice(0, -1)}${token.endsWith('x') ? 'y' : 'x'}`, '/me');
    expect([wrong.status, wrong.body]).toEqual([401, unknown.body]);
  });

  it('needs title, role and workspaces, and an end within 366 days', async () => {
    const issuesOf = async (body: object) => {
      const response = await as(world, ada)('POST', '/me/tokens', body);
      expect(response.status).toBe(400);
      return pathsOf(response.body);
    };
    expect(await issuesOf({})).toEqual(['title', 'role', 'workspaceIds']);
    expect(await issuesOf({ ...INPUT, title: '' })).toEqual(['title']);
    for (const title of [undefined, '', 'x'.repeat(101), 'x'.repeat(501)]) {
      const { body } = await as(world, ada)('POST', '/me/tokens', { ...INPUT, title });
      expect(body.issues).toEqual([{ path: 'title', message: 'Title must be 1 to 100 characters' }]);
    }
    expect(await issuesOf({ ...INPUT, role: 'owner' })).toEqual(['role']);
    const now = world.clock.now();
    for (const expiresAt of [null, iso(now), iso(now - 1), iso(now + 366 * DAY + 1), 'x'])
      expect(await issuesOf({ ...INPUT, expiresAt })).toEqual(['expiresAt']);
    expect((await make({ expiresAt: iso(now + 366 * DAY) })).expiresAt).toBe(iso(now + 366 * DAY));
  });

  it('may last for ever only where the settings allow it', async () => {
    await openAda({ settings: { auth: { tokens_may_last: true } } });
    const { token, id, expiresAt } = await make({ expiresAt: null });
    expect(expiresAt).toBeNull();
    expect((await as(world, ada)('GET', '/me/tokens')).body.items).toMatchObject([{ id, expiresAt: null }]);
    world.clock.advance(3_000 * DAY);
    await tick(world.deps);
    expect(await statusOf(token)).toBe(200);
  });

  it('names workspaces of its user only: any other list is one same 400', async () => {
    const bob = await world.signUp('bob@example.com');
    const foreign = await homeOf(world, bob);
    const many = (count: number) => Array.from({ length: count }, () => home);
    const seen = new Set<string>();
    for (const workspaceIds of [
      [],
      [foreign],
      [home, foreign],
      [crypto.randomUUID()],
      ['x'],
      [home, 5],
      many(1001),
      'x',
      {},
    ]) {
      const { status, body } = await as(world, ada)('POST', '/me/tokens', { ...INPUT, workspaceIds });
      expect([status, pathsOf(body)]).toEqual([400, ['workspaceIds']]);
      seen.add(JSON.stringify(body));
    }
    expect(seen.size).toBe(1);
    for (const workspaceIds of [[home, home.toUpperCase()], many(1000)])
      expect((await make({ workspaceIds })).workspaceIds).toEqual([home]);
  });

  it('can be renamed, and nothing else of it changed', async () => {
    const { id, token } = await make({ role: 'viewer', workspaceIds: [home] });
    const changes = { title: 'Other', role: 'admin', workspaceIds: null, expiresAt: null };
    const { status, body } = await as(world, ada)('PATCH', `/me/tokens/${id}`, changes);
    expect([status, body]).toMatchObject([200, { title: 'Other', role: 'viewer', workspaceIds: [home] }]);
    expect((await as(world, ada)('PATCH', `/me/tokens/${id}`, {})).body).toEqual(body);
    const bob = await world.signUp('bob@example.com');
    for (const method of ['PATCH', 'DELETE'])
      expect((await as(world, bob)(method, `/me/tokens/${id}`, { title: 'Of Bob' })).status).toBe(404);
    expect(await statusOf(token)).toBe(200);
    expect((await as(world, ada)('GET', '/me/tokens')).body.items).toMatchObject([{ title: 'Other' }]);
  });

  it('is renamed and deleted alone: others of its user and of others stay as they are', async () => {
    const bob = await world.signUp('bob@example.com');
    const [one, other] = [await make({ title: 'One' }), await make({ title: 'Other' })];
    const ofBob = await make({ title: 'Of Bob' }, bob);
    const titles = async (person: Person) =>
      (await as(world, person)('GET', '/me/tokens')).body.items.map(({ title }: { title: string }) => title);
    for (const [{ id }, title] of [
      [other, 'Second'],
      [one, 'First'],
    ])
      expect((await as(world, ada)('PATCH', `/me/tokens/${id}`, { title })).body).toMatchObject({
        id,
        title,
      });
    expect([await titles(ada), await titles(bob)]).toEqual([['First', 'Second'], ['Of Bob']]);
    expect((await as(world, ada)('DELETE', `/me/tokens/${one.id}`)).status).toBe(204);
    expect([await titles(ada), await titles(bob)]).toEqual([['Second'], ['Of Bob']]);
    expect(await Promise.all([one, other, ofBob].map(({ token }) => statusOf(token)))).toEqual([
      401, 200, 200,
    ]);
  });

  it('is one of at most a hundred', async () => {
    const made = await Promise.all(Array.from({ length: 105 }, () => make()));
    expect(made.filter(({ token }) => token !== undefined)).toHaveLength(100);
    expect(made.find(({ error }) => error !== undefined).error).toBe('BadRequestError');
  });

  it('notes its use every 10 minutes at most', async () => {
    const { token } = await make();
    const used = async () => {
      await world.untilIdle();
      return (await as(world, ada)('GET', '/me/tokens')).body.items[0].lastUsedAt;
    };
    await get(token, '/me');
    const first = await used();
    expect(first).toBe(iso(world.clock.now()));
    world.clock.advance(10 * MINUTE - 1);
    await get(token, '/me');
    expect(await used()).toBe(first);
    world.clock.advance(1);
    await get(token, '/me');
    expect(await used()).toBe(iso(world.clock.now()));
  });

  it('shows its use in the list that is asked for next', async () => {
    const { token } = await make();
    await make();
    await get(token, '/me');
    const { body } = await as(world, ada)('GET', '/me/tokens');
    expect(body.items).toMatchObject([{ lastUsedAt: iso(world.clock.now()) }, { lastUsedAt: null }]);
  });
});

describe('the cap of an API token', () => {
  it('is the lower of both roles', async () => {
    const tasks = `/workspaces/${home}/tasks`;
    const rename = (token: string) =>
      world.call('PATCH', `/workspaces/${home}`, { token, body: { title: 'Home' } });
    const viewer = await make({ role: 'viewer' });
    const member = await make({ role: 'member' });
    const admin = await make({ role: 'admin' });
    expect(await statusOf(viewer.token, tasks)).toBe(200);
    const space = (token: string) =>
      world.call('POST', `/workspaces/${home}/spaces`, { token, body: { title: 'New' } });
    expect((await space(viewer.token)).status).toBe(403);
    expect((await space(member.token)).status).toBe(201);
    const low = await rename(member.token);
    expect([low.status, low.body.message]).toEqual([403, expect.stringContaining('role member')]);
    expect((await rename(admin.token)).status).toBe(200);
    const guest = await joined(world, ada, home, 'viewer');
    const { token } = await make({}, guest);
    expect((await space(token)).status).toBe(403);
    expect((await get(member.token, `/workspaces/${home}`)).body.role).toBe('member');
  });

  it('is its workspaces: others are 403 by path, and seen nowhere', async () => {
    const other = (await as(world, ada)('POST', '/workspaces', { title: 'Other' })).body.id;
    await joined(world, ada, other, 'member', 'Grace');
    await joined(world, ada, home, 'member', 'Heidi');
    const { token } = await make({ workspaceIds: [other] });
    expect(await statusOf(token, `/workspaces/${home}`)).toBe(403);
    expect(await statusOf(token, `/workspaces/${crypto.randomUUID()}`)).toBe(404);
    const workspaces = (await get(token, '/me/workspaces')).body;
    expect([workspaces.total, workspaces.items[0].id]).toEqual([1, other]);
    const notices = (await get(token, '/me/notifications')).body;
    expect(notices.items.map(({ data }: { data: { workspaceId: string } }) => data.workspaceId)).toEqual([
      other,
    ]);
    const response = await world.app.request('/api/me/events', {
      headers: { Authorization: `Bearer ${token}` },
    });
    const reader = response.body?.getReader();
    let text = '';
    while (!text.includes('"epoch"')) text += new TextDecoder().decode((await reader?.read())?.value);
    await joined(world, ada, other, 'member', 'Ivy');
    while (!/"unread".*"unread"/s.test(text)) text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(text).toContain(other);
    expect(text).not.toContain(home);
    expect(text.match(/"unread":\d/g)).toEqual(['"unread":1', '"unread":2']);
  });

  it('never widens when its workspaces go', async () => {
    const other = (await as(world, ada)('POST', '/workspaces', { title: 'Other' })).body.id;
    const { id, token } = await make({ workspaceIds: [other] });
    const ofHome = await make({ workspaceIds: [home] });
    await as(world, ada)('DELETE', `/workspaces/${other}`);
    await world.untilIdle();
    expect(await statusOf(token, `/workspaces/${home}`)).toBe(403);
    expect((await get(token, '/me/workspaces')).body.items).toEqual([]);
    const { items } = (await as(world, ada)('GET', '/me/tokens')).body;
    expect(items).toMatchObject([
      { id, workspaceIds: [] },
      { id: ofHome.id, workspaceIds: [home] },
    ]);
  });

  it('never widens when its user leaves its workspaces, is removed from them or hands them over', async () => {
    const bob = await world.signUp();
    const theirs: string[] = [];
    for (const title of ['Left', 'Removed from', 'Kept']) {
      const { id } = (await as(world, bob)('POST', '/workspaces', { title })).body;
      await addMember(world, bob, id, ada, 'admin');
      theirs.push(id);
    }
    const [left = '', removedFrom = '', kept = ''] = theirs;
    const { token } = await make({ workspaceIds: [left, removedFrom] });
    await as(world, ada)('DELETE', `/workspaces/${left}/members/${ada.id}`);
    await as(world, bob)('DELETE', `/workspaces/${removedFrom}/members/${ada.id}`);
    for (const id of [left, removedFrom, kept, home]) {
      expect(await statusOf(token, `/workspaces/${id}`)).toBe(403);
      expect(await statusOf(token, `/workspaces/${id}/tasks`)).toBe(403);
    }
    expect((await get(token, '/me/workspaces')).body.items).toEqual([]);
    const own = await make({ workspaceIds: [home] });
    const newOwner = await joined(world, ada, home, 'viewer');
    const body = { role: 'owner', password: ada.password };
    expect((await as(world, ada)('PATCH', `/workspaces/${home}/members/${newOwner.id}`, body)).status).toBe(
      200,
    );
    await as(world, newOwner)('PATCH', `/workspaces/${home}/members/${ada.id}`, { role: 'viewer' });
    const space = { title: 'New' };
    const spaces = `/workspaces/${home}/spaces`;
    expect((await world.call('POST', spaces, { token: own.token, body: space })).status).toBe(403);
    expect(await statusOf(own.token, `/workspaces/${home}`)).toBe(200);
  });

  it('keeps it from everything that only a session may do, before anything else is looked at', async () => {
    const { token } = await make();
    const never = routes.filter(({ guard }) => guard.apiTokens === 'rejected');
    expect(never.length).toBeGreaterThan(20);
    for (const { method, path } of never) {
      const filled = path.replace('{workspace_id}', home).replaceAll(/\{\w+\}/g, 'x');
      const response = await world.call(method.toUpperCase(), filled, {
        token,
        ...(method !== 'get' && { body: {} }),
      });
      const said = [path, response.status, response.body?.message];
      expect(said).toEqual([path, 403, expect.stringContaining('role admin, all workspaces')]);
    }
    const allowed = routes.filter(
      ({ guard, path }) => guard.apiTokens === 'narrowed' && path.startsWith('/me'),
    );
    expect(allowed.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
      'get /me',
      'get /me/events',
      'get /me/notifications',
      'get /me/workspaces',
    ]);
  });
});

describe('an API token ends', () => {
  it('at its instant', async () => {
    const { token } = await make({ expiresAt: iso(world.clock.now() + DAY) });
    world.clock.advance(DAY - 1);
    expect(await statusOf(token)).toBe(200);
    world.clock.advance(1);
    expect(await statusOf(token)).toBe(401);
    ada.accessToken = (await logIn(ada.email, ada.password)).body.accessToken;
    expect((await as(world, ada)('GET', '/me/tokens')).body).toMatchObject({ items: [], total: 0 });
    await tick(world.deps);
    expect(await statusOf(token)).toBe(401);
  });

  const signIn = async () => {
    const { email, password } = ada;
    const { body } = await logIn(email, password);
    Object.assign(ada, { accessToken: body.accessToken, refreshToken: body.refreshToken });
  };

  it('when it is deleted, by a reset, by reuse and with the other sessions; not with a changed password', async () => {
    const ends: [string, (id: string) => Promise<unknown>][] = [
      ['deletion', (id) => as(world, ada)('DELETE', `/me/tokens/${id}`)],
      ['DELETE /me/sessions', () => as(world, ada)('DELETE', '/me/sessions')],
      [
        'reset',
        async () => {
          const token = await resetTokenTo(ada.email);
          ada.password = 'password of the reset';
          await confirmReset(token, ada.password);
          await signIn();
        },
      ],
      [
        'reuse',
        async () => {
          for (const _twice of [1, 2]) await post('/auth/refresh', { refreshToken: ada.refreshToken });
        },
      ],
    ];
    for (const [how, end] of ends) {
      await signIn();
      const { id, token } = await make();
      expect([how, await statusOf(token)]).toEqual([how, 200]);
      await end(id);
      expect([how, await statusOf(token)]).toEqual([how, 401]);
    }
    await signIn();
    const { token } = await make();
    await as(world, ada)('POST', '/me/password', { currentPassword: ada.password, newPassword: 'password2' });
    expect(await statusOf(token)).toBe(200);
  });

  it('leaving rows in the audit trail of who made it and who deleted it', async () => {
    const { id } = await make();
    await as(world, ada)('DELETE', `/me/tokens/${id}`);
    const rows = world.rows(
      "select event, user_id, details from audit_log where event like 'api-token%' order by event",
    );
    const details = JSON.stringify({ tokenId: id });
    expect(rows).toEqual([
      { event: 'api-token-created', user_id: ada.id, details },
      { event: 'api-token-revoked', user_id: ada.id, details },
    ]);
  });

  it('when a change of address is undone, where it was made since', async () => {
    const before = await make();
    world.clock.advance(MINUTE);
    await askForEmail(ada.accessToken, 'thief@example.com');
    const keep = await tokenTo(ada.email);
    const change = await tokenTo('thief@example.com');
    const since = await make();
    await confirmEmail(change);
    await keepEmail(keep);
    expect([await statusOf(before.token), await statusOf(since.token)]).toEqual([200, 401]);
  });

  it('with the account', async () => {
    const { token } = await make();
    await as(world, ada)('DELETE', '/auth/me', { password: ada.password });
    expect(await statusOf(token)).toBe(401);
    const left = world.rows('select * from api_tokens');
    expect(left).toEqual([]);
  });
});

describe('the owner of an API token', () => {
  it('is mailed a notice when it is made', async () => {
    await make({ title: 'Visit evil.example.com now' });
    const { subject, text } = await world.mailTo(ada.email);
    expect(subject).toBe('An API token was made for your account');
    expect(text).not.toContain('evil.example.com');
  });

  it('is told once of each, 7 days before it ends, after downtime too', async () => {
    const { id } = await make();
    const twin = await make({ title: 'Twin' });
    await make({ title: 'Short', expiresAt: iso(world.clock.now() + 7 * DAY) });
    await make({ title: 'Ended by then', expiresAt: iso(world.clock.now() + 83 * DAY - 1) });
    await tick(world.deps);
    const notices = () => as(world, ada)('GET', '/me/notifications').then(({ body }) => body.items);
    expect(await notices()).toEqual([]);
    world.clock.advance(83 * DAY - 1);
    await tick(world.deps);
    ada.accessToken = (await logIn(ada.email, ada.password)).body.accessToken;
    expect(await notices()).toEqual([]);
    world.clock.advance(1);
    for (const _twice of [1, 2]) await tick(world.deps);
    const day = iso(world.clock.now() + 7 * DAY).slice(0, 10);
    const notice = (title: string, tokenId: string) => ({
      type: 'token.expiring',
      title: `The API token ${title} ends on ${day}`,
      data: { tokenId },
    });
    const told = (await notices()).toSorted((a: { title: string }, b: { title: string }) =>
      a.title.localeCompare(b.title),
    );
    expect(told).toMatchObject([notice('Report', id), notice('Twin', twin.id)]);
    await world.untilIdle();
    const mails = world.mails.filter(({ subject }) => subject === 'An API token ends soon');
    expect(mails).toHaveLength(2);
  });
});
