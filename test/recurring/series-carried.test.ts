import { afterEach, describe, expect, it } from 'vitest';
import { expectIntegrity } from '../integrity.ts';
import { DAILY, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(w.world));

const label = async (title: string): Promise<string> =>
  (await w.ok('POST', `${w.inside}/labels`, { title })).id;
const titles = ({ checklist }: { checklist: { title: string }[] }) => checklist.map(({ title }) => title);
const ticks = ({ checklist }: { checklist: { isDone: boolean }[] }) => checklist.map(({ isDone }) => isDone);
const tick = (task: { id: string; checklist: { id: string }[] }, n: number) =>
  w.ok('PATCH', `${w.inside}/tasks/${task.id}/checklist/${task.checklist[n]?.id}`, { isDone: true });

const ITEMS = [{ title: 'Can' }, { title: 'Cloth' }];

describe('labels and checklist of a series', () => {
  it('are given to each occurrence, none of its items done, while earlier ones keep theirs', async () => {
    const shop = await label('Shop');
    const series = await w.create({
      labelIds: [shop, shop],
      checklist: [{ ...ITEMS[0], isDone: true }, ITEMS[1]],
    });
    expect(series.labelIds).toEqual([shop]);
    expect(series.checklist).toEqual([
      { id: expect.any(String), title: 'Can', isDone: false },
      { id: expect.any(String), title: 'Cloth', isDone: false },
    ]);
    const first = await w.upcoming(series.id);
    expect(first).toMatchObject({ labelIds: [shop], checklist: series.checklist });
    const ticked = await tick(first, 0);
    expect(ticked.recurrence.overridden).toEqual([]);
    await w.complete(first.id);
    const second = await w.upcoming(series.id);
    expect(second.checklist).toEqual(series.checklist);
    expect(ticks(await w.task(first.id))).toEqual([true, false]);
    await tick(second, 1);
    await w.skip(series.id);
    const third = await w.upcoming(series.id);
    expect(third.checklist).toEqual(series.checklist);
    await tick(third, 0);
    await w.at('2026-04-02T12:00:00Z');
    expect((await w.upcoming(series.id)).checklist).toEqual(series.checklist);
    await w.ok('POST', `${w.series}/${series.id}/pause`);
    await w.at('2026-04-05T12:00:00Z');
    await w.ok('POST', `${w.series}/${series.id}/resume`);
    expect((await w.upcoming(series.id)).checklist).toEqual(series.checklist);
    expect(ticks(await w.task(third.id))).toEqual([true, false]);
  });

  it('are changed in all instances that are not done by an edit of all, which keeps ticks', async () => {
    const [shop, home] = [await label('Shop'), await label('Home')];
    const series = await w.create({ labelIds: [shop], checklist: ITEMS });
    const [can, cloth] = series.checklist;
    const first = await w.upcoming(series.id);
    await w.at('2026-03-28T12:00:00Z');
    const second = await w.upcoming(series.id);
    await w.complete(second.id);
    await tick(first, 1);
    const third = await w.upcoming(series.id);
    await w.edit(series.id, third.id, 'this', { labelIds: [] });
    const edited = await w.edit(series.id, first.id, 'all', {
      labelIds: [home],
      checklist: [
        { title: 'Soap', isDone: true },
        { id: cloth.id, title: 'Rag' },
      ],
    });
    expect(titles(edited)).toEqual(['Soap', 'Rag']);
    expect(ticks(edited)).toEqual([false, true]);
    expect(edited).toMatchObject({ labelIds: [home], recurrence: { overridden: [] } });
    const template = await w.read(series.id);
    expect(ticks(template)).toEqual([false, false]);
    expect(template.checklist[1].id).toBe(cloth.id);
    expect(edited.checklist.map(({ id }: { id: string }) => id)).toEqual(
      template.checklist.map(({ id }: { id: string }) => id),
    );
    expect(await w.task(third.id)).toMatchObject({
      labelIds: [],
      checklist: template.checklist,
      recurrence: { overridden: ['labelIds'] },
    });
    expect(await w.task(second.id)).toMatchObject({ labelIds: [shop], checklist: [can, cloth] });
    const patched = await w.patch(series.id, { checklist: [{ id: template.checklist[0].id }] });
    expect(titles(patched)).toEqual(['Soap']);
    expect(titles(await w.task(first.id))).toEqual(['Soap']);
  });

  it('stay in an instance that has others of its own', async () => {
    const series = await w.create({ checklist: ITEMS });
    const first = await w.upcoming(series.id);
    const own = await w.ok('POST', `${w.inside}/tasks/${first.id}/checklist`, { title: 'Ladder' });
    expect(own.recurrence.overridden).toEqual(['checklist']);
    await w.patch(series.id, { checklist: [] });
    expect(titles(await w.task(first.id))).toEqual(['Can', 'Cloth', 'Ladder']);
    await w.complete(first.id);
    expect((await w.upcoming(series.id)).checklist).toEqual([]);
  });

  it('go with the instances that become a series of their own', async () => {
    const shop = await label('Shop');
    const series = await w.create({ labelIds: [shop], checklist: ITEMS });
    await w.complete((await w.upcoming(series.id)).id);
    const second = await w.upcoming(series.id);
    await tick(second, 0);
    const split = await w.edit(series.id, second.id, 'following', {
      checklist: [{ id: series.checklist[0].id }, { title: 'Soap' }],
    });
    expect(ticks(split)).toEqual([true, false]);
    const after = await w.read(split.recurrence.recurringTaskId);
    expect(after).toMatchObject({ labelIds: [shop] });
    expect(titles(after)).toEqual(['Can', 'Soap']);
    expect((await w.read(series.id)).checklist).toEqual(series.checklist);
    await w.complete(second.id);
    expect((await w.upcoming(after.id)).checklist).toEqual(after.checklist);
  });

  it('lose a label that the workspace removes', async () => {
    const [shop, home] = [await label('Shop'), await label('Home')];
    const series = await w.create({ labelIds: [shop, home] });
    const other = await w.create({ labelIds: [shop] });
    await w.ok('DELETE', `${w.inside}/labels/${shop}`);
    expect((await w.read(series.id)).labelIds).toEqual([home]);
    expect((await w.read(other.id)).labelIds).toEqual([]);
    expect((await w.upcoming(series.id)).labelIds).toEqual([home]);
    await w.skip(series.id);
    expect(await w.upcoming(series.id)).toMatchObject({ labelIds: [home], recurrence: { overridden: [] } });
  });

  it('reject labels of another workspace, too many, and items that cannot be', async () => {
    const other = await w.ok('POST', '/workspaces', { title: 'Other' });
    const foreign = (await w.ok('POST', `/workspaces/${other.id}/labels`, { title: 'Theirs' })).id;
    const series = await w.create();
    const body = { title: 'x', listId: w.list.id, interval: DAILY };
    const wrong = { labelIds: [foreign], checklist: [{ isDone: true }] };
    const paths = ['checklist.0.title', 'labelIds'];
    expect((await w.rejectedAt('POST', w.series, { ...body, ...wrong })).toSorted()).toEqual(paths);
    expect((await w.rejectedAt('PATCH', `${w.series}/${series.id}`, wrong)).toSorted()).toEqual(paths);
    const edit = `${w.series}/${series.id}/instances/${series.nextTaskId}/edit-mode`;
    for (const mode of ['this', 'following', 'all']) {
      expect((await w.rejectedAt('POST', edit, { mode, updates: wrong })).toSorted()).toEqual(
        paths.map((path) => `updates.${path}`),
      );
    }
    const many = Array.from({ length: 101 }, (_, n) => ({ title: `${n}` }));
    expect(await w.rejectedAt('PATCH', `${w.series}/${series.id}`, { checklist: many })).toEqual([
      'checklist',
    ]);
    expect(await w.read(series.id)).toMatchObject({ labelIds: [], checklist: [] });
  });

  it('keep the ids of items from everything outside the series, and let its instances have them', async () => {
    const id = '0199a1b2-0000-7000-8000-00000000000a';
    const series = await w.create({ checklist: [{ id, title: 'Can' }] });
    const first = await w.upcoming(series.id);
    expect(first.checklist[0].id).toBe(id);
    await w.ok('DELETE', `${w.inside}/tasks/${first.id}/checklist/${id}`);
    await w.ok('PATCH', `${w.inside}/tasks/${first.id}`, { checklist: [{ id, title: 'Can' }] });
    const plain = await w.ok('POST', `${w.inside}/tasks`, { title: 'Plain', listId: w.list.id });
    expect(await w.rejectedAt('POST', `${w.inside}/tasks/${plain.id}/checklist`, { id, title: 'x' })).toEqual(
      ['id'],
    );
    const body = { title: 'x', listId: w.list.id, interval: DAILY, checklist: [{ id, title: 'x' }] };
    expect(await w.rejectedAt('POST', w.series, body)).toEqual(['checklist.0.id']);
    const item = await w.ok('POST', `${w.inside}/tasks/${plain.id}/checklist`, { title: 'Mine' });
    const taken = { checklist: [{ id: item.checklist[0].id, title: 'x' }] };
    expect(await w.rejectedAt('PATCH', `${w.series}/${series.id}`, taken)).toEqual(['checklist.0.id']);
    await w.patch(series.id, { checklist: [] });
    await w.ok('DELETE', `${w.inside}/tasks/${first.id}/checklist/${id}`);
    await w.ok('POST', `${w.inside}/tasks/${plain.id}/checklist`, { id, title: 'Free' });
  });

  it('are found by search, and exported', async () => {
    const shop = await label('Shop');
    const series = await w.create({ labelIds: [shop], checklist: ITEMS });
    await w.patch(series.id, { checklist: [{ title: 'Marigold' }] });
    const found = await w.ok('GET', `${w.inside}/tasks/search?q=marigold`);
    expect(found.total).toBe(1);
    expect((await w.ok('GET', `${w.inside}/tasks/search?q=cloth`)).total).toBe(0);
    const { workspaces } = await w.ok('GET', '/account/export');
    expect(workspaces[0].recurringTasks[0]).toMatchObject(await w.read(series.id));
  });
});
