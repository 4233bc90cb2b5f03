import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { useOf } from '../../src/storage/quotas.ts';
import { allowancesOf } from '../../src/workspaces/quotas.ts';
import { ada, call, home, inside, listId, openHomeInstead, spaceId, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as, homeOf, joined, signInAgain } from '../people.ts';
import { DAILY } from '../series-world.ts';

const withQuotas = (quotas: Record<string, number>) => openHomeInstead({ settings: { quotas } });
const addTask = (title = 'T', more: Record<string, unknown> = {}) =>
  call('POST', `${inside}/tasks`, { title, listId, ...more });
const addSeries = (more: Record<string, unknown> = {}) =>
  call('POST', `${inside}/recurring-tasks`, { title: 'S', listId, interval: DAILY, ...more });
const expectRejected = ({ status, body }: { status: number; body: unknown }, quota: string) => {
  expect(status).toBe(403);
  expect(body).toMatchObject({
    error: 'ForbiddenError',
    message: expect.stringContaining(`quotas.${quota}`),
  });
};
const use = () => useOf(world.deps.read, ada.id);

describe('the quota of tasks', () => {
  it('is of all workspaces of an owner, by anyone who adds to them, and deletions free it', async () => {
    await withQuotas({ tasks: 3 });
    const bob = await joined(world, ada, home, 'member');
    const other = `/workspaces/${(await call('POST', '/workspaces', { title: 'Other' })).body.id}`;
    const otherList = (await call('GET', `${other}/lists`)).body.items[0].id;
    const { body: first } = await addTask();
    expect((await as(world, bob)('POST', `${inside}/tasks`, { title: 'T', listId })).status).toBe(201);
    expect((await call('POST', `${other}/tasks`, { title: 'T', listId: otherList })).status).toBe(201);
    expectRejected(await addTask(), 'tasks');
    expectRejected(await as(world, bob)('POST', `${inside}/tasks`, { title: 'T', listId }), 'tasks');
    expectRejected(await call('POST', `${other}/tasks`, { title: 'T', listId: otherList }), 'tasks');
    const theirs = `/workspaces/${await homeOf(world, bob)}`;
    const theirList = (await as(world, bob)('GET', `${theirs}/lists`)).body.items[0].id;
    expect((await as(world, bob)('POST', `${theirs}/tasks`, { title: 'T', listId: theirList })).status).toBe(
      201,
    );
    expect((await call('PATCH', `${inside}/tasks/${first.id}`, { title: 'Still changed' })).status).toBe(200);
    expect((await call('DELETE', `${inside}/tasks/${first.id}?permanent=true`)).status).toBe(204);
    expect((await addTask()).status).toBe(201);
    expectRejected(await addTask(), 'tasks');
    expect((await call('DELETE', other)).status).toBe(204);
    expect((await addTask()).status).toBe(201);
    expect(use().tasks).toBe(3);
    expectIntegrity(world);
  });

  it('never rejects what a series makes, nor that a workspace is handed over, and counts both', async () => {
    await withQuotas({ tasks: 3 });
    const bob = await joined(world, ada, home, 'admin');
    const { body: series } = await addSeries({ catchUp: 'all' });
    world.clock.advance(5 * DAY);
    for (const person of [ada, bob]) await signInAgain(world, person);
    expect((await call('GET', `${inside}/recurring-tasks/${series.id}`)).status).toBe(200);
    expect(use().tasks).toBe(6);
    expectRejected(await addTask(), 'tasks');
    expect(
      (await call('PATCH', `${inside}/members/${bob.id}`, { role: 'owner', password: ada.password })).status,
    ).toBe(200);
    expect([use().tasks, useOf(world.deps.read, bob.id).tasks]).toEqual([0, 6]);
    expectRejected(await addTask(), 'tasks');
    const { body: own } = await call('POST', '/workspaces', { title: 'Own' });
    const [list] = (await call('GET', `/workspaces/${own.id}/lists`)).body.items;
    expect((await call('POST', `/workspaces/${own.id}/tasks`, { title: 'T', listId: list.id })).status).toBe(
      201,
    );
  });

  it('is of who owns the workspace when something is added, not when it was asked for', async () => {
    await withQuotas({ tasks: 1 });
    const bob = await joined(world, ada, home, 'admin');
    const eve = await joined(world, ada, home, 'member');
    const full = `/workspaces/${await homeOf(world, bob)}`;
    const [list] = (await as(world, bob)('GET', `${full}/lists`)).body.items;
    const own = await as(world, bob)('POST', `${full}/tasks`, { title: 'T', listId: list.id });
    expect(own.status).toBe(201);
    const { write } = world.deps;
    const handedOver = Promise.withResolvers<void>();
    world.deps.write = async (job, from) => {
      if (from?.userId === eve.id) await handedOver.promise;
      return write(job, from);
    };
    const late = as(world, eve)('POST', `${inside}/tasks`, { title: 'T', listId });
    const handOver = { role: 'owner', password: ada.password };
    expect((await call('PATCH', `${inside}/members/${bob.id}`, handOver)).status).toBe(200);
    handedOver.resolve();
    expectRejected(await late, 'tasks');
  });

  it('is exact when many are added at the same time', async () => {
    await withQuotas({ tasks: 20 });
    const responses = await Promise.all(Array.from({ length: 40 }, () => addTask()));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(use().tasks).toBe(20);
  });

  it('holds as well for an owner who was far from it a moment ago', async () => {
    await withQuotas({ tasks: 40_000 });
    const added = async () => {
      const { status } = await addTask();
      return status;
    };
    expect(await added()).toBe(201);
    const room = allowancesOf(world.deps).get(ada.id);
    expect(room?.tasks).toBeLessThan(10_000);
    world.opened.storage.writing.exec(`update task_counts set n = n + 39998 where field = 'all'`);
    expect(await added()).toBe(201);
    world.clock.advance(10_001);
    expect(await added()).toBe(403);
  });

  it('is none where it is 0', async () => {
    await withQuotas({ tasks: 0, megabytes: 0, lists: 0, spaces: 0, status_templates: 0, series: 0 });
    expect((await addTask()).status).toBe(201);
    expect((await addSeries()).status).toBe(201);
    expect((await call('POST', `${inside}/spaces`, { title: 'S' })).status).toBe(201);
    expect((await call('POST', `${inside}/status-templates`, { title: 'S' })).status).toBe(201);
  });
});

describe('the quota of megabytes', () => {
  const LONG = 'あ'.repeat(50_000);

  it('counts the UTF-8 bytes of titles and descriptions, and rejects only what adds some', async () => {
    await withQuotas({ megabytes: 1 });
    const before = use().bytes;
    const ids: string[] = [];
    for (let i = 0; i < 6; i += 1) ids.push((await addTask('T', { description: LONG })).body.id);
    expect(use().bytes - before).toBe(6 * (1 + 150_000));
    expectRejected(await addTask('T', { description: LONG }), 'megabytes');
    const { body: small } = await addTask('Small');
    const path = `${inside}/tasks/${small.id}`;
    expectRejected(await call('PATCH', path, { description: LONG }), 'megabytes');
    expect((await call('PATCH', path, { title: 'é' })).status).toBe(200);
    expect(use().bytes - before).toBe(6 * 150_001 + 2);
    const [first = ''] = ids;
    const done = (await call('GET', `${inside}/lists/${listId}`)).body.statuses.at(-1).id;
    expect(
      (
        await call('PATCH', `${inside}/tasks/${first}`, {
          description: null,
          statusId: done,
          priority: 'low',
        })
      ).status,
    ).toBe(200);
    expect((await call('PATCH', path, { description: LONG })).status).toBe(200);
    expectRejected(await call('PATCH', `${inside}/tasks/${first}`, { description: LONG }), 'megabytes');
    expectIntegrity(world);
  });

  it('counts what items and comments say, as they are written, changed and deleted', async () => {
    await withQuotas({ megabytes: 1 });
    const { id } = (await addTask('Task', { checklist: [{ title: 'Item' }] })).body;
    expect(use().bytes).toBe(8);
    await call('PATCH', `${inside}/tasks/${id}`, { checklist: [{ title: 'Ü' }, { title: 'Longer' }] });
    expect(use().bytes).toBe(12);
    const comment = (await call('POST', `${inside}/tasks/${id}/comments`, { body: 'Said' })).body;
    expect(use().bytes).toBe(16);
    await call('PATCH', `${inside}/tasks/${id}/comments/${comment.id}`, { body: 'Said more' });
    expect(use().bytes).toBe(21);
    await call('DELETE', `${inside}/tasks/${id}/comments/${comment.id}`);
    expect(use().bytes).toBe(12);
    await call('PATCH', `${inside}/tasks/${id}`, { checklist: [] });
    expect(use().bytes).toBe(4);
    for (let i = 0; i < 6; i += 1) await addTask('T', { description: LONG });
    const said = { body: LONG.slice(0, 20_000) };
    const path = `${inside}/tasks/${id}/comments`;
    const first = `${path}/${(await call('POST', path, said)).body.id}`;
    const short = `${path}/${(await call('POST', path, { body: 'Short' })).body.id}`;
    expectRejected(await call('POST', path, said), 'megabytes');
    expectRejected(await call('PATCH', short, said), 'megabytes');
    expect((await call('PATCH', first, { body: `${LONG.slice(1, 20_000)}!` })).status).toBe(200);
  });

  it('counts what series say, and what a change of one says in all its open instances', async () => {
    await withQuotas({ megabytes: 1 });
    const { body: series } = await addSeries({ catchUp: 'all' });
    world.clock.advance(9 * DAY);
    await signInAgain(world, ada);
    const path = `${inside}/recurring-tasks/${series.id}`;
    expect((await call('GET', path)).status).toBe(200);
    expectRejected(await call('PATCH', path, { description: LONG }), 'megabytes');
    expect((await call('PATCH', path, { description: 'x'.repeat(50_000) })).status).toBe(200);
    expect(use().bytes).toBe(11 * 50_001);
    expect((await addSeries({ description: LONG })).status).toBe(201);
    expect(use().bytes).toBe(11 * 50_001 + 2 * 150_001);
    expectRejected(await addSeries({ description: LONG }), 'megabytes');
    expect((await call('DELETE', path)).status).toBe(204);
    expectIntegrity(world);
  });
});

describe('the quotas of a workspace', () => {
  it.each([
    ['lists', { lists: 2 }, () => call('POST', `${inside}/lists`, { title: 'L', spaceId: undefined }), 1],
    ['spaces', { spaces: 2 }, () => call('POST', `${inside}/spaces`, { title: 'S' }), 1],
    [
      'status_templates',
      { status_templates: 2 },
      () => call('POST', `${inside}/status-templates`, { title: 'S' }),
      1,
    ],
    ['series', { series: 2 }, () => addSeries(), 2],
  ] as const)('%s are rejected beyond it', async (quota, quotas, add, room) => {
    await withQuotas(quotas);
    const act = quota === 'lists' ? () => call('POST', `${inside}/lists`, { title: 'L', spaceId }) : add;
    for (let i = 0; i < room; i += 1) expect((await act()).status).toBe(201);
    expectRejected(await act(), quota);
    if (quota === 'lists')
      expectRejected(await call('POST', `${inside}/spaces`, { title: 'With a list' }), 'lists');
    expectIntegrity(world);
  });
});
