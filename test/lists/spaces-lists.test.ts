import { describe, expect, it } from 'vitest';
import { SECOND } from '../../src/kernel/instants.ts';
import { call, home, useHome, world } from '../ada.ts';
import { as, expectIssues, homeOf } from '../people.ts';
import type { TestResponse } from '../world.ts';

const UNKNOWN = '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f';

useHome();

const at = (path = '', workspaceId = home) => `/workspaces/${workspaceId}${path}`;
const space = async (body: object = {}) =>
  (await call('POST', at('/spaces'), { title: 'Space', ...body })).body;
const list = async (spaceId: string, body: object = {}) =>
  (await call('POST', at('/lists'), { title: 'List', spaceId, ...body })).body;
const firstSpace = async () => (await call('GET', at('/spaces'))).body.items[0];
const firstList = async () => (await call('GET', at('/lists'))).body.items[0];
const titles = ({ body }: TestResponse) => body.items.map(({ title }: { title: string }) => title);

/** A space and a template of another tenant. */
async function elsewhere() {
  const eve = await world.signUp();
  const workspaceId = await homeOf(world, eve);
  const hers = as(world, eve);
  const first = async (kind: string) => (await hers('GET', at(`/${kind}`, workspaceId))).body.items[0];
  return { space: await first('spaces'), template: await first('status-templates') };
}

describe('a space', () => {
  it('starts with a list Tasks and goes to the end', async () => {
    const { status, body } = await call('POST', at('/spaces'), { title: ' Home ' });
    expect(status).toBe(201);
    const { lists, ...bare } = body;
    expect(bare).toEqual({
      id: expect.any(String),
      workspaceId: home,
      title: 'Home',
      description: null,
      position: 2048,
      createdAt: '2026-03-27T10:00:00.000Z',
      updatedAt: '2026-03-27T10:00:00.000Z',
      version: 1,
    });
    const template = (await call('GET', at('/status-templates'))).body.items[0];
    expect(lists).toMatchObject([
      { title: 'Tasks', spaceId: body.id, position: 1024, statusTemplateId: template.id },
    ]);
    expect(lists[0].statuses).toEqual(template.statuses);
    expect((await call('GET', at(`/spaces/${body.id}`))).body).toEqual(bare);
    expect((await call('GET', at(`/lists/${lists[0].id}`))).body).toEqual(lists[0]);
    expect(await space({ position: -1.5, description: '' })).toMatchObject({
      position: -1.5,
      description: null,
    });
    expect((await space()).position).toBe(3072);
  });

  it('is rejected with every broken field at once', async () => {
    const broken = { title: '', description: 5, position: '1' };
    await expectIssues(call('POST', at('/spaces'), broken), ...Object.keys(broken));
    await expectIssues(call('POST', at('/spaces'), {}), 'title');
    await expectIssues(call('POST', at('/spaces'), '{"title":"T","position":1e999}'), 'position');
    const long = { title: 'x'.repeat(501), description: 'x'.repeat(50_001) };
    await expectIssues(call('POST', at('/spaces'), long), 'title', 'description');
    expect((await space({ title: 'x'.repeat(500), description: 'x'.repeat(50_000) })).id).toBeDefined();
  });

  it('changes by a patch only what the patch names', async () => {
    const { lists: _lists, ...before } = await space({ description: 'Where we live' });
    const patch = (body: unknown) => call('PATCH', at(`/spaces/${before.id}`), body);
    world.clock.advance(SECOND);
    for (const nothing of [undefined, {}, { id: UNKNOWN, workspaceId: UNKNOWN, createdAt: 'x' }, before]) {
      expect((await patch(nothing)).body).toEqual(before);
    }
    const updatedAt = '2026-03-27T10:00:01.000Z';
    expect((await patch({ description: null })).body).toEqual({
      ...before,
      description: null,
      updatedAt,
      version: 2,
    });
    expect((await patch({ title: 'T', position: 5 })).body).toEqual({
      ...before,
      title: 'T',
      description: null,
      position: 5,
      updatedAt,
      version: 3,
    });
    await expectIssues(patch({ title: null, position: null }), 'title', 'position');
  });

  it('goes with its lists and their tasks', async () => {
    const { id, lists } = await space();
    const task = (await call('POST', at('/tasks'), { title: 'T', listId: lists[0].id })).body;
    expect((await call('DELETE', at(`/spaces/${id}`))).status).toBe(204);
    expect((await call('GET', at(`/spaces/${id}`))).status).toBe(404);
    expect((await call('GET', at(`/lists/${lists[0].id}`))).status).toBe(404);
    expect((await call('GET', at(`/tasks/${task.id}`))).status).toBe(404);
    expect((await call('DELETE', at(`/spaces/${id}`))).status).toBe(404);
  });
});

describe('a list', () => {
  it('goes to the end of its space, with the default template unless another is named', async () => {
    const { id } = await firstSpace();
    const template = (await call('POST', at('/status-templates'), { title: 'Mine' })).body;
    const made = await call('POST', at('/lists'), { spaceId: id, title: 'A' });
    expect([made.status, made.body.position]).toEqual([201, 2048]);
    expect(made.body.statuses.map((status: { title: string }) => status.title)).toEqual([
      'To Do',
      'In Progress',
      'Done',
    ]);
    const other = await list(id, { statusTemplateId: template.id, position: 1e308 });
    expect(other).toMatchObject({
      statusTemplateId: template.id,
      statuses: template.statuses,
      position: 1e308,
    });
    expect((await list(id)).position).toBe(1e308);
  });

  it('is rejected with every broken or foreign field at once', async () => {
    const foreign = await elsewhere();
    const post = (body: unknown) => call('POST', at('/lists'), body);
    await expectIssues(post({}), 'spaceId', 'title');
    await expectIssues(
      post({ spaceId: 'x', title: 'L', statusTemplateId: null }),
      'spaceId',
      'statusTemplateId',
    );
    for (const [spaceId, statusTemplateId] of [
      [foreign.space.id, foreign.template.id],
      [UNKNOWN, UNKNOWN],
    ]) {
      const references = { spaceId, statusTemplateId };
      await expectIssues(post({ title: 'L', ...references }), ...Object.keys(references));
      await expectIssues(
        call('PATCH', at(`/lists/${(await firstList()).id}`), references),
        ...Object.keys(references),
      );
    }
  });

  it('changes by a patch only what the patch names, its space included', async () => {
    const { id: spaceId } = await space();
    const before = await firstList();
    const task = (await call('POST', at('/tasks'), { title: 'T', listId: before.id })).body;
    const patch = (body: unknown) => call('PATCH', at(`/lists/${before.id}`), body);
    world.clock.advance(SECOND);
    for (const nothing of [{}, before]) expect((await patch(nothing)).body).toEqual(before);
    const { body } = await patch({ title: 'Moved', spaceId });
    expect(body).toEqual({
      ...before,
      title: 'Moved',
      spaceId,
      updatedAt: '2026-03-27T10:00:01.000Z',
      version: 2,
    });
    expect((await call('GET', at(`/lists/${before.id}`))).body).toEqual(body);
    expect((await call('GET', at(`/tasks/${task.id}`))).body.spaceId).toBe(spaceId);
    await expectIssues(patch({ title: null, spaceId: null }), 'spaceId', 'title');
  });

  it('with another template gives its tasks the same title, else the same type, else the first', async () => {
    const before = await firstList();
    const beside = await list(before.spaceId);
    const template = (
      await call('POST', at('/status-templates'), {
        title: 'Other',
        statuses: [
          { title: 'Open', type: 'unstarted' },
          { title: 'In Progress', type: 'unstarted' },
          { title: 'Shipped', type: 'completed' },
        ],
      })
    ).body;
    const task = async (listId: string, i: number) =>
      (await call('POST', at('/tasks'), { title: 'T', listId, statusId: before.statuses[i].id })).body;
    const tasks = [await task(before.id, 0), await task(before.id, 1), await task(before.id, 2)];
    const apart = await task(beside.id, 1);
    world.clock.advance(SECOND);
    const { body } = await call('PATCH', at(`/lists/${before.id}`), { statusTemplateId: template.id });
    expect(body).toMatchObject({ statusTemplateId: template.id, statuses: template.statuses });
    const read = async ({ id }: { id: string }) => (await call('GET', at(`/tasks/${id}`))).body;
    const after = await Promise.all(tasks.map(read));
    expect(after.map(({ statusId }) => statusId)).toEqual(
      template.statuses.map(({ id }: { id: string }) => id),
    );
    expect(after.map(({ completedAt }) => completedAt)).toEqual([null, null, tasks[2].completedAt]);
    expect(await read(apart)).toEqual(apart);
  });

  it('goes with its tasks', async () => {
    const { id } = await firstList();
    const task = (await call('POST', at('/tasks'), { title: 'T', listId: id })).body;
    expect((await call('DELETE', at(`/lists/${id}`))).status).toBe(204);
    expect((await call('GET', at(`/tasks/${task.id}`))).status).toBe(404);
    expect((await call('DELETE', at(`/lists/${id}`))).status).toBe(404);
  });
});

describe('collections', () => {
  it('come by position, and page without gap or repeat', async () => {
    const { id } = await firstSpace();
    for (const [title, position] of [
      ['C', 3],
      ['A', -3],
      ['B', 3],
    ] as const)
      await list(id, { title, position });
    const all = await call('GET', at('/lists'));
    expect(all.body).toMatchObject({ page: 1, limit: 50, total: 4 });
    expect(titles(all)).toEqual(['A', ...(['C', 'B'] as const), 'Tasks'].toSorted(byIdAmong(all)));
    const seen: string[] = [];
    for (const page of [1, 2, 3, 4, 5])
      seen.push(...titles(await call('GET', at(`/lists?limit=1&page=${page}`))));
    expect(seen).toEqual(titles(all));
    const past = await call('GET', at('/lists?page=99999999999999999999'));
    expect([past.status, past.body.items, past.body.total]).toEqual([200, [], 4]);
    expect((await call('GET', at('/spaces?limit=5000'))).body.limit).toBe(100);
    for (const query of ['page=0', 'limit=0', 'page=-1', 'limit=1.0', 'page=', 'limit=0x10', 'page=1&page=2'])
      expect((await call('GET', at(`/spaces?${query}`))).status, query).toBe(400);
  });

  it('of lists can be narrowed to a space', async () => {
    const { id, lists } = await space();
    const { body } = await call('GET', at(`/lists?spaceId=${id}`));
    expect([body.total, body.items]).toEqual([1, lists]);
    expect((await call('GET', at(`/lists?spaceId=${UNKNOWN}`))).body).toMatchObject({ items: [], total: 0 });
    await expectIssues(call('GET', at('/lists?spaceId=x')), 'spaceId');
  });
});

/** Those of one position come by id. */
function byIdAmong({ body }: TestResponse) {
  const rows: { id: string; title: string; position: number }[] = body.items;
  const of = (title: string) => rows.find((row) => row.title === title) ?? { id: '', position: 0 };
  return (a: string, b: string) => of(a).position - of(b).position || (of(a).id < of(b).id ? -1 : 1);
}
