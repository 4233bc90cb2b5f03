import { afterEach, describe, expect, it } from 'vitest';
import { connectionDb } from '../../src/db/connection.ts';
import { seenZoneData } from '../../src/recurring/sweep.ts';
import { useOf } from '../../src/storage/quotas.ts';
import { tick } from '../../src/tick.ts';
import { allowancesOf } from '../../src/workspaces/quotas.ts';
import { expectIntegrity } from '../integrity.ts';
import { as, joined } from '../people.ts';
import { openSeriesInstead, w as series, useSeriesWorld } from '../series-world.ts';
import type { Document } from './round-trip.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(series.world));

const exported = (): Promise<Document> => series.ok('GET', '/account/export');
/** Imports, and returns the path of the first new workspace. */
const imported = async (document: object): Promise<string> =>
  `/workspaces/${(await series.ok('POST', '/account/import', document)).workspaces[0].id}`;
const add = (title: string, more: object = {}) =>
  series.ok('POST', `${series.inside}/tasks`, { title, listId: series.list.id, ...more });
const inUse = () => useOf(connectionDb(series.world.opened.storage.reading), series.owner.id);

/** Completes a task and changes it a minute later. */
async function completed(title: string): Promise<string> {
  const { ok, inside, complete, world } = series;
  const { id } = await add(title);
  await complete(id);
  world.clock.advance(60_000);
  await ok('PATCH', `${inside}/tasks/${id}`, { description: 'Changed since' });
  return id;
}

/** A long task, comment and series in the list, and as long ones in the trash. */
async function longTexts(): Promise<void> {
  const { ok, inside, create, list, anotherList } = series;
  const description = 'long '.repeat(400);
  const other = await anotherList();
  for (const listId of [list.id, other.id]) {
    const { id } = await add('Task', { listId, description, checklist: [{ title: 'Item' }] });
    await ok('POST', `${inside}/tasks/${id}/comments`, { body: description });
    await create({ listId, description, checklist: [{ title: 'Item' }] });
  }
  await ok('DELETE', `${inside}/lists/${other.id}`);
}

describe('what is imported', () => {
  it('is computed again where it comes from other zone data, and has nobody else looked at where not', async () => {
    const { ok, create, world } = series;
    const { nextRunAt } = await create();
    await tick(world.deps);
    const seen = seenZoneData(world.deps.read);
    const document = await exported();
    await imported(document);
    expect(seenZoneData(world.deps.read)).toBe(seen);
    const [job] = document.workspaces[0].recurringTasks;
    job.progress.zoneData = '1999z';
    job.nextRunAt = '2026-03-28T09:00:00.000Z';
    const copy = await imported(document);
    await tick(world.deps);
    expect((await ok('GET', `${copy}/recurring-tasks`)).items).toMatchObject([{ nextRunAt }]);
    expect(seenZoneData(world.deps.read)).toBe(seen);
  });

  it('was completed when the original was, though that was changed since, in the trash too', async () => {
    const { ok, inside } = series;
    await completed('Kept');
    await ok('DELETE', `${inside}/tasks/${await completed('Thrown away')}`);
    const copy = await imported(await exported());
    const [entry] = (await ok('GET', `${copy}/trash`)).items;
    await ok('POST', `${copy}/trash/${entry.id}/restore`);
    const { items } = await ok('GET', `${copy}/tasks`);
    expect(items.map(({ title, completedAt }: Document) => [title, completedAt])).toEqual([
      ['Kept', '2026-03-27T10:00:00.000Z'],
      ['Thrown away', '2026-03-27T10:01:00.000Z'],
    ]);
  });

  it('takes as much of the quotas as the original, the trash included', async () => {
    await longTexts();
    const before = inUse();
    expect(before.bytes).toBeGreaterThan(12_000);
    await imported(await exported());
    expect(inUse()).toEqual({ tasks: 2 * before.tasks, bytes: 2 * before.bytes });
  });

  it('has nobody who deleted it where that was someone else', async () => {
    const { ok, inside, world, owner, workspaceId } = series;
    const [byOwner, byOther] = [await add('By me'), await add('By another')];
    const bob = await joined(world, owner, workspaceId, 'admin', 'Bob');
    await ok('DELETE', `${inside}/tasks/${byOwner.id}`);
    expect((await as(world, bob)('DELETE', `${inside}/tasks/${byOther.id}`)).status).toBe(204);
    const { id: listId } = await series.anotherList();
    await ok('DELETE', `${inside}/tasks/${(await add('Lost', { listId })).id}`);
    await ok('DELETE', `${inside}/lists/${listId}?permanent=true`);
    const { items } = await ok('GET', `${await imported(await exported())}/trash`);
    const deletedBy = items.map(({ title, deletedBy }: Document) => [title, deletedBy]);
    expect(Object.fromEntries(deletedBy)).toEqual({ 'By me': owner.id, 'By another': null, Lost: owner.id });
    await imported(await exported());
  });

  it('notifies its owner of nothing that was due before, and of what is due later', async () => {
    const { ok, owner, at, world } = series;
    await add('Due', { assigneeId: owner.id, dueDate: '2026-03-27T11:00:00.000Z' });
    await add('Due later', { assigneeId: owner.id, dueDate: '2026-03-28T11:00:00.000Z' });
    await add('Due that day', { assigneeId: owner.id, dueDay: '2026-03-28' });
    const notified = async () =>
      (await ok('GET', '/me/notifications')).items.map(({ body }: Document) => body).toSorted();
    await at('2026-03-27T10:30:00.000Z');
    world.clock.set(Date.parse('2026-03-27T11:00:00.000Z'));
    await imported(await exported());
    await tick(world.deps);
    expect(await notified()).toEqual(['Due']);
    world.clock.set(Date.parse('2026-03-28T06:00:00.000Z'));
    await imported(await exported());
    await at('2026-03-28T12:00:00.000Z');
    // One of the first workspace, one of its copy, and two of the copy of both.
    expect(await notified()).toEqual([
      'Due',
      ...Array(4).fill('Due later'),
      ...Array(4).fill('Due that day'),
    ]);
  });

  it('comes back out of the trash with its comments where nobody has commented yet', async () => {
    const { ok, inside } = series;
    const { id } = await add('Discussed');
    await ok('POST', `${inside}/tasks/${id}/comments`, { body: 'First' });
    await ok('POST', `${inside}/tasks/${id}/comments`, { body: 'Second' });
    await ok('DELETE', `${inside}/tasks/${id}`);
    const document = await exported();
    await series.close();
    await openSeriesInstead();
    const copy = await imported(document);
    const { id: elsewhere } = await add('Elsewhere');
    for (let i = 0; i < 9; i += 1)
      await series.ok('POST', `${series.inside}/tasks/${elsewhere}/comments`, { body: 'Elsewhere' });
    const [entry] = (await series.ok('GET', `${copy}/trash`)).items;
    const restored = await series.ok('POST', `${copy}/trash/${entry.id}/restore`);
    const comments = `${copy}/tasks/${restored.id}/comments`;
    await series.ok('POST', comments, { body: 'Third' });
    const { items } = await series.ok('GET', comments);
    expect(items.map(({ body }: Document) => body)).toEqual(['First', 'Second', 'Third']);
  });

  it('is whole and in order where it is stored in several steps, the trash too', async () => {
    const { ok, inside, world } = series;
    const other = await series.anotherList();
    await add('Away', { listId: other.id });
    for (const title of ['First', 'Gone', 'Last']) {
      world.clock.advance(1_000);
      await add(title);
    }
    const [, , gone] = (await ok('GET', `${inside}/tasks`)).items;
    await ok('DELETE', `${inside}/lists/${other.id}`);
    await ok('DELETE', `${inside}/tasks/${gone.id}`);
    const document = await exported();
    const [{ tasks, trash }] = document.workspaces;
    const numbered = (thing: object, title: string) =>
      Array.from({ length: 70 }, (_, i) => ({ ...thing, id: `${title} ${i}`, title, number: undefined }));
    tasks[0].comments = Array.from({ length: 70 }, (_, i) => ({ body: `Comment ${i}` }));
    tasks.splice(1, 0, ...numbered(tasks[1], 'More'));
    const away = trash.find(({ kind }: Document) => kind === 'list');
    away.tasks = numbered(away.tasks[0], 'Away');
    const copy = await imported(document);
    for (const { id } of (await ok('GET', `${copy}/trash`)).items)
      await ok('POST', `${copy}/trash/${id}/restore`);
    const titles = async (listTitle: string) => {
      const { items } = await ok('GET', `${copy}/lists`);
      const { id } = items.find(({ title }: Document) => title === listTitle);
      return (await ok('GET', `${copy}/tasks?limit=100&listId=${id}`)).items;
    };
    const [first, ...rest] = await titles(series.list.title);
    expect([first, ...rest].map(({ title }) => title)).toEqual([
      'First',
      'Gone',
      ...Array(70).fill('More'),
      'Last',
    ]);
    expect(await titles('Other')).toHaveLength(70);
    const { items } = await ok('GET', `${copy}/tasks/${first.id}/comments?limit=100`);
    expect(items.map(({ body }: Document) => body)).toEqual(
      tasks[0].comments.map(({ body }: Document) => body),
    );
  });

  const stepBack = async (workspace: string) => {
    const [{ id, nextRunAt: occurrenceAt }] = (await series.ok('GET', `${workspace}/recurring-tasks`)).items;
    return series.call('POST', `${workspace}/recurring-tasks/${id}/step-back`, { occurrenceAt });
  };

  it('steps back to a task that was deleted for good, with its number', async () => {
    const { ok, inside } = series;
    const { nextTaskId } = await series.create();
    const { number } = await series.complete(nextTaskId);
    await ok('DELETE', `${inside}/tasks/${nextTaskId}?permanent=true`);
    const copy = await imported(await exported());
    const { body } = await stepBack(copy);
    expect(await ok('GET', `${copy}/tasks/${body.nextTaskId}`)).toMatchObject({ number });
  });

  it.each([
    ['there', 'nobody'],
    ['there', 'someone'],
    ['in the trash', 'nobody'],
    ['in the trash', 'someone'],
  ])('steps back where it was %s and %s changed what a step brought back', async (where, who) => {
    const { ok, inside, list } = series;
    const job = await series.create({ checklist: [{ title: 'Can' }] });
    for (let i = 0; i < 2; i += 1) {
      const { nextTaskId } = await series.read(job.id);
      await ok('PATCH', `${inside}/tasks/${nextTaskId}`, { priority: 'low' });
      await series.complete(nextTaskId);
    }
    const { body } = await stepBack(inside);
    expect(body.nextOccurrenceNumber).toBe(2);
    if (who === 'someone') await ok('PATCH', `${inside}/tasks/${body.nextTaskId}`, { priority: 'high' });
    if (where === 'in the trash') await ok('DELETE', `${inside}/lists/${list.id}`);
    const copy = await imported(await exported());
    for (const { id } of (await ok('GET', `${copy}/trash`)).items)
      await ok('POST', `${copy}/trash/${id}/restore`);
    expect((await stepBack(copy)).status).toBe(who === 'nobody' ? 200 : 400);
  });

  it('has what a document may leave out: order, times, and a rule that goes on', async () => {
    const { ok, at, world } = series;
    await add('First', { checklist: [{ title: 'Item', isDone: true }, { title: 'Other' }] });
    await add('Second', { statusId: series.done });
    await series.create();
    const document = await exported();
    const [{ tasks, recurringTasks, lists, spaces, statusTemplates }] = document.workspaces;
    const names = [
      'position',
      'createdAt',
      'updatedAt',
      'completedAt',
      'isDone',
      'state',
      'catchUp',
      'version',
    ];
    for (const thing of [...tasks, ...recurringTasks, ...lists, ...spaces, ...statusTemplates]) {
      for (const each of [thing, ...(thing.checklist ?? [])]) for (const name of names) delete each[name];
      for (const item of thing.checklist ?? []) delete item.id;
    }
    world.clock.advance(60_000);
    const copy = await imported(document);
    const { items } = await ok('GET', `${copy}/recurring-tasks`);
    expect(items).toMatchObject([{ state: 'active', catchUp: 'latest' }]);
    const [first, second] = (await ok('GET', `${copy}/tasks`)).items;
    const checklist = ['Item', 'Other'].map((title) => ({ title, isDone: false }));
    expect(first).toMatchObject({ completedAt: null, checklist });
    expect(second).toMatchObject({ completedAt: '2026-03-27T10:01:00.000Z' });
    await at('2026-03-29T12:00:00.000Z');
    const titles = (await ok('GET', `${copy}/tasks`)).items.map(({ title }: Document) => title);
    expect(titles.slice(0, 2)).toEqual(['First', 'Second']);
    expect(titles.slice(2).length).toBeGreaterThan(1);
  });
});

describe('an import', () => {
  it('is 403 where the texts of series and of the trash go beyond the quota', async () => {
    const { call, ok, inside, world } = series;
    await longTexts();
    for (const { id } of (await ok('GET', `${inside}/tasks?limit=100`)).items) {
      await call('DELETE', `${inside}/tasks/${id}`);
    }
    const document = await exported();
    const most = (inUse().bytes * 2 - 200) / 1_000_000;
    const quotas = { ...world.deps.config.quotas, megabytes: most };
    Object.assign(world.deps, { config: { ...world.deps.config, quotas } });
    allowancesOf(world.deps).clear();
    const { status, body } = await call('POST', '/account/import', document);
    expect([status, body.message]).toEqual([403, expect.stringContaining('(quotas.megabytes)')]);
    expect(await call('POST', '/account/import?dryRun=true', document)).toMatchObject({ status: 403 });
  });

  it('is rejected with the path of what is wrong in statuses, labels and the trash', async () => {
    const { call, ok, inside } = series;
    await ok('DELETE', `${inside}/tasks/${(await add('Gone')).id}`);
    const document = await exported();
    const [workspace] = document.workspaces;
    const [template] = workspace.statusTemplates;
    template.statuses = template.statuses.filter(({ type }: Document) => type !== 'completed');
    template.statuses[1].title = template.statuses[0].title;
    template.statuses[1].id = template.statuses[0].id;
    workspace.labels = Array.from({ length: 501 }, (_, i) => ({ id: `${i}`, title: `Label ${i}` }));
    workspace.trash[0].tasks.push(null);
    const { status, body } = await call('POST', '/account/import', document);
    const paths = body.issues.map(({ path }: Document) => path.replace('workspaces.0.', ''));
    expect([status, paths.toSorted()]).toEqual([
      400,
      [
        'labels',
        'statusTemplates.0.statuses',
        'statusTemplates.0.statuses.1.id',
        'statusTemplates.0.statuses.1.title',
        'trash.0.tasks.1',
      ],
    ]);
  });
});
