import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DAY, toInstant } from '../../src/kernel/instants.ts';
import { insertIdentity } from '../../src/storage/identities.ts';
import { listMails } from '../../src/storage/outbox-listing.ts';
import { purgeExpired } from '../../src/storage/purge.ts';
import { finishRemovals } from '../../src/workspaces/removals.ts';
import { openInstead, openLimited, reopen, useWorld, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { addMember, as, homeOf, invite, joined, withoutPassword } from '../people.ts';
import { errand } from '../shell.ts';
import {
  askForEmail,
  changeEmail,
  codeTo,
  confirmEmail,
  confirmReset,
  keepEmail,
  logInByCode,
  post,
  register,
  resetTokenTo,
  tokenTo,
} from '../sign-in.ts';
import { collecting, type Person } from '../world.ts';

useWorld();
afterEach(() => expectIntegrity(world));

const remove = (person: Person, body: unknown = { password: person.password }) =>
  world.call('DELETE', '/auth/me', { token: person.accessToken, body });
const listIn = async (person: Person, workspaceId: string) =>
  (await as(world, person)('GET', `/workspaces/${workspaceId}/lists`)).body.items[0].id;

/** An account that signs in without a password, as by Google. */
async function passwordless(email: string): Promise<Person> {
  const { id } = await withoutPassword(world, email);
  await world.deps.write((tx) => insertIdentity(tx, id, 'google', `subject of ${email}`, world.clock.now()));
  const { body } = await logInByCode(email);
  return { id, email, password: '', accessToken: body.accessToken, refreshToken: body.refreshToken };
}

describe('what is asked for', () => {
  it('must still be that of the account in the commit that deletes it', async () => {
    const ada = await world.signUp('ada@example.com');
    const eve = await passwordless('eve@example.com');
    await askForEmail(eve.accessToken, 'eva@example.com');
    const token = await tokenTo('eva@example.com');
    const { writeInSteps } = world.deps;
    const late = (person: Person, body: object, change: () => ReturnType<typeof post>) => {
      world.deps.writeInSteps = async (job, from) => {
        world.deps.writeInSteps = writeInSteps;
        expect((await change()).status).toBe(204);
        return writeInSteps(job, from);
      };
      return remove(person, body);
    };
    const { password } = ada;
    const passwords = { currentPassword: password, newPassword: 'another password' };
    const responses = [
      await late(ada, { password }, () => post('/me/password', passwords, ada.accessToken)),
      await late(eve, { email: eve.email }, () => confirmEmail(token)),
    ];
    expect(responses.map(({ status }) => status)).toEqual([403, 403]);
    for (const person of [ada, eve]) expect((await as(world, person)('GET', '/me')).status).toBe(200);
  });

  it('is the password where there is one: 400 on its path without it, 403 for a wrong one', async () => {
    const ada = await world.signUp('ada@example.com');
    for (const body of [undefined, {}, { email: ada.email }]) {
      const response = await world.call('DELETE', '/auth/me', { token: ada.accessToken, body });
      expect([response.status, response.body.issues]).toEqual([
        400,
        [{ path: 'password', message: 'Password is required' }],
      ]);
    }
    for (const body of [{ password: 'wrong password' }, { password: 'wrong password', email: ada.email }]) {
      const response = await remove(ada, body);
      expect([response.status, response.body.error]).toEqual([403, 'ForbiddenError']);
    }
    expect((await as(world, ada)('GET', '/me')).status).toBe(200);
    expect((await remove(ada, { password: ada.password, email: 'other@example.com' })).status).toBe(204);
  });

  it('is the address where there is no password, in any case', async () => {
    const pat = await passwordless('pat@example.com');
    for (const body of [{}, { password: 'whatever' }]) {
      const response = await remove(pat, body);
      expect([response.status, response.body.issues]).toEqual([
        400,
        [{ path: 'email', message: 'Email must be valid' }],
      ]);
    }
    expect((await remove(pat, { email: 'other@example.com' })).status).toBe(403);
    expect((await remove(pat, { email: 'Pat@Example.com' })).status).toBe(204);
    expect(world.count('identities')).toBe(0);
  });

  it('counts as a failed sign-in when it is wrong', async () => {
    await openLimited({ failures_burst: 3 });
    const ada = await world.signUp();
    for (let i = 0; i < 3; i += 1) expect((await remove(ada, { password: 'wrong' })).status).toBe(403);
    const { status, headers } = await remove(ada);
    expect([status, headers.get('retry-after')]).toEqual([429, '60']);
    expect((await world.call('POST', '/auth/login', { body: ada })).status).toBe(429);
  });
});

describe('a deleted account', () => {
  it('is gone at once: access token, refresh token, password, codes and mailed tokens', async () => {
    const ada = await world.signUp('ada@example.com');
    const reset = await resetTokenTo(ada.email);
    const code = await codeTo(ada.email);
    await askForEmail(ada.accessToken, 'new@example.com');
    const change = await tokenTo('new@example.com');
    const keep = await tokenTo(ada.email);

    expect((await remove(ada)).status).toBe(204);
    const { email, password, refreshToken } = ada;
    for (const [path, body] of [
      ['/auth/refresh', { refreshToken }],
      ['/auth/login', { email, password }],
      ['/auth/login/code/confirm', { email, code }],
      ['/auth/password/reset/confirm', { token: reset, newPassword: 'another password' }],
      ['/auth/email/change/confirm', { token: change }],
      ['/auth/email/change/revert', { token: keep }],
    ] as const) {
      expect([path, (await world.call('POST', path, { body })).status]).toEqual([path, 401]);
    }
    expect((await as(world, ada)('GET', '/me')).status).toBe(401);
    expect((await remove(ada)).status).toBe(401);
    const tables = ['users', 'sessions', 'refresh_tokens', 'identities', 'known_addresses', 'email_tokens'];
    for (const table of [...tables, 'login_codes', 'notifications', 'members', 'workspaces', 'removals']) {
      expect([table, world.count(table)]).toEqual([table, 0]);
    }
    await world.untilIdle();
    expect(world.count('outbox')).toBe(0);
  });

  it('takes invitations and sign-ups of the address with it, and gives way to a fresh account', async () => {
    const ada = await world.signUp('ada@example.com');
    const bob = await world.signUp('bob@example.com', 'Bob');
    const token = await invite(world, bob, await homeOf(world, bob), ada.email, 'admin');
    await invite(world, bob, await homeOf(world, bob), 'zoe@example.com', 'admin');
    await as(world, ada)('PATCH', '/me', { name: 'Someone else' });
    await remove(ada);
    expect([world.count('invitations where email = ?', ada.email), world.count('invitations')]).toEqual([
      0, 1,
    ]);

    const again = await world.signUp('ada@example.com', 'Ada');
    expect(again.id).not.toBe(ada.id);
    const call = as(world, again);
    expect((await call('GET', '/me/workspaces')).body.items).toMatchObject([{ title: "Ada's workspace" }]);
    expect((await call('GET', '/me/notifications')).body.total).toBe(0);
    expect((await call('GET', '/me/sessions')).body.total).toBe(1);
    expect((await call('POST', '/invitations/accept', { token })).status).toBe(400);
  });

  it('leaves no trace of the person in the files: database, log, search index, outbox', async () => {
    const needle = (kind: string) => `${kind}needle7q`;
    const ada = await world.signUp(`${needle('mail')}@example.com`, needle('name'));
    const bob = await world.signUp('bob@example.com', 'Bob');
    const home = await homeOf(world, ada);
    const call = as(world, ada);
    const listId = await listIn(ada, home);
    for (let i = 0; i < 30; i += 1) {
      const description = `${needle('body')} ${'x'.repeat(i * 300)} ${needle('tail')}`;
      await call('POST', `/workspaces/${home}/tasks`, {
        title: `${needle('title')}${i}`,
        listId,
        description,
      });
    }
    for (let i = 0; i < 10; i += 1) {
      const former = { listId, title: needle('former') };
      const { body: task } = await call('POST', `/workspaces/${home}/tasks`, former);
      await call('PATCH', `/workspaces/${home}/tasks/${task.id}`, { title: `Milk ${i}` });
    }
    await call('POST', `/workspaces/${home}/spaces`, { title: needle('space') });
    await invite(world, ada, home, `${needle('guest')}@example.com`, 'viewer');
    const newPassword = 'another password';
    await call('POST', '/me/password', { currentPassword: ada.password, newPassword });
    // Where others are: what is theirs stays, the name does not.
    await addMember(world, bob, await homeOf(world, bob), ada, 'member');
    await changeEmail(ada.accessToken, `${needle('new')}@example.com`);
    await askForEmail(bob.accessToken, `${needle('new')}@example.com`);
    await world.untilIdle();
    const inFiles = () =>
      ['', '-wal']
        .map((end) => readFileSync(join(world.folder, `errand.db${end}`), 'latin1'))
        .join('\n')
        .match(/[a-z]+needle7q/g) ?? [];
    expect(new Set(inFiles()).size).toBeGreaterThan(5);

    expect((await remove(ada, { password: newPassword })).status).toBe(204);
    await world.untilIdle();
    expect(inFiles()).toEqual([]);
    const { body } = await as(world, bob)('GET', '/me/notifications');
    expect(body.total).toBe(0);
  });

  it('leaves what was mailed to another account that has the former address by then', async () => {
    const ada = await world.signUp('ada@example.com');
    await changeEmail(ada.accessToken, 'new@example.com');
    const ann = await world.signUp('ada@example.com', 'Ann');
    await codeTo(ann.email);
    const mails = () =>
      world.rows('select id, kind from outbox where recipient = ? and kind = ?', ann.email, 'login-code');
    const before = mails();
    expect(before).toHaveLength(1);
    expect((await remove(ada)).status).toBe(204);
    expect(mails()).toEqual(before);
  });

  it('takes the name out of the title that a transferred workspace was given, and leaves one that was chosen', async () => {
    const ada = await world.signUp('ada@example.com', 'Ada');
    const bob = await world.signUp('bob@example.com', 'Bob');
    const another = await world.signUp('another@example.com', 'Ada');
    const home = await homeOf(world, ada);
    const chosen = (await as(world, ada)('POST', '/workspaces', { title: "Ada's engine" })).body.id;
    for (const id of [home, chosen]) await addMember(world, ada, id, bob, 'member');
    await invite(world, another, await homeOf(world, another), bob.email, 'viewer');
    expect((await remove(ada)).status).toBe(204);
    const titlesOf = async (person: Person) =>
      (await as(world, person)('GET', '/me/workspaces')).body.items.map(
        ({ title }: { title: string }) => title,
      );
    expect((await titlesOf(bob)).toSorted()).toEqual(["Ada's engine", "Bob's workspace", "Bob's workspace"]);
    expect(await titlesOf(another)).toEqual(["Ada's workspace"]);
    const { items } = (await as(world, bob)('GET', '/me/notifications')).body;
    expect(items[0].title).toBe("You are invited to Ada's workspace");
  });

  it('takes the name out of what others were told of a workspace that was named after it', async () => {
    const ada = await world.signUp('ada@example.com', 'Adalovelace');
    const home = await homeOf(world, ada);
    const bob = await joined(world, ada, home, 'admin', 'Bob');
    const eve = await joined(world, bob, home, 'member', 'Eve');
    expect((await remove(ada)).status).toBe(204);
    const titlesOf = async (person: Person) => {
      const { items } = (await as(world, person)('GET', '/me/notifications')).body;
      return items.map(({ title }: { title: string }) => title);
    };
    expect(await titlesOf(bob)).toEqual(["Eve joined Bob's workspace"]);
    expect(await titlesOf(eve)).toEqual(["You are invited to Bob's workspace"]);
    await world.untilIdle();
    for (const name of ['errand.db', 'errand.db-wal'])
      expect(readFileSync(join(world.folder, name), 'latin1')).not.toContain('Adalovelace');
  });

  it('leaves no sign-up at an address that it had before', async () => {
    const ada = await world.signUp('ada@example.com');
    const body = { email: ada.email, password: 'password1', name: 'Ada' };
    expect((await world.call('POST', '/auth/register', { body })).status).toBe(201);
    await changeEmail(ada.accessToken, 'countess@example.com');
    expect((await remove(ada)).status).toBe(204);
    expect(world.count('pending_signups')).toBe(0);
  });

  it('is counted against no more, and others as before', async () => {
    await openLimited();
    const people = [await world.signUp(), await world.signUp()];
    for (const person of people) {
      await invite(world, person, await homeOf(world, person), 'guest@example.com', 'viewer');
      await as(world, person)('GET', '/account/export');
    }
    const kept = () => people.map(({ id }) => world.count('budgets where key like ?', `%${id}`));
    expect(kept()).toEqual([2, 2]);
    expect((await remove(people[0] as Person)).status).toBe(204);
    expect(kept()).toEqual([0, 2]);
  });

  describe('takes its mails with it', () => {
    const signInByCode = async (person: Person, email: string): Promise<Person> => {
      const { body } = await logInByCode(email);
      return { ...person, email, accessToken: body.accessToken };
    };
    const mailed = () => listMails(world.deps.read).map(({ kind, to }) => [kind, to]);

    it('that went to a former address, though no link in them works any more', async () => {
      const ada = await world.signUp('ada@example.com');
      const bob = await world.signUp('bob@example.com', 'Bob');
      await invite(world, bob, await homeOf(world, bob), ada.email, 'member');
      const newPassword = 'another password';
      await as(world, ada)('POST', '/me/password', { currentPassword: ada.password, newPassword });
      await askForEmail(ada.accessToken, 'other@example.com');
      await changeEmail(ada.accessToken, 'new@example.com');
      await world.untilIdle();
      world.clock.advance(8 * DAY);
      await purgeExpired(world.deps);
      expect(mailed()).toContainEqual(['email-keep', ada.email]);
      const now = await signInByCode(ada, 'new@example.com');
      expect((await remove(now, { password: newPassword })).status).toBe(204);
      expect(mailed()).toEqual([]);
    });

    it('that went to an address it had until a change was reverted', async () => {
      const ada = await world.signUp('ada@example.com');
      const email = 'new@example.com';
      await changeEmail(ada.accessToken, email);
      const token = await resetTokenTo(email);
      await confirmReset(token, 'another password');
      await keepEmail(await tokenTo(ada.email));
      await world.untilIdle();
      expect(mailed().toSorted()).toEqual([
        ['password-changed', email],
        ['password-removed', ada.email],
      ]);
      expect((await remove(await signInByCode(ada, ada.email), { email: ada.email })).status).toBe(204);
      expect(mailed()).toEqual([]);
    });

    it('that anyone had sent to its address', async () => {
      const { email, ...ada } = await world.signUp();
      await post('/auth/login/code', { email });
      const again = { email, password: 'password1', name: 'Mallory' };
      expect((await world.call('POST', '/auth/register', { body: again })).status).toBe(201);
      await world.untilIdle();
      expect(mailed().toSorted()).toEqual([
        ['confirm-signup', email],
        ['login-code', email],
      ]);
      expect((await remove({ email, ...ada })).status).toBe(204);
      expect(mailed()).toEqual([]);
    });

    it('that it caused and newer ones replaced, before they are sent', async () => {
      let isDown = false;
      await openInstead({
        transport: {
          ...collecting([]),
          deliver: async (mail) => {
            if (isDown) return { kind: 'delayed', reason: 'down' };
            world.mails.push(mail);
            return { kind: 'taken' };
          },
        },
      });
      const ada = await world.signUp();
      const home = await homeOf(world, ada);
      isDown = true;
      for (const newEmail of ['first@example.com', 'second@example.com']) {
        const invitation = { email: 'guest@example.com', role: 'viewer' };
        expect((await as(world, ada)('POST', `/workspaces/${home}/invitations`, invitation)).status).toBe(
          201,
        );
        await askForEmail(ada.accessToken, newEmail);
      }
      await world.untilIdle();
      expect(mailed()).toHaveLength(6);
      expect((await remove(ada)).status).toBe(204);
      expect(mailed()).toEqual([]);
    });
  });

  it('takes no mail with it to an address that was only asked for', async () => {
    const ada = await world.signUp();
    const email = 'new@example.com';
    await register(email, 'password1', 'New');
    await askForEmail(ada.accessToken, email);
    await world.untilIdle();
    expect((await remove(ada)).status).toBe(204);
    expect(listMails(world.deps.read)).toMatchObject([{ kind: 'confirm-signup', to: email }]);
  });

  it('keeps the log to a replication tool where there is one', async () => {
    await openInstead({ settings: { database: { external_replication: true } } });
    const ada = await world.signUp();
    const before = readFileSync(join(world.folder, 'errand.db-wal')).length;
    expect((await remove(ada)).status).toBe(204);
    expect(readFileSync(join(world.folder, 'errand.db-wal')).length).toBeGreaterThan(before);
    expect(world.count(`meta where key like 'residue%'`)).toBe(0);
  });

  it('is erased from the log later when someone reads from it', async () => {
    const ada = await world.signUp();
    const snapshot = world.deps.database.openSnapshot();
    expect((await remove(ada)).status).toBe(204);
    expect(readFileSync(join(world.folder, 'errand.db-wal')).length).toBeGreaterThan(0);
    snapshot.close();
    await finishRemovals(world.deps);
    expect(readFileSync(join(world.folder, 'errand.db-wal'), 'latin1')).not.toContain(ada.email);
    expect(world.count(`meta where key like 'residue%'`)).toBe(0);
  });
});

describe('what the person leaves behind', () => {
  it('passes workspaces to the longest-standing admin, else member, and deletes those with viewers only', async () => {
    const ada = await world.signUp('ada@example.com', 'Ada');
    const call = as(world, ada);
    const home = await homeOf(world, ada);
    const [team, watched] = await Promise.all(
      ['Team', 'Watched'].map(async (title) => (await call('POST', '/workspaces', { title })).body.id),
    );
    const viewer = await joined(world, ada, home, 'viewer');
    world.clock.advance(1_000);
    const second = await world.signUp(undefined, 'Second');
    const first = await joined(world, ada, home, 'member', 'First');
    world.clock.advance(1_000);
    await addMember(world, ada, home, second, 'member');
    const early = await joined(world, ada, team, 'member', 'Early');
    world.clock.advance(1_000);
    const admin = await joined(world, ada, team, 'admin', 'Admin');
    world.clock.advance(1_000);
    await joined(world, ada, team, 'admin', 'Late');
    await joined(world, ada, watched, 'viewer', 'Watcher');

    const { accessToken } = (await world.call('POST', '/auth/login', { body: ada })).body;
    expect((await remove({ ...ada, accessToken })).status).toBe(204);
    const seen = async (person: Person, id: string) =>
      (await as(world, person)('GET', `/workspaces/${id}`)).body;
    const passedOn = world.log.map((line) => JSON.parse(line)).filter(({ role }) => role === 'owner');
    expect(passedOn.map(({ event, workspaceId, userId }) => [event, workspaceId, userId]).toSorted()).toEqual(
      [
        ['role-changed', home, first.id],
        ['role-changed', team, admin.id],
      ].toSorted(),
    );
    const updatedAt = toInstant(world.clock.now());
    expect(await seen(first, home)).toMatchObject({
      ownerId: first.id,
      role: 'owner',
      memberCount: 3,
      updatedAt,
    });
    expect(await seen(second, home)).toMatchObject({ ownerId: first.id, role: 'member' });
    expect(await seen(viewer, home)).toMatchObject({ role: 'viewer' });
    expect(await seen(admin, team)).toMatchObject({ ownerId: admin.id, role: 'owner', memberCount: 3 });
    expect(await seen(early, team)).toMatchObject({ role: 'member' });
    expect((await as(world, admin)('GET', `/workspaces/${watched}`)).status).toBe(404);
  });

  it('passes on no workspace that is not theirs', async () => {
    const owner = await world.signUp();
    const home = await homeOf(world, owner);
    const admin = await joined(world, owner, home, 'admin');
    for (const role of ['admin', 'member', 'viewer'] as const) {
      expect((await remove(await joined(world, owner, home, role))).status).toBe(204);
    }
    const of = async (person: Person) => (await as(world, person)('GET', `/workspaces/${home}`)).body;
    expect(await of(owner)).toMatchObject({ ownerId: owner.id, role: 'owner', memberCount: 2 });
    expect(await of(admin)).toMatchObject({ ownerId: owner.id, role: 'admin' });
  });

  it('keeps tasks elsewhere, without creator and assignee, and their counts and series right', async () => {
    const bob = await world.signUp('bob@example.com', 'Bob');
    const home = await homeOf(world, bob);
    const ada = await joined(world, bob, home, 'member', 'Ada');
    const listId = await listIn(bob, home);
    await addTasks(world, home, 90, { creatorId: ada.id });
    await addTasks(world, home, 70, { assigneeId: ada.id });
    await as(world, ada)('POST', `/workspaces/${home}/recurring-tasks`, {
      title: 'Water',
      listId,
      assigneeId: ada.id,
      interval: { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' },
    });
    expect((await remove(ada)).status).toBe(204);
    for (const column of ['creator_id', 'assignee_id']) {
      expect(world.count(`tasks where ${column} is not null`)).toBe(0);
      expect(world.count(`recurring_series where ${column} is not null`)).toBe(0);
    }
    expect(world.count('tasks')).toBe(161);
    expect(world.count('users')).toBe(1);
  });

  it('is finished after a stop in the midst of it, and unseen until then', async () => {
    const ada = await world.signUp('ada@example.com');
    await addTasks(world, await homeOf(world, ada), 100, { creatorId: ada.id });
    world.opened.beginStop();
    expect((await remove(ada)).status).toBe(503);
    expect(world.count('removals')).toBe(2);
    expect(world.count('users where email = ? or name <> ?', ada.email, '')).toBe(0);
    const list = await errand(world, ['users', 'list', '--json']);
    expect(JSON.parse(list.out)).toEqual([]);

    await reopen();
    await finishRemovals(world.deps);
    for (const table of ['users', 'workspaces', 'tasks', 'removals']) expect(world.count(table)).toBe(0);
    expect((await world.signUp('ada@example.com')).id).not.toBe(ada.id);
  });
});

describe('what was mailed works no more, also while the rest is still to go:', () => {
  it('an invitation from them', async () => {
    const [owner, eve] = [await world.signUp(), await world.signUp()];
    const home = await homeOf(world, owner);
    const ada = await joined(world, owner, home, 'admin');
    const token = await invite(world, ada, home, eve.email, 'admin');
    await addTasks(world, await homeOf(world, ada), 100, { creatorId: ada.id });
    world.opened.beginStop();
    expect((await remove(ada)).status).toBe(503);
    expect((await as(world, owner)('GET', `/workspaces/${home}/invitations`)).body.items).toEqual([]);
    expect((await as(world, eve)('POST', '/invitations/accept', { token })).status).toBe(400);
  });

  it('an address for the account', async () => {
    const ada = await world.signUp('ada@example.com');
    await askForEmail(ada.accessToken, 'new@example.com');
    const [change, keep] = [await tokenTo('new@example.com'), await tokenTo(ada.email)];
    await addTasks(world, await homeOf(world, ada), 100, { creatorId: ada.id });
    world.opened.beginStop();
    expect((await remove(ada)).status).toBe(503);
    expect(world.count('users')).toBe(1);
    expect([(await confirmEmail(change)).status, (await keepEmail(keep)).status]).toEqual([401, 401]);
  });
});

describe('a deletion beside other work', () => {
  it('is done once, and a second one beside it is rejected as by a session that has ended', async () => {
    const ada = await world.signUp('ada@example.com');
    const responses = await Promise.all([remove(ada), remove(ada)]);
    expect(responses.map(({ status }) => status).sort()).toEqual([204, 401]);
    expect(responses.find(({ status }) => status === 401)?.headers.get('WWW-Authenticate')).toBe('Bearer');
  });

  it('never fails another request, nor leaves an orphan, in either order', async () => {
    for (let round = 0; round < 12; round += 1) {
      const ada = await world.signUp(undefined, 'Ada');
      const home = await homeOf(world, ada);
      const bob = await joined(world, ada, home, round % 2 === 0 ? 'admin' : 'viewer', 'Bob');
      const foreign = await homeOf(world, bob);
      await addMember(world, bob, foreign, ada, 'member');
      const [listId, bobsList] = [await listIn(ada, home), await listIn(bob, foreign)];
      const a = as(world, ada);
      const b = as(world, bob);
      const writes = () => [
        () => a('POST', `/workspaces/${home}/tasks`, { title: 'A', listId, assigneeId: ada.id }),
        () => a('POST', `/workspaces/${foreign}/tasks`, { title: 'A', listId: bobsList }),
        () => a('POST', '/workspaces', { title: 'Late' }),
        () => a('POST', `/workspaces/${home}/spaces`, { title: 'Late' }),
        () => a('POST', `/workspaces/${home}/invitations`, { email: 'x@example.com', role: 'viewer' }),
        () => a('PATCH', '/me', { name: 'Late' }),
        () => a('POST', '/me/password', { currentPassword: ada.password, newPassword: 'new password' }),
        () => a('POST', '/auth/email/change/request', { newEmail: 'late@example.com' }),
        () => world.call('POST', '/auth/login', { body: ada }),
        () => post('/auth/refresh', { refreshToken: ada.refreshToken }),
        () => b('POST', `/workspaces/${home}/tasks`, { title: 'B', listId, assigneeId: ada.id }),
        () => b('POST', `/workspaces/${foreign}/tasks`, { title: 'B', listId: bobsList, assigneeId: ada.id }),
        () =>
          b('PATCH', `/workspaces/${foreign}/members/${ada.id}`, { role: 'owner', password: bob.password }),
        () => b('DELETE', `/workspaces/${foreign}/members/${ada.id}`),
        () => a('DELETE', `/workspaces/${home}/lists/${listId}`),
        () => a('DELETE', `/workspaces/${home}`),
      ];
      const before = writes().slice(round, round + 4);
      const requests = [...before, () => remove(ada), () => remove(ada), ...writes()];
      const responses = await Promise.all(requests.map((request) => request()));
      expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
      expectIntegrity(world);
    }
  });
});

describe('errand users delete', () => {
  it('deletes an account while the server runs, once told --yes', async () => {
    const ada = await world.signUp('ada@example.com');
    const asked = await errand(world, ['users', 'delete', 'Ada@Example.com']);
    expect([asked.code, asked.err]).toEqual([
      2,
      'errand: This deletes ada@example.com permanently. Add --yes to confirm\n',
    ]);
    const { code, out } = await errand(world, ['users', 'delete', 'Ada@Example.com', '--yes']);
    expect([code, out]).toEqual([0, 'Deleted ada@example.com\n']);
    expect((await as(world, ada)('GET', '/me')).status).toBe(401);
    expect(world.count('users')).toBe(0);
    const again = await errand(world, ['users', 'delete', 'ada@example.com', '--yes']);
    expect([again.code, again.err]).toEqual([
      1,
      'errand: There is no account with the address ada@example.com\n',
    ]);
  });
});
