import { describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { SECOND, toInstant } from '../../src/kernel/instants.ts';
import { ada, home, call as owner, useHome, world } from '../ada.ts';
import { addMember, as, expectIssues, joined } from '../people.ts';
import { DAILY } from '../series-world.ts';
import type { Person } from '../world.ts';

useHome();

const at = (path = '', workspaceId = home) => `/workspaces/${workspaceId}${path}`;
const join = (role: string) => joined(world, ada, home, role);
const handOver = ({ id }: Person, password: string | undefined = ada.password) =>
  owner('PATCH', at(`/members/${id}`), { role: 'owner', password });
const rolesOf = async () =>
  Object.fromEntries(
    (await owner('GET', at('/members'))).body.items.map((row: { userId: string; role: string }) => [
      row.userId,
      row.role,
    ]),
  );

describe('a workspace', () => {
  it('starts like the default one', async () => {
    const { status, body } = await owner('POST', '/workspaces', { title: '  Club ' });
    expect(status).toBe(201);
    expect(body).toMatchObject({ title: 'Club', ownerId: ada.id, role: 'owner', memberCount: 1 });
    expect((await owner('GET', at('', body.id))).body).toEqual(body);
    const spaces = (await owner('GET', at('/spaces', body.id))).body.items;
    expect(spaces).toMatchObject([{ title: 'General', position: 1024 }]);
    const lists = (await owner('GET', at('/lists', body.id))).body.items;
    expect(lists).toMatchObject([{ title: 'Tasks', spaceId: spaces[0].id }]);
    const templates = (await owner('GET', at('/status-templates', body.id))).body.items;
    expect(templates).toMatchObject([{ title: 'Default', isDefault: true }]);
    expect(lists[0].statuses).toEqual(templates[0].statuses);
    expect(lists[0].statuses).toMatchObject([
      { title: 'To Do', type: 'unstarted', position: 1024 },
      { title: 'In Progress', type: 'started', position: 2048 },
      { title: 'Done', type: 'completed', position: 3072 },
    ]);
  });

  it('is listed for each of its members, the default one first', async () => {
    for (const title of ['B', 'A']) await owner('POST', '/workspaces', { title });
    const titlesOn = async (page: number) =>
      (await owner('GET', `/me/workspaces?limit=2&page=${page}`)).body.items.map(
        ({ title }: { title: string }) => title,
      );
    expect([await titlesOn(1), await titlesOn(2)]).toEqual([["Ada's workspace", 'B'], ['A']]);
    const { items, total } = (await owner('GET', '/me/workspaces')).body;
    expect([items[0].id, total]).toEqual([home, 3]);
    const viewer = as(world, await join('viewer'));
    const seen = (await viewer('GET', '/me/workspaces')).body.items;
    expect(seen.map((row: { id: string; role: string }) => [row.id === home, row.role])).toEqual([
      [false, 'owner'],
      [true, 'viewer'],
    ]);
  });

  it('changes by a patch only what the patch names', async () => {
    const before = (await owner('GET', at())).body;
    world.clock.advance(SECOND);
    for (const nothing of [{}, { title: before.title }, { id: 'x', ownerId: 'y', role: 'viewer' }]) {
      expect((await owner('PATCH', at(), nothing)).body).toEqual(before);
    }
    const { body } = await owner('PATCH', at(), { title: 'New' });
    expect(body).toEqual({ ...before, title: 'New', updatedAt: '2026-03-27T10:00:01.000Z' });
    expect((await owner('GET', at())).body).toEqual(body);
    for (const title of [null, '', '   ', 'x'.repeat(501), 5]) {
      await expectIssues(owner('PATCH', at(), { title }), 'title');
    }
    expect((await owner('PATCH', at(), { title: 'x'.repeat(500) })).status).toBe(200);
  });

  it('goes with everything in it', async () => {
    const member = as(world, await join('member'));
    await owner('POST', at('/invitations'), { email: 'new@example.com', role: 'member' });
    const [list] = (await owner('GET', at('/lists'))).body.items;
    await owner('POST', at('/tasks'), { title: 'T', listId: list.id });
    expect((await owner('DELETE', at())).status).toBe(204);
    expect((await owner('GET', at())).status).toBe(404);
    expect((await member('GET', at('/lists'))).status).toBe(404);
    expect((await member('GET', '/me/workspaces')).body.total).toBe(1);
    for (const table of ['members', 'invitations', 'spaces', 'lists', 'status_templates', 'statuses'])
      expect(world.count(`${table} where workspace_id = ?`, home), table).toBe(0);
  });
});

describe('the guard', () => {
  it('asks again before it writes, so a removal counts from its commit', async () => {
    const zoe = await join('admin');
    const admin = as(world, zoe);
    const both = await Promise.all([
      owner('DELETE', at(`/members/${zoe.id}`)),
      admin('POST', at('/spaces'), { title: 'Too late' }),
    ]);
    expect(both.map(({ status }) => status)).toEqual([204, 403]);
    const gone = await Promise.all([
      owner('DELETE', at()),
      owner('POST', at('/spaces'), { title: 'Too late' }),
    ]);
    expect(gone.map(({ status }) => status)).toEqual([204, 404]);
  });
});

describe('roles', () => {
  it('are shown in the order people came, and paged', async () => {
    const zoe = await world.signUp();
    const people = [ada];
    for (const role of ['viewer', 'member']) {
      world.clock.advance(SECOND);
      people.push(await join(role));
    }
    world.clock.advance(SECOND);
    await addMember(world, ada, home, zoe, 'admin');
    people.push(zoe);
    const { body } = await owner('GET', at('/members?limit=3'));
    expect(body).toMatchObject({ page: 1, limit: 3, total: 4 });
    const rest = (await owner('GET', at('/members?limit=3&page=2'))).body.items;
    const ids = [...body.items, ...rest].map(({ userId }: { userId: string }) => userId);
    expect(ids).toEqual(people.map(({ id }) => id));
    expect(body.items[0]).toEqual({
      userId: ada.id,
      email: 'ada@example.com',
      name: 'Ada',
      role: 'owner',
      joinedAt: '2026-03-27T10:00:00.000Z',
    });
  });

  it('up to admin are an admin’s to give', async () => {
    const admin = as(world, await join('admin'));
    const zoe = await join('viewer');
    for (const role of ['member', 'admin', 'viewer', 'viewer']) {
      const { status, body } = await admin('PATCH', at(`/members/${zoe.id}`), { role });
      expect([status, body.userId, body.role]).toEqual([200, zoe.id, role]);
      expect((await rolesOf())[zoe.id]).toBe(role);
    }
    expect((await admin('PATCH', at(`/members/${zoe.id}`), {})).body.role).toBe('viewer');
    expect((await admin('PATCH', at(`/members/${zoe.id}`), { role: 'owner' })).status).toBe(403);
    for (const role of [null, 'boss', 7]) {
      await expectIssues(admin('PATCH', at(`/members/${zoe.id}`), { role }), 'role');
    }
    const stranger = await world.signUp();
    expect((await admin('PATCH', at(`/members/${stranger.id}`), { role: 'member' })).status).toBe(404);
  });

  it('never touch the owner', async () => {
    const admin = as(world, await join('admin'));
    for (const role of ['admin', 'viewer', 'owner']) {
      expect((await admin('PATCH', at(`/members/${ada.id}`), { role })).status).toBe(403);
    }
    expect((await admin('DELETE', at(`/members/${ada.id}`))).status).toBe(403);
    for (const response of [
      await owner('PATCH', at(`/members/${ada.id}`), { role: 'admin' }),
      await owner('DELETE', at(`/members/${ada.id}`)),
    ]) {
      expect([response.status, response.body.error]).toEqual([400, 'BadRequestError']);
    }
    expect((await owner('PATCH', at(`/members/${ada.id}`), { role: 'owner' })).status).toBe(200);
    expect((await rolesOf())[ada.id]).toBe('owner');
  });

  it('pass with the workspace: the new owner owns, the old one becomes an admin', async () => {
    const zoe = await join('viewer');
    world.clock.advance(SECOND);
    const { status, body } = await handOver(zoe);
    expect([status, body.role]).toEqual([200, 'owner']);
    expect(await rolesOf()).toEqual({ [ada.id]: 'admin', [zoe.id]: 'owner' });
    expect((await owner('GET', at())).body).toMatchObject({
      ownerId: zoe.id,
      role: 'admin',
      updatedAt: '2026-03-27T10:00:01.000Z',
    });
    const { status: rejected, body: rejection } = await owner('DELETE', at());
    expect([rejected, rejection.message]).toEqual([403, 'This needs the role owner']);
    expect((await owner('DELETE', at(`/members/${ada.id}`))).status).toBe(204);
    expect((await as(world, zoe)('DELETE', at())).status).toBe(204);
  });

  it('pass with the workspace for the password of the owner alone, where they have one', async () => {
    const zoe = await join('member');
    const path = at(`/members/${zoe.id}`);
    await expectIssues(owner('PATCH', path, { role: 'owner' }), 'password');
    for (const password of ['', null, 7]) {
      await expectIssues(owner('PATCH', path, { role: 'owner', password }), 'password');
    }
    expect((await handOver(zoe, 'not this one')).status).toBe(403);
    const stranger = await world.signUp();
    expect((await handOver(stranger)).status).toBe(404);
    expect((await rolesOf())[ada.id]).toBe('owner');
    await world.deps.write((tx) =>
      tx.run(query.updateTable('users').set({ password_hash: null }).where('id', '=', ada.id)),
    );
    expect((await owner('PATCH', path, { role: 'owner' })).status).toBe(200);
    expect((await rolesOf())[zoe.id]).toBe('owner');
  });

  it('pass with the workspace for no password that was changed while it was compared', async () => {
    const zoe = await join('member');
    const { passwords } = world.deps.signIn;
    const verify: typeof passwords.verify = async (...input) => {
      const isRight = await passwords.verify(...input);
      world.run('update users set password_hash = ? where id = ?', 'another', ada.id);
      return isRight;
    };
    world.deps.signIn.passwords = { ...passwords, verify };
    expect((await handOver(zoe)).status).toBe(403);
    expect((await rolesOf())[ada.id]).toBe('owner');
  });

  it('that pass with the workspace are told to both, by notification and mail', async () => {
    const zoe = await join('viewer');
    await owner('PATCH', at(), { title: 'Club www.example.com' });
    expect((await handOver(zoe, 'not this one')).status).toBe(403);
    world.mails.length = 0;
    expect((await handOver(zoe)).status).toBe(200);
    for (const person of [ada, zoe]) {
      const { items } = (await as(world, person)('GET', '/me/notifications')).body;
      expect(items[0]).toMatchObject({
        type: 'workspace.owner_changed',
        data: { workspaceId: home, userId: zoe.id },
      });
      expect(JSON.stringify(items[0])).not.toContain('www.');
    }
    expect((await world.mailTo(zoe.email)).subject).toBe('You own a workspace now');
    const { subject, text } = await world.mailTo(ada.email);
    expect(subject).toBe('You handed a workspace over');
    expect(text).toContain('@example.com) owns the workspace “Club …” now');
    expect(text).not.toContain('www.');
  });

  it('take no task from anyone who may still have it', async () => {
    const zoe = await join('member');
    const [list] = (await owner('GET', at('/lists'))).body.items;
    const { id } = (await owner('POST', at('/tasks'), { title: 'T', listId: list.id, assigneeId: zoe.id }))
      .body;
    for (const role of ['admin', 'member', 'owner']) {
      const { password } = ada;
      expect((await owner('PATCH', at(`/members/${zoe.id}`), { role, password })).status).toBe(200);
      expect((await owner('GET', at(`/tasks/${id}`))).body.assigneeId).toBe(zoe.id);
    }
  });

  it('that change, and people who go, are told in the log, with the actor', async () => {
    const zoe = await join('member');
    const path = at(`/members/${zoe.id}`);
    for (const role of ['member', 'viewer']) await owner('PATCH', path, { role });
    await owner('PATCH', path, {});
    await owner('DELETE', path);
    const about = { workspaceId: home, userId: zoe.id, by: ada.id };
    const events = world.log.map((line) => JSON.parse(line)).filter(({ by }) => by !== undefined);
    expect(events).toMatchObject([
      { event: 'role-changed', role: 'viewer', ...about },
      { event: 'member-removed', ...about },
    ]);
  });

  it('leave exactly one owner however many hand-overs race', async () => {
    const [one, two] = [await join('member'), await join('member')];
    const responses = await Promise.all([one, two].map((person) => handOver(person)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    expect(Object.values(await rolesOf()).toSorted()).toEqual(['admin', 'member', 'owner']);
  });
});

describe('membership', () => {
  it('ends by leaving, or by an admin, at once', async () => {
    const [zoe, bob] = [await join('viewer'), await join('member')];
    expect((await as(world, zoe)('DELETE', at(`/members/${bob.id}`))).status).toBe(403);
    expect((await as(world, bob)('DELETE', at(`/members/${zoe.id}`))).status).toBe(403);
    expect((await as(world, zoe)('DELETE', at(`/members/${zoe.id}`))).status).toBe(204);
    expect((await as(world, zoe)('GET', at())).status).toBe(403);
    expect((await owner('DELETE', at(`/members/${bob.id}`))).status).toBe(204);
    expect((await as(world, bob)('GET', at())).status).toBe(403);
    expect((await owner('DELETE', at(`/members/${bob.id}`))).status).toBe(404);
    expect((await owner('GET', at())).body.memberCount).toBe(1);
  });

  it('takes the open tasks with it, and so does becoming a viewer', async () => {
    const [list] = (await owner('GET', at('/lists'))).body.items;
    const done = list.statuses[2].id;
    for (const end of ['removed', 'viewer']) {
      const zoe = await join('member');
      const task = { title: 'T', listId: list.id, assigneeId: zoe.id };
      const open = (await owner('POST', at('/tasks'), task)).body;
      const closed = (await owner('POST', at('/tasks'), { ...task, statusId: done })).body;
      const path = at(`/members/${zoe.id}`);
      world.clock.advance(SECOND);
      if (end === 'removed') await owner('DELETE', path);
      else await owner('PATCH', path, { role: 'viewer' });
      const updatedAt = toInstant(world.clock.now());
      expect((await owner('GET', at(`/tasks/${open.id}`))).body).toEqual({
        ...open,
        assigneeId: null,
        updatedAt,
        version: open.version + 1,
      });
      expect((await owner('GET', at(`/tasks/${closed.id}`))).body.assigneeId).toBe(zoe.id);
    }
  });

  it('takes no task or series of anyone else, and none of that person elsewhere', async () => {
    const assignedIn = async (workspaceId: string, assigneeId: string, status: number) => {
      const [list] = (await owner('GET', at('/lists', workspaceId))).body.items;
      const statusId = list.statuses[status].id;
      const task = { title: 'T', listId: list.id, assigneeId, statusId };
      return (await owner('POST', at('/tasks', workspaceId), task)).body;
    };
    const seriesOf = async (assigneeId: string) => {
      const [list] = (await owner('GET', at('/lists'))).body.items;
      const series = { title: 'S', listId: list.id, assigneeId, interval: DAILY };
      return (await owner('POST', at('/recurring-tasks'), series)).body;
    };
    const other = (await owner('POST', '/workspaces', { title: 'Club' })).body.id;
    for (const end of ['removed', 'viewer']) {
      const [zoe, bob] = [await join('member'), await join('member')];
      await addMember(world, ada, other, zoe, 'member');
      const kept = [await assignedIn(home, bob.id, 0), await assignedIn(other, zoe.id, 0)];
      const begun = await assignedIn(home, zoe.id, 1);
      const [theirs, bobs] = [await seriesOf(zoe.id), await seriesOf(bob.id)];
      const path = at(`/members/${zoe.id}`);
      world.clock.advance(SECOND);
      if (end === 'removed') await owner('DELETE', path);
      else await owner('PATCH', path, { role: 'viewer' });
      for (const task of kept)
        expect((await owner('GET', at(`/tasks/${task.id}`, task.workspaceId))).body).toEqual(task);
      expect((await owner('GET', at(`/tasks/${begun.id}`))).body.assigneeId).toBeNull();
      expect((await owner('GET', at(`/recurring-tasks/${theirs.id}`))).body).toMatchObject({
        assigneeId: null,
        updatedAt: toInstant(world.clock.now()),
      });
      expect((await owner('GET', at(`/recurring-tasks/${bobs.id}`))).body).toEqual(bobs);
    }
  });
});
