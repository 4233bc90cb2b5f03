import { afterEach, expect, it } from 'vitest';
import { expectIntegrity } from '../integrity.ts';
import { w as series, useSeriesWorld } from '../series-world.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(series.world));

it('a list in the trash of an export comes back from the trash of the workspace that it was imported into', async () => {
  const { ok } = series;
  const list = await series.anotherList();
  const job = await series.create({ listId: list.id });
  await series.complete(job.nextTaskId);
  const task = await ok('POST', `${series.inside}/tasks`, { title: 'Milk', listId: list.id });
  await ok('POST', `${series.inside}/tasks/${task.id}/comments`, { body: 'Oat' });
  const recurring = await series.read(job.id);
  await ok('DELETE', `${series.inside}/lists/${list.id}`);
  const document = await ok('GET', '/account/export');
  const [entry] = document.workspaces[0].trash;
  expect(entry).toMatchObject({ id: list.id, kind: 'list', itemCount: 3, placeId: list.spaceId });
  const imported = await ok('POST', '/account/import', document);
  const inside = `/workspaces/${imported.workspaces[0].id}`;
  const [there] = (await ok('GET', `${inside}/trash`)).items;
  expect(there).toMatchObject({ kind: 'list', title: list.title, itemCount: 3 });
  const back = await ok('POST', `${inside}/trash/${there.id}/restore`);
  expect(back).toMatchObject({ id: there.id, title: list.title });
  const { items } = await ok('GET', `${inside}/tasks?listId=${there.id}`);
  expect(items.map(({ title, number }: { title: string; number: number }) => [title, number])).toEqual(
    entry.tasks.map(({ title, number }: { title: string; number: number }) => [title, number]),
  );
  const [again] = (await ok('GET', `${inside}/recurring-tasks`)).items;
  expect(again).toMatchObject({ title: job.title, nextRunAt: recurring.nextRunAt, nextOccurrenceNumber: 2 });
  expect(items.find(({ title }: { title: string }) => title === 'Milk').commentCount).toBe(1);
});
