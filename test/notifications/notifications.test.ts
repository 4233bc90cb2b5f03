import { describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { DAY, SECOND, toInstant } from '../../src/kernel/instants.ts';
import { notify } from '../../src/notifications/notify.ts';
import { tick } from '../../src/tick.ts';
import { ada, home, call as mine, useHome, world } from '../ada.ts';
import { as, invite, joined } from '../people.ts';
import type { Person } from '../world.ts';

useHome();

const tell = (person: Person, title: string, actorId: string | null = null) =>
  world.deps.write((tx) => {
    const notice = { type: 'task.due', actorId, workspaceId: home, title, body: 'B', data: {} } as const;
    notify(tx, [person.id], notice, toInstant(world.clock.now()));
  });
const noticesOf = async (person: Person, filter = '') =>
  (await as(world, person)('GET', `/me/notifications${filter}`)).body;
const typesOf = async (person: Person) =>
  (await noticesOf(person)).items.map(({ type }: { type: string }) => type);

describe('notifications', () => {
  it('come newest first, in pages, and only the unread on request', async () => {
    for (const title of ['A', 'B', 'C']) {
      await tell(ada, title);
      world.clock.advance(SECOND);
    }
    const { items, ...page } = await noticesOf(ada);
    expect(page).toEqual({ page: 1, limit: 50, total: 3 });
    expect(items.map(({ title }: { title: string }) => title)).toEqual(['C', 'B', 'A']);
    expect(items[0]).toEqual({
      id: expect.any(String),
      type: 'task.due',
      title: 'C',
      body: 'B',
      data: { workspaceId: home },
      readAt: null,
      createdAt: '2026-03-27T10:00:02.000Z',
    });
    const read = await mine('POST', `/me/notifications/${items[1].id}/read`);
    expect([read.status, read.body]).toEqual([200, { ...items[1], readAt: '2026-03-27T10:00:03.000Z' }]);
    const unread = await noticesOf(ada, '?unread=true&limit=1&page=2');
    expect([unread.total, unread.items]).toEqual([2, [items[2]]]);
    expect((await noticesOf(ada, '?unread=false')).total).toBe(3);
    expect((await mine('GET', '/me/notifications?unread=1')).body.issues[0].path).toBe('unread');
  });

  it('keep the instant of the first reading', async () => {
    await tell(ada, 'A');
    await tell(ada, 'B');
    const [{ id }] = (await noticesOf(ada)).items;
    const first = (await mine('POST', `/me/notifications/${id}/read`)).body;
    world.clock.advance(SECOND);
    expect((await mine('POST', `/me/notifications/${id}/read`)).body).toEqual(first);
    expect(await mine('POST', '/me/notifications/read-all')).toMatchObject({ status: 204, body: undefined });
    expect((await noticesOf(ada, '?unread=true')).total).toBe(0);
    expect((await noticesOf(ada)).items.map(({ readAt }: { readAt: string }) => readAt).toSorted()).toEqual([
      '2026-03-27T10:00:00.000Z',
      '2026-03-27T10:00:01.000Z',
    ]);
  });

  it('are deleted one at a time', async () => {
    for (const title of ['A', 'B', 'C']) await tell(ada, title);
    const [{ id }, ...others] = (await noticesOf(ada)).items;
    expect((await mine('DELETE', `/me/notifications/${id}`)).status).toBe(204);
    expect((await noticesOf(ada)).items).toEqual(others);
  });

  it('are their owner’s alone', async () => {
    await tell(ada, 'A');
    const [{ id }] = (await noticesOf(ada)).items;
    const eve = await world.signUp();
    const hers = as(world, eve);
    expect((await noticesOf(eve)).total).toBe(0);
    expect((await hers('POST', `/me/notifications/${id}/read`)).status).toBe(404);
    expect((await hers('DELETE', `/me/notifications/${id}`)).status).toBe(404);
    await hers('POST', '/me/notifications/read-all');
    expect((await noticesOf(ada, '?unread=true')).total).toBe(1);
    expect((await mine('DELETE', `/me/notifications/${id}`)).status).toBe(204);
    expect((await mine('DELETE', `/me/notifications/${id}`)).status).toBe(404);
  });

  it('stay 90 days after they were read, and for ever until then', async () => {
    await tell(ada, 'Read');
    await mine('POST', '/me/notifications/read-all');
    await tell(ada, 'Unread');
    const titles = () =>
      world.deps.read
        .all(query.selectFrom('notifications').select('title').orderBy('title'))
        .map(({ title }) => title);
    world.clock.advance(90 * DAY - 1);
    await tick(world.deps);
    expect(titles()).toEqual(['Read', 'Unread']);
    world.clock.advance(1);
    await tick(world.deps);
    expect(titles()).toEqual(['Unread']);
  });

  it('never tell of one’s own act, and go with the account they tell of', async () => {
    const eve = await world.signUp();
    await tell(ada, 'Mine', ada.id);
    await tell(ada, 'Hers', eve.id);
    expect((await noticesOf(ada)).total).toBe(1);
    const other = (await mine('POST', '/workspaces', { title: 'Other' })).body.id;
    await mine('DELETE', `/workspaces/${other}`);
    expect((await noticesOf(ada)).total).toBe(1);
    const zoe = await joined(world, ada, home, 'member');
    await tell(zoe, 'About the workspace');
    await mine('DELETE', `/workspaces/${home}`);
    expect([(await noticesOf(ada)).total, (await noticesOf(zoe)).total]).toEqual([0, 0]);
  });
});

describe('of workspaces', () => {
  it('an invitation tells the invited account, if there is one', async () => {
    const zoe = await world.signUp('zoe@example.com');
    await invite(world, ada, home, 'zoe@example.com', 'viewer');
    await invite(world, ada, home, 'nobody@example.com', 'viewer');
    const { total, items } = await noticesOf(zoe);
    expect(total).toBe(1);
    expect(items[0]).toMatchObject({
      type: 'workspace.invited',
      title: "You are invited to Ada's workspace",
      body: expect.stringMatching(/^Ada invites you to Ada's workspace as a viewer\./),
      data: { workspaceId: home, invitationId: expect.any(String), userId: ada.id, role: 'viewer' },
    });
  });

  it('an invitation that names someone goes with their account', async () => {
    const [admin, zoe] = [await joined(world, ada, home, 'admin'), await world.signUp()];
    await invite(world, admin, home, zoe.email, 'viewer');
    expect(await typesOf(zoe)).toEqual(['workspace.invited']);
    await as(world, admin)('DELETE', '/auth/me', { password: admin.password });
    expect(await typesOf(zoe)).toEqual([]);
  });

  it('a new member tells owner and admins, not themself nor others', async () => {
    const [admin, member] = [
      await joined(world, ada, home, 'admin'),
      await joined(world, ada, home, 'member'),
    ];
    const before = await Promise.all([ada, admin, member].map(typesOf));
    const added = 'workspace.member_added';
    expect(before).toEqual([[added, added], [added, 'workspace.invited'], ['workspace.invited']]);
    const second = await joined(world, admin, home, 'admin', 'Zoe');
    expect((await noticesOf(ada)).items[0]).toMatchObject({
      type: added,
      title: "Zoe joined Ada's workspace",
      body: "Zoe accepted an invitation to Ada's workspace as an admin.",
      data: { workspaceId: home, userId: second.id, role: 'admin' },
    });
    expect((await typesOf(admin)).length).toBe(3);
    expect(await typesOf(member)).toEqual(['workspace.invited']);
    expect(await typesOf(second)).toEqual(['workspace.invited']);
  });
});

describe('notices of a task that is assigned again and again', () => {
  it('are one while it is unread, and go with the membership, unlike those that were read', async () => {
    const [bob, zoe] = [await joined(world, ada, home, 'member'), await joined(world, ada, home, 'member')];
    const { id: listId } = (await mine('GET', `/workspaces/${home}/lists`)).body.items[0];
    const tasks: string[] = [];
    for (const title of ['A', 'B']) {
      const task = { title, listId, assigneeId: zoe.id };
      tasks.push((await mine('POST', `/workspaces/${home}/tasks`, task)).body.id);
    }
    for (let i = 0; i < 5; i += 1) {
      for (const task of tasks) {
        await mine('PATCH', `/workspaces/${home}/tasks/${task}`, { assigneeId: bob.id });
        await mine('PATCH', `/workspaces/${home}/tasks/${task}`, { assigneeId: null });
      }
    }
    const assigned = async () => {
      const { items } = await noticesOf(bob);
      return items.filter(({ type }: { type: string }) => type === 'task.assigned');
    };
    expect(await assigned()).toMatchObject([{ body: 'B' }, { body: 'A' }]);
    const [{ id: read }] = await assigned();
    await as(world, bob)('POST', `/me/notifications/${read}/read`);
    await mine('PATCH', `/workspaces/${home}/tasks/${tasks[1]}`, { assigneeId: bob.id });
    expect(await assigned()).toMatchObject([{ body: 'B', readAt: null }, { id: read }, { body: 'A' }]);
    expect((await as(world, bob)('DELETE', `/workspaces/${home}/members/${bob.id}`)).status).toBe(204);
    expect(await assigned()).toMatchObject([{ id: read }]);
    expect((await noticesOf(bob, '?unread=true')).total).toBe(0);
    expect(await typesOf(zoe)).toEqual(['task.assigned', 'task.assigned', 'workspace.invited']);
  });

  it('are a thousand of a user at most, the newest', async () => {
    const bob = await joined(world, ada, home, 'member');
    await world.deps.write((tx) => {
      for (let i = 0; i < 1_003; i += 1) {
        const notice = {
          type: 'task.due',
          actorId: null,
          workspaceId: home,
          title: `${i}`,
          body: 'B',
        } as const;
        notify(tx, [ada.id], { ...notice, data: {} }, toInstant(world.clock.now() + i));
      }
    });
    const { items, total } = await noticesOf(ada);
    expect([total, items[0].title]).toEqual([1_000, '1002']);
    expect(await typesOf(bob)).toEqual(['workspace.invited']);
  });
});
