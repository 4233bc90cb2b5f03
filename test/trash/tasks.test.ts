import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { DAY, MINUTE } from '../../src/kernel/instants.ts';
import { tick } from '../../src/tick.ts';
import { purgeTrash } from '../../src/trash/purge.ts';
import { ada, at, call, list, openHomeInstead, reopen, useHome, home as workspace, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as, type Call, joined, pathsOf, signInAgain } from '../people.ts';
import type { Person } from '../world.ts';

let bob: Person;
let asBob: Call;
useHome();
beforeEach(async () => {
  bob = await joined(world, ada, workspace, 'member', 'Bob');
  asBob = as(world, bob);
});
afterEach(() => expectIntegrity(world));

const status = (type: string) => list.statuses.find((one) => one.type === type)?.id;
const make = async (more: object = {}) =>
  (await call('POST', at('/tasks'), { title: 'Milk', listId: list.id, ...more })).body;
const trash = async (by = call) => (await by('GET', at('/trash'))).body;
/** How much the trash holds, however long ago Ada signed in. */
const totalNow = async (): Promise<number> => {
  await signInAgain(world, ada);
  return (await trash()).total;
};
const restore = (id: string, body?: object, by = call) => by('POST', at(`/trash/${id}/restore`), body);
const read = async (id: string) => (await call('GET', at(`/tasks/${id}`))).body;
const statuses = [
  { title: 'New', type: 'unstarted' },
  { title: 'Doing', type: 'started' },
  { title: 'Over', type: 'completed' },
];
const template = async (given: object[]) =>
  (await call('POST', at('/status-templates'), { title: 'Other', statuses: given })).body;
const listOf = async (statusTemplateId: string): Promise<string> =>
  (await call('POST', at('/lists'), { spaceId: list.spaceId, title: 'O', statusTemplateId })).body.id;

describe('a deleted task', () => {
  it('is in the trash, and comes back field by field, with comments, labels, ticks, number and place', async () => {
    const label = (await call('POST', at('/labels'), { title: 'Shop' })).body.id;
    const before = await make({ title: 'First' });
    const task = await make({
      description: 'Two litres',
      priority: 'high',
      statusId: status('started'),
      assigneeId: bob.id,
      startDate: '2026-03-28T10:00:00.000Z',
      dueDate: '2026-03-29T10:00:00.000Z',
      labelIds: [label],
      checklist: [{ title: 'Bag', isDone: true }, { title: 'Purse' }],
      position: 12.345678901234567,
    });
    const after = await make({ title: 'Last' });
    await asBob('POST', at(`/tasks/${task.id}/comments`), { body: `[@Ada](errand:user/${ada.id}) oat?` });
    const whole = await read(task.id);
    const comments = (await call('GET', at(`/tasks/${task.id}/comments`))).body;
    const order = (await call('GET', at('/tasks'))).body;
    expect((await asBob('DELETE', at(`/tasks/${task.id}`))).status).toBe(204);
    expect((await call('GET', at(`/tasks/${task.id}`))).status).toBe(404);
    expect((await call('GET', at(`/tasks/by-number/${task.number}`))).status).toBe(404);
    expect((await call('GET', at('/tasks/search?q=oat'))).body.total).toBe(0);
    expect((await call('GET', at('/tasks'))).body.items.map(({ id }: { id: string }) => id)).toEqual(
      [before, after].map(({ id }) => id),
    );
    expect(await trash()).toEqual({
      items: [
        {
          id: task.id,
          kind: 'task',
          title: 'Milk',
          deletedAt: '2026-03-27T10:00:00.000Z',
          deletedBy: bob.id,
          purgeAt: '2026-04-26T10:00:00.000Z',
          itemCount: 1,
        },
      ],
      page: 1,
      limit: 50,
      total: 1,
    });
    const newest = await make({ title: 'Newest' });
    expect(newest.number).toBe(after.number + 1);
    const back = await restore(task.id);
    const raised = { ...whole, version: whole.version + 1 };
    expect([back.status, back.body]).toEqual([200, raised]);
    expect(back.headers.get('etag')).toMatch(new RegExp(`-${raised.version}"$`));
    expect(await read(task.id)).toEqual(raised);
    expect((await call('GET', at(`/tasks/${task.id}/comments`))).body).toEqual(comments);
    expect((await call('GET', at('/tasks'))).body.items).toEqual(
      [...order.items, newest].map((one) => (one.id === task.id ? raised : one)),
    );
    expect((await call('GET', at('/tasks/search?q=oat'))).body.total).toBe(1);
    expect((await call('GET', at('/tasks/search?q=purse'))).body.total).toBe(1);
    expect((await call('GET', at(`/tasks?labelId=${label}`))).body.total).toBe(1);
    expect((await trash()).total).toBe(0);
    expect((await restore(task.id)).status).toBe(404);
  });

  it('is gone at once where that is asked for, or where there is no trash', async () => {
    const task = await make();
    const wrong = await call('DELETE', at(`/tasks/${task.id}?permanent=yes`));
    expect([wrong.status, wrong.body.issues[0].path]).toEqual([400, 'permanent']);
    expect((await call('DELETE', at(`/tasks/${task.id}?permanent=true`))).status).toBe(204);
    expect((await trash()).total).toBe(0);
    await openHomeInstead({ settings: { trash: { keep_days: 0 } } });
    expect((await call('DELETE', at(`/tasks/${(await make()).id}`))).status).toBe(204);
    expect((await trash()).total).toBe(0);
  });

  it('is changed for those who follow: deleted, then put', async () => {
    const task = await make();
    const { cursor } = (await call('GET', at('/changes?limit=1000'))).body;
    await call('DELETE', at(`/tasks/${task.id}`));
    const deleted = (await call('GET', at(`/changes?cursor=${cursor}`))).body;
    expect(deleted.items).toEqual([{ kind: 'task', op: 'delete', id: task.id }]);
    await restore(task.id);
    const put = (await call('GET', at(`/changes?cursor=${deleted.cursor}`))).body;
    expect(put.items).toEqual([{ kind: 'task', op: 'put', id: task.id, value: await read(task.id) }]);
  });

  it('comes back to the list that is named, in the status of a move', async () => {
    const task = await make({ statusId: status('started') });
    const other = await template(statuses);
    const otherId = await listOf(other.id);
    await make({ listId: otherId });
    await call('DELETE', at(`/tasks/${task.id}`));
    for (const listId of [newId(0), 'x']) {
      const wrong = await restore(task.id, { listId });
      expect([wrong.status, pathsOf(wrong.body)]).toEqual([400, ['listId']]);
    }
    const back = (await restore(task.id, { listId: otherId })).body;
    expect(back).toEqual({
      ...task,
      listId: otherId,
      statusId: other.statuses[1].id,
      position: 2048,
      version: 2,
    });
  });

  it('needs a list when its own is gone, and loses what is gone by then', async () => {
    const label = (await call('POST', at('/labels'), { title: 'Shop' })).body.id;
    const kept = (await call('POST', at('/labels'), { title: 'Kept' })).body.id;
    const other = (await call('POST', at('/lists'), { spaceId: list.spaceId, title: 'O' })).body;
    const task = await make({ listId: other.id, assigneeId: bob.id, labelIds: [label, kept] });
    await asBob('POST', at(`/tasks/${task.id}/comments`), { body: 'Oat' });
    await call('DELETE', at(`/tasks/${task.id}`));
    await call('DELETE', at(`/labels/${label}`));
    await call('DELETE', at(`/members/${bob.id}`));
    await call('DELETE', at(`/lists/${other.id}?permanent=true`));
    const none = await restore(task.id);
    expect([none.status, none.body.issues[0].path]).toEqual([400, 'listId']);
    const back = (await restore(task.id, { listId: list.id })).body;
    expect(back).toMatchObject({ listId: list.id, labelIds: [kept], assigneeId: null, commentCount: 1 });
  });

  it('is restored by members, purged by who deleted it and by admins', async () => {
    const viewer = as(world, await joined(world, ada, workspace, 'viewer'));
    const mine = await make();
    const bobs = await make();
    await call('DELETE', at(`/tasks/${mine.id}`));
    await asBob('DELETE', at(`/tasks/${bobs.id}`));
    expect((await trash(viewer)).total).toBe(2);
    expect((await restore(mine.id, {}, viewer)).status).toBe(403);
    expect((await viewer('DELETE', at(`/trash/${mine.id}`))).status).toBe(403);
    expect((await asBob('DELETE', at(`/trash/${mine.id}`))).status).toBe(403);
    expect((await asBob('DELETE', at('/trash'))).status).toBe(403);
    expect((await asBob('DELETE', at(`/trash/${bobs.id}`))).status).toBe(204);
    expect((await asBob('DELETE', at(`/trash/${bobs.id}`))).status).toBe(404);
    const admin = as(world, await joined(world, ada, workspace, 'admin'));
    const another = await make();
    await asBob('DELETE', at(`/tasks/${another.id}`));
    expect((await admin('DELETE', at(`/trash/${another.id}`))).status).toBe(204);
    const eve = await world.signUp('eve@example.com', 'Eve');
    const home = (await as(world, eve)('GET', '/me/workspaces')).body.items[0].id;
    expect((await as(world, eve)('POST', `/workspaces/${home}/trash/${mine.id}/restore`)).status).toBe(404);
    expect((await call('DELETE', at(`/trash/${mine.id}`))).status).toBe(204);
    for (let i = 0; i < 3; i += 1) await call('DELETE', at(`/tasks/${(await make()).id}`));
    expect((await call('DELETE', at('/trash'))).status).toBe(204);
    expect((await trash()).total).toBe(0);
  });

  it('has ids that are taken, also those of its items and comments', async () => {
    const item = newId(0);
    const task = await make({ checklist: [{ id: item, title: 'Bag' }] });
    const comment = (await call('POST', at(`/tasks/${task.id}/comments`), { body: 'Oat' })).body.id;
    const expectTaken = async () => {
      for (const id of [task.id, item, comment]) {
        const taken = await call('POST', at('/tasks'), {
          title: 'X',
          listId: list.id,
          checklist: [{ id, title: 'X' }],
        });
        expect([taken.status, taken.body.issues[0].path]).toEqual([400, 'checklist.0.id']);
      }
    };
    await call('DELETE', at(`/tasks/${task.id}`));
    await expectTaken();
    await restore(task.id);
    await expectTaken();
  });

  it('is listed before those deleted earlier, also within one instant', async () => {
    const [first, second, third] = [await make(), await make(), await make()];
    for (const { id } of [first, second]) await call('DELETE', at(`/tasks/${id}`));
    world.clock.advance(MINUTE);
    await call('DELETE', at(`/tasks/${third.id}`));
    expect((await trash()).items.map(({ id }: { id: string }) => id)).toEqual(
      [third, second, first].map(({ id }) => id),
    );
  });

  describe('of a template that is changed meanwhile', () => {
    type Statuses = { id: string; title: string; type: string }[];
    const change = async (id: string, given: object[]) =>
      expect((await call('PATCH', at(`/status-templates/${id}`), { statuses: given })).status).toBe(200);

    it('comes back in its status under the new title, elsewhere in the one with its title', async () => {
      const { id, statuses: own }: { id: string; statuses: Statuses } = await template(statuses);
      const [unstarted, doing, over] = own;
      const listId = await listOf(id);
      const [here, elsewhere] = [
        await make({ listId, statusId: doing?.id }),
        await make({ listId, statusId: doing?.id }),
      ];
      for (const task of [here, elsewhere]) await call('DELETE', at(`/tasks/${task.id}`));
      const early = { title: 'Early', type: 'started' };
      await change(id, [unstarted, early, { ...doing, title: 'Busy' }, over] as object[]);
      expect((await restore(here.id)).body.statusId).toBe(doing?.id);
      const other = await template([early, ...statuses]);
      const back = (await restore(elsewhere.id, { listId: await listOf(other.id) })).body;
      expect(back.statusId).toBe(other.statuses.find(({ title }: { title: string }) => title === 'Doing').id);
    });

    it('is completed or open as the type of its status is by then', async () => {
      const { id, statuses: own }: { id: string; statuses: Statuses } = await template([
        ...statuses,
        { title: 'Away', type: 'completed' },
      ]);
      const [unstarted, doing, over, away] = own;
      const listId = await listOf(id);
      const [open, completed] = [
        await make({ listId, statusId: doing?.id }),
        await make({ listId, statusId: over?.id }),
      ];
      expect([open.completedAt, completed.completedAt]).toEqual([null, expect.any(String)]);
      for (const task of [open, completed]) await call('DELETE', at(`/tasks/${task.id}`));
      await change(id, [
        unstarted,
        { ...doing, type: 'completed' },
        { ...over, type: 'started' },
        away,
      ] as object[]);
      world.clock.advance(MINUTE);
      expect((await restore(open.id)).body).toMatchObject({
        statusId: doing?.id,
        completedAt: new Date(world.clock.now()).toISOString(),
      });
      expect((await restore(completed.id)).body).toMatchObject({ statusId: over?.id, completedAt: null });
    });
  });

  it('tells nobody of what fell due meanwhile', async () => {
    await tick(world.deps);
    const due = [{ dueDate: '2026-03-27T10:05:00.000Z' }, { dueDay: '2026-03-28' }];
    const tasks = await Promise.all(due.map((when) => make({ assigneeId: bob.id, ...when })));
    for (const { id } of tasks) await call('DELETE', at(`/tasks/${id}`));
    world.clock.advance(2 * DAY);
    await signInAgain(world, ada);
    for (const { id } of tasks) expect((await restore(id)).status).toBe(200);
    await tick(world.deps);
    await signInAgain(world, bob);
    const told = (await asBob('GET', '/me/notifications')).body.items;
    expect(told.map(({ type }: { type: string }) => type)).not.toContain('task.due');
  });

  it('tells nobody of a day that fell due meanwhile, though its assignee goes west', async () => {
    await tick(world.deps);
    const task = await make({ assigneeId: bob.id, dueDay: '2026-03-28' });
    await call('DELETE', at(`/tasks/${task.id}`));
    world.clock.set(Date.parse('2026-03-28T09:01:00Z'));
    await tick(world.deps);
    for (const who of [ada, bob]) await signInAgain(world, who);
    await restore(task.id);
    expect((await asBob('PATCH', '/me', { timezone: 'Pacific/Honolulu' })).status).toBe(200);
    world.clock.set(Date.parse('2026-03-28T19:01:00Z'));
    await tick(world.deps);
    await signInAgain(world, bob);
    const told = (await asBob('GET', '/me/notifications')).body.items;
    expect(told.map(({ type }: { type: string }) => type)).not.toContain('task.due');
  });

  it('is told of on the day it is due where it came back before the hour of that', async () => {
    await tick(world.deps);
    const task = await make({ assigneeId: bob.id, dueDay: '2026-03-28' });
    await call('DELETE', at(`/tasks/${task.id}`));
    world.clock.set(Date.parse('2026-03-28T06:00:00Z'));
    await signInAgain(world, ada);
    await restore(task.id);
    world.clock.set(Date.parse('2026-03-28T09:00:00Z'));
    await tick(world.deps);
    await signInAgain(world, bob);
    const told = (await asBob('GET', '/me/notifications')).body.items;
    expect(told.map(({ type }: { type: string }) => type)).toContain('task.due');
  });

  it('is purged when its time is over, a day later where the clock jumped', async () => {
    const task = await make();
    await call('DELETE', at(`/tasks/${task.id}`));
    await tick(world.deps);
    world.clock.advance(30 * DAY + 1);
    await signInAgain(world, ada);
    for (let minute = 0; minute < 2; minute += 1) {
      await tick(world.deps);
      expect((await trash()).total).toBe(1);
      world.clock.advance(MINUTE);
    }
    world.clock.advance(DAY - 2 * MINUTE - 1);
    await signInAgain(world, ada);
    await tick(world.deps);
    expect((await trash()).total).toBe(1);
    world.clock.advance(1);
    await tick(world.deps);
    expect((await trash()).total).toBe(0);
    const other = await make();
    await call('DELETE', at(`/tasks/${other.id}`));
    for (let day = 0; day < 30; day += 1) {
      expect(await totalNow()).toBe(1);
      world.clock.advance(DAY);
      await tick(world.deps);
    }
    expect(await totalNow()).toBe(0);
    expect((await restore(other.id)).status).toBe(404);
  });

  it('is purged a day later where the first purge of all finds that the clock jumped', async () => {
    await call('DELETE', at(`/tasks/${(await make()).id}`));
    for (const [days, total] of [
      [31, 1],
      [1, 0],
    ] as const) {
      world.clock.advance(days * DAY);
      await tick(world.deps);
      expect(await totalNow()).toBe(total);
    }
  });

  it('is purged in time though the clock was far ahead once', async () => {
    const now = world.clock.now();
    await call('DELETE', at(`/tasks/${(await make()).id}`));
    for (const days of [0, 1_000, ...Array(30).keys()]) {
      world.clock.set(now + days * DAY);
      await tick(world.deps);
    }
    expect(await totalNow()).toBe(1);
    world.clock.advance(DAY);
    await tick(world.deps);
    expect(await totalNow()).toBe(0);
  });

  it('is purged at its own instant, whatever was deleted before it', async () => {
    const [kept, purged] = [await make(), await make()];
    await tick(world.deps);
    await call('DELETE', at(`/tasks/${kept.id}`));
    const { config } = world.deps;
    Object.assign(world.deps, { config: { ...config, trash: { ...config.trash, keep_days: 1 } } });
    await call('DELETE', at(`/tasks/${purged.id}`));
    world.clock.advance(DAY);
    await tick(world.deps);
    await signInAgain(world, ada);
    expect((await trash()).items).toMatchObject([{ id: kept.id }]);
  });

  it('is not restored while a quota is exceeded, which the trash counts to', async () => {
    await openHomeInstead({ settings: { quotas: { tasks: 2 } } });
    const [one, two] = [await make(), await make()];
    await call('DELETE', at(`/tasks/${one.id}`));
    expect((await call('POST', at('/tasks'), { title: 'X', listId: list.id })).status).toBe(403);
    expect((await restore(one.id)).status).toBe(200);
    await call('DELETE', at(`/tasks/${two.id}`));
    await reopen({ settings: { quotas: { tasks: 1 } } });
    const rejected = await restore(two.id);
    expect([rejected.status, rejected.body.error]).toEqual([403, 'ForbiddenError']);
    expect(rejected.body.message).toContain('quotas.tasks');
  });

  it('forgets an account that is deleted', async () => {
    const task = await make({ assigneeId: bob.id });
    await asBob('POST', at(`/tasks/${task.id}/comments`), { body: 'Mine' });
    await call('POST', at(`/tasks/${task.id}/comments`), { body: `[@B](errand:user/${bob.id}) oat?` });
    const made = (await asBob('POST', at('/tasks'), { title: 'His', listId: list.id })).body;
    const said = (await call('GET', at(`/tasks/${task.id}/comments`))).body.items;
    const { cursor } = (await call('GET', at('/changes'))).body;
    await asBob('DELETE', at(`/tasks/${task.id}`));
    await asBob('DELETE', at(`/tasks/${made.id}`));
    await asBob('DELETE', '/auth/me', { password: bob.password });
    expect((await trash()).items.map(({ deletedBy }: { deletedBy: string | null }) => deletedBy)).toEqual([
      null,
      null,
    ]);
    const rows = world.values('select content from trash_rows');
    expect(rows.join()).not.toContain(bob.id);
    expect((await restore(task.id)).body).toMatchObject({ assigneeId: null, commentCount: 2 });
    expect((await restore(made.id)).body.creatorId).toBeNull();
    const { items } = (await call('GET', at(`/tasks/${task.id}/comments`))).body;
    expect(items.map(({ authorId }: { authorId: string | null }) => authorId)).toEqual([null, ada.id]);
    expect(items[1].mentionedUserIds).toEqual([]);
    // Who kept the comments meanwhile is told of what became of them.
    const told: { kind: string; value?: unknown }[] = [];
    for (let page = { cursor, hasMore: true }; page.hasMore; ) {
      const { body } = await call('GET', at(`/changes?cursor=${page.cursor}`));
      told.push(...body.items);
      page = body;
    }
    const changed = told.filter(({ kind }) => kind === 'comment');
    expect(changed.map(({ value }) => value)).toEqual(items);
    for (const [i, { version }] of said.entries()) expect(items[i].version).toBeGreaterThan(version);
  });

  it('goes for good with a hundred others in a commit, at once or in time', async () => {
    const remove = async () => {
      for (let made = 0; made < 250; made += 50) {
        const create = { op: 'create', title: 'Milk', listId: list.id };
        const { results } = (await call('POST', at('/tasks/batch'), { operations: Array(50).fill(create) }))
          .body;
        const operations = results.map(({ task: { id } }: { task: { id: string } }) => ({
          op: 'delete',
          id,
        }));
        await call('POST', at('/tasks/batch'), { operations });
      }
      expect((await trash()).total).toBe(250);
    };
    await remove();
    expect(await world.commitsOf(() => call('DELETE', at('/trash')))).toBeLessThan(10);
    expect((await trash()).total).toBe(0);
    await remove();
    for (let day = 0; day < 30; day += 1) {
      await purgeTrash(world.deps);
      world.clock.advance(DAY);
    }
    expect(await world.commitsOf(() => purgeTrash(world.deps))).toBeLessThan(10);
    expect(await totalNow()).toBe(0);
  });

  it('stays where the trash of another workspace is emptied', async () => {
    const task = await make();
    await call('DELETE', at(`/tasks/${task.id}`));
    const { id } = (await call('POST', '/workspaces', { title: 'Other' })).body;
    const [there] = (await call('GET', `/workspaces/${id}/lists`)).body.items;
    expect((await call('DELETE', `/workspaces/${id}/lists/${there.id}`)).status).toBe(204);
    expect((await call('DELETE', `/workspaces/${id}/trash`)).status).toBe(204);
    expect((await call('GET', `/workspaces/${id}/trash`)).body.total).toBe(0);
    expect((await trash()).items).toMatchObject([{ id: task.id }]);
    expect((await restore(task.id)).status).toBe(200);
  });

  it('goes with its workspace', async () => {
    const { id } = (await call('POST', '/workspaces', { title: 'Other' })).body;
    const lists = (await call('GET', `/workspaces/${id}/lists`)).body.items;
    for (let i = 0; i < 30; i += 1) {
      const { body } = await call('POST', `/workspaces/${id}/tasks`, { title: 'X', listId: lists[0].id });
      await call('DELETE', `/workspaces/${id}/tasks/${body.id}`);
    }
    expect((await call('DELETE', `/workspaces/${id}`)).status).toBe(204);
    expect(world.count('trash_rows')).toBe(0);
  });
});
