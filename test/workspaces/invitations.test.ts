import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY, MINUTE, SECOND } from '../../src/kernel/instants.ts';
import { tick } from '../../src/tick.ts';
import { as, type Call, expectIssues, homeOf, invite, joined, signInAgain } from '../people.ts';
import { openWorld, type Person, type World, type WorldOptions } from '../world.ts';

let world: World;
let ada: Person;
let owner: Call;
let home: string;

async function begin(options: WorldOptions = {}): Promise<void> {
  world = await openWorld(options);
  ada = await world.signUp('ada@example.com', 'Ada <b>Prize</b> https://evil.example');
  owner = as(world, ada);
  home = await homeOf(world, ada);
}
beforeEach(() => begin());

const at = (path = '') => `/workspaces/${home}${path}`;
const send = (email: string, role = 'member') => owner('POST', at('/invitations'), { email, role });
const accept = (person: Person, token: string | undefined) =>
  as(world, person)('POST', '/invitations/accept', { token });
const live = async () => (await owner('GET', at('/invitations'))).body;
const register = (email: string, invitationToken?: string) =>
  world.call('POST', '/auth/register', {
    body: { email, password: 'password1', name: 'Zoe', invitationToken },
  });
const confirm = (token: string | undefined) =>
  world.call('POST', '/auth/register/confirm', { body: { token } });
/** Of a person as they sign in, or confirm. */
const workspacesOf = async ({ accessToken: token }: { accessToken: string }) =>
  (await world.call('GET', '/me/workspaces', { token })).body;

describe('an invitation', () => {
  it('mails a token that makes the owner of the address a member, once', async () => {
    const zoe = await world.signUp('zoe@example.com', 'Zoe');
    const { status, body } = await send('ZOE@example.com', 'viewer');
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      workspaceId: home,
      email: 'zoe@example.com',
      role: 'viewer',
      inviterId: ada.id,
      createdAt: '2026-03-27T10:00:00.000Z',
      expiresAt: '2026-04-03T10:00:00.000Z',
    });
    expect(await live()).toMatchObject({ total: 1, items: [body] });
    const mail = await world.mailTo('zoe@example.com');
    expect(mail.link).toBe(`http://localhost:8080/accept-invitation#token=${mail.token}`);
    const response = await accept(zoe, mail.token);
    expect(response.body).toMatchObject({ id: home, role: 'viewer', memberCount: 2, ownerId: ada.id });
    expect((await live()).total).toBe(0);
    await expectIssues(accept(zoe, mail.token), 'token');
  });

  it('says by mail whom it is from and to what, in no words that read as an address', async () => {
    await owner('PATCH', at(), { title: 'Buy pills at https://evil.example' });
    await send('zoe@example.com');
    const { subject, text, html } = await world.mailTo('zoe@example.com');
    expect(text).toContain('(ada@example.com) invites you to the workspace “Buy pills at …”');
    expect(html).toContain('&lt;b&gt;Prize&lt;/b&gt; …');
    for (const part of [subject, text, html]) expect(part).not.toMatch(/evil/);
    const zoe = await world.signUp('zoe@example.com');
    await send('zoe@example.com');
    const [told] = (await as(world, zoe)('GET', '/me/notifications')).body.items;
    expect(told.title).toBe('You are invited to Buy pills at …');
    expect(told.body).not.toMatch(/evil/);
  });

  it('works for 7 days, then is gone', async () => {
    const zoe = await world.signUp();
    const token = await invite(world, ada, home, zoe.email, 'member');
    world.clock.advance(MINUTE);
    const newer = (await send('bob@example.com')).body.id;
    world.clock.advance(7 * DAY - MINUTE);
    const late = await world.call('POST', '/auth/login', { body: zoe });
    const response = await accept({ ...zoe, accessToken: late.body.accessToken }, token);
    expect(response.status).toBe(400);
    await tick(world.deps);
    expect(world.values('select id from invitations')).toEqual([newer]);
  });

  it('works for the invited address only, and survives the tries of others', async () => {
    const [zoe, eve] = [await world.signUp(), await world.signUp()];
    const token = await invite(world, ada, home, zoe.email, 'member');
    expect((await accept(eve, token)).status).toBe(403);
    expect((await accept(zoe, token)).status).toBe(200);
    expect((await accept(eve, token)).status).toBe(400);
    for (const wrong of ['x', 'x'.repeat(513), '', null, undefined]) {
      await expectIssues(as(world, eve)('POST', '/invitations/accept', { token: wrong }), 'token');
    }
    expect((await world.call('POST', '/invitations/accept', { body: { token } })).status).toBe(401);
  });

  it('is replaced by the newest for its address', async () => {
    const zoe = await world.signUp();
    const first = await invite(world, ada, home, zoe.email, 'admin');
    world.clock.advance(SECOND);
    const second = await invite(world, ada, home, zoe.email, 'viewer');
    expect((await live()).total).toBe(1);
    expect((await accept(zoe, first)).status).toBe(400);
    expect((await accept(zoe, second)).body.role).toBe('viewer');
  });

  it('can be taken back, and no other with it', async () => {
    const zoe = await world.signUp();
    const token = await invite(world, ada, home, zoe.email, 'member');
    const [{ id }] = (await live()).items;
    const other = (await send('bob@example.com')).body;
    expect((await owner('DELETE', at(`/invitations/${id}`))).status).toBe(204);
    expect((await owner('DELETE', at(`/invitations/${id}`))).status).toBe(404);
    expect((await accept(zoe, token)).status).toBe(400);
    expect((await live()).items).toEqual([other]);
  });

  it.each([
    ['taken back', (id: string) => owner('DELETE', at(`/invitations/${id}`))],
    ['accepted', async (_id: string, zoe: Person, token?: string) => accept(zoe, token)],
  ])('that is %s takes its mail with it, and no other', async (_how, end) => {
    const zoe = await world.signUp();
    const { id, expiresAt } = (await send(zoe.email)).body;
    const other = (await send('bob@example.com')).body;
    const { token } = await world.mailTo(zoe.email);
    const mails = () => world.rows(`select secret_id, expires_at from outbox where kind = 'invitation'`);
    const kept = { secret_id: other.id, expires_at: other.expiresAt };
    expect(mails()).toEqual([{ secret_id: id, expires_at: expiresAt }, kept]);
    expect((await end(id, zoe, token)).status).toBeLessThan(300);
    expect(mails()).toEqual([kept]);
  });

  it('that is taken back takes the mail with it that was sent for the one it replaced', async () => {
    await begin({ settings: { rate_limits: { enabled: true, mail_burst: 1 } } });
    await send('zoe@example.com');
    const { id } = (await send('zoe@example.com', 'viewer')).body;
    expect((await live()).items).toMatchObject([{ id, role: 'viewer' }]);
    const mails = () => world.count(`outbox where kind = 'invitation'`);
    expect(mails()).toBe(1);
    expect((await owner('DELETE', at(`/invitations/${id}`))).status).toBe(204);
    expect(mails()).toBe(0);
  });

  it.each([
    ['is removed', (admin: Person) => owner('DELETE', at(`/members/${admin.id}`))],
    ['leaves', (admin: Person) => as(world, admin)('DELETE', at(`/members/${admin.id}`))],
    [
      'is no admin any more',
      (admin: Person) => owner('PATCH', at(`/members/${admin.id}`), { role: 'member' }),
    ],
    [
      'deletes their account',
      (admin: Person) => as(world, admin)('DELETE', '/auth/me', { password: admin.password }),
    ],
  ])('dies when who sent it %s: nobody lets themself in again', async (_how, goes) => {
    const admin = await joined(world, ada, home, 'admin');
    const [zoe, eve] = [await world.signUp(), await world.signUp()];
    const theirs = await invite(world, admin, home, zoe.email, 'admin');
    const adas = await invite(world, ada, home, eve.email, 'member');
    expect((await goes(admin)).status).toBeLessThan(300);
    expect((await live()).items).toMatchObject([{ email: eve.email }]);
    expect((await accept(zoe, theirs)).status).toBe(400);
    expect((await accept(eve, adas)).status).toBe(200);
  });

  it('outlives a hand-over: the old owner is an admin', async () => {
    const admin = await joined(world, ada, home, 'admin');
    const [zoe, bob] = [await world.signUp(), await world.signUp()];
    const adas = await invite(world, ada, home, zoe.email, 'member');
    const theirs = await invite(world, admin, home, bob.email, 'member');
    expect(
      (await owner('PATCH', at(`/members/${admin.id}`), { role: 'owner', password: ada.password })).status,
    ).toBe(200);
    expect((await accept(zoe, adas)).status).toBe(200);
    expect((await accept(bob, theirs)).status).toBe(200);
  });

  it('names every broken field, grants at most admin, and none to members', async () => {
    await expectIssues(owner('POST', at('/invitations'), { email: 'x', role: 'owner' }), 'email', 'role');
    expect((await owner('POST', at('/invitations'), {})).body.issues).toHaveLength(2);
    const zoe = await joined(world, ada, home, 'member');
    for (const email of [zoe.email, 'ADA@example.com']) {
      await expectIssues(send(email), 'email');
    }
  });

  it('leaves the role of someone who is a member already', async () => {
    const zoe = await joined(world, ada, home, 'viewer');
    const token = await invite(world, ada, home, 'other@example.com', 'admin');
    await world.call('POST', '/auth/email/change/request', {
      token: zoe.accessToken,
      body: { newEmail: 'other@example.com' },
    });
    const change = await world.mailTo('other@example.com');
    await world.call('POST', '/auth/email/change/confirm', { body: { token: change.token } });
    const told = async () => (await owner('GET', '/me/notifications')).body.total;
    const before = await told();
    expect((await accept(zoe, token)).body).toMatchObject({ role: 'viewer', memberCount: 2 });
    expect([(await live()).total, await told()]).toEqual([0, before]);
  });

  it('lets exactly one of fifty parallel acceptances in', async () => {
    const zoe = await world.signUp();
    const token = await invite(world, ada, home, zoe.email, 'member');
    const responses = await Promise.all(Array.from({ length: 50 }, () => accept(zoe, token)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(49);
    expect((await owner('GET', at())).body.memberCount).toBe(2);
  });

  it('is limited for its sender, and quietly for its recipient', async () => {
    await begin({ settings: { rate_limits: { enabled: true, sender_mails_per_day: 12 } } });
    for (let i = 0; i < 12; i += 1) expect((await send('zoe@example.com')).status).toBe(201);
    const { status, headers } = await send('bob@example.com');
    expect([status, headers.get('retry-after')]).toEqual([429, '7200']);
    expect((await send('ada@example.com')).status).toBe(400);
    await world.untilIdle();
    expect(world.mails.filter(({ to }) => to === 'zoe@example.com').length).toBeLessThanOrEqual(10);
    expect((await live()).total).toBe(1);
  });

  it('pages through those that can be accepted, the oldest first', async () => {
    for (let i = 0; i < 5; i += 1) {
      expect((await send(`p${i}@example.com`)).status).toBe(201);
      world.clock.advance(MINUTE);
    }
    world.clock.advance(7 * DAY - 5 * MINUTE);
    await signInAgain(world, ada);
    const page = (await owner('GET', at('/invitations?limit=2&page=2'))).body;
    expect([page.total, page.items.map(({ email }: { email: string }) => email)]).toEqual([
      4,
      ['p3@example.com', 'p4@example.com'],
    ]);
  });
});

describe('signing up by invitation', () => {
  it('joins in the commit of the confirmation', async () => {
    const token = await invite(world, ada, home, 'zoe@example.com', 'admin');
    expect((await register('zoe@example.com', token)).status).toBe(201);
    expect((await live()).total).toBe(1);
    const { body } = await confirm((await world.mailTo('zoe@example.com')).token);
    const { items } = await workspacesOf(body);
    expect(items.map(({ id, role }: { id: string; role: string }) => [id === home, role])).toEqual([
      [false, 'owner'],
      [true, 'admin'],
    ]);
    expect((await live()).total).toBe(0);
  });

  it('rejects a token that is dead or for another address', async () => {
    const token = await invite(world, ada, home, 'zoe@example.com', 'admin');
    for (const response of [
      await register('eve@example.com', token),
      await register('zoe@example.com', 'x'),
    ]) {
      expect([response.status, response.body.issues[0].path]).toEqual([400, 'invitationToken']);
    }
  });

  it('makes the account alone when the invitation died meanwhile', async () => {
    const token = await invite(world, ada, home, 'zoe@example.com', 'admin');
    await register('zoe@example.com', token);
    await owner('DELETE', at(`/invitations/${(await live()).items[0].id}`));
    const { status, body } = await confirm((await world.mailTo('zoe@example.com')).token);
    expect(status).toBe(201);
    expect((await workspacesOf(body)).total).toBe(1);
  });

  it('takes the newest invitation, should the first have been replaced', async () => {
    const token = await invite(world, ada, home, 'zoe@example.com', 'admin');
    await register('zoe@example.com', token);
    const mail = await world.mailTo('zoe@example.com');
    await send('zoe@example.com', 'viewer');
    const { body } = await confirm(mail.token);
    const { items } = await workspacesOf(body);
    expect(items[1]).toMatchObject({ id: home, role: 'viewer' });
  });

  it('spends no invitation of another address, nor to another workspace', async () => {
    const other = (await owner('POST', '/workspaces', { title: 'Club' })).body.id;
    await invite(world, ada, other, 'zoe@example.com', 'admin');
    await send('bob@example.com', 'admin');
    const token = await invite(world, ada, home, 'zoe@example.com', 'viewer');
    await register('zoe@example.com', token);
    const { body } = await confirm((await world.mailTo('zoe@example.com')).token);
    const { items } = await workspacesOf(body);
    expect(items).toMatchObject([{ role: 'owner' }, { id: home, role: 'viewer' }]);
    expect((await live()).items).toMatchObject([{ email: 'bob@example.com' }]);
    expect((await owner('GET', `/workspaces/${other}/invitations`)).body.total).toBe(1);
  });

  it('makes the account alone when the invitation has expired meanwhile', async () => {
    const token = await invite(world, ada, home, 'zoe@example.com', 'admin');
    world.clock.advance(7 * DAY - 1);
    await register('zoe@example.com', token);
    const mail = await world.mailTo('zoe@example.com');
    world.clock.advance(1);
    const { body } = await confirm(mail.token);
    expect((await workspacesOf(body)).total).toBe(1);
  });

  describe('while sign-up is closed', () => {
    let token: string;
    beforeEach(async () => {
      token = await invite(world, ada, home, 'zoe@example.com', 'member');
      world = await world.reopen({ settings: { auth: { signup: 'closed' } } });
      owner = as(world, ada);
    });
    afterEach(() => rmSync(world.folder, { recursive: true }));

    it('is the only way to an account', async () => {
      for (const response of [
        await register('zoe@example.com'),
        await register('eve@example.com', token),
        await register('zoe@example.com', 'x'),
      ]) {
        expect([response.status, response.body.error]).toEqual([403, 'ForbiddenError']);
      }
      expect(world.mails).toEqual([]);
      expect((await register('zoe@example.com', token)).status).toBe(201);
      const { status, body } = await confirm((await world.mailTo('zoe@example.com')).token);
      expect(status).toBe(201);
      expect((await workspacesOf(body)).total).toBe(2);
    });

    it('is over when the invitation dies before the confirmation', async () => {
      await register('zoe@example.com', token);
      const mail = await world.mailTo('zoe@example.com');
      await owner('DELETE', at(`/invitations/${(await live()).items[0].id}`));
      expect((await confirm(mail.token)).status).toBe(401);
      const login = { email: 'zoe@example.com', password: 'password1' };
      expect((await world.call('POST', '/auth/login', { body: login })).status).toBe(401);
    });
  });
});
