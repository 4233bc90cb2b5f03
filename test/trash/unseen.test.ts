import { cpSync } from 'node:fs';
import { expect, it } from 'vitest';
import { routes } from '../../src/routes.ts';
import { tick } from '../../src/tick.ts';
import { newFolder } from '../new-folder.ts';
import { as, joined, openHome } from '../people.ts';
import { openWorld } from '../world.ts';

/** Every read that has no id of a thing in its path, and those of the things that are left. */
const reads = routes
  .filter(
    ({ method, path, isStream }) => method === 'get' && !isStream && !/trash|tokens|sessions/.test(path),
  )
  .map(({ path }) => path);

it('what is in the trash is seen by no read, count, search or notice: all are as if it were deleted for good', async () => {
  const { world, ada, call, home, inside } = await openHome();
  const bob = await joined(world, ada, home, 'member', 'Bob');
  const make = async (path: string, body: object) => (await call('POST', `${inside}/${path}`, body)).body;
  const spaceId = (await call('GET', `${inside}/lists`)).body.items[0].spaceId;
  const [kept, gone] = [
    await make('lists', { spaceId, title: 'K' }),
    await make('lists', { spaceId, title: 'G' }),
  ];
  const label = await make('labels', { title: 'Shop' });
  const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'UTC' };
  const series = await make('recurring-tasks', { title: 'Water', listId: kept.id, interval });
  await make('recurring-tasks', { title: 'Milk each day', listId: gone.id, interval });
  const due = new Date(world.clock.now() + 60_000).toISOString();
  const task = (listId: string) =>
    make('tasks', { title: 'Milk', listId, assigneeId: bob.id, dueDate: due, labelIds: [label.id] });
  const [left, single] = [await task(kept.id), await task(kept.id)];
  const inList = await task(gone.id);
  for (const { id } of [single, inList]) await make(`tasks/${id}/comments`, { body: 'Milk?' });
  await world.untilIdle();
  world.opened.storage.writing.pragma('wal_checkpoint(truncate)');
  const copies = [newFolder('trashed'), newFolder('deleted')];
  for (const copy of copies) cpSync(world.folder, copy, { recursive: true });
  await world.close();

  const seenAfter = async (of: string, query: string) => {
    const opened = await openWorld({ folder: of });
    const [asAda, asBob] = [as(opened, ada), as(opened, bob)];
    for (const path of [`tasks/${single.id}`, `lists/${gone.id}`])
      expect((await asAda('DELETE', `${inside}/${path}${query}`)).status).toBe(204);
    await opened.untilIdle();
    opened.clock.advance(120_000);
    await tick(opened.deps);
    const seen: Record<string, unknown> = {};
    for (const path of reads) {
      const filled = path
        .replace('{workspace_id}', home)
        .replace('{list_id}', gone.id)
        .replace('{space_id}', spaceId)
        .replace('{label_id}', label.id)
        .replace('{job_id}', series.id)
        .replace('{number}', String(single.number));
      for (const taskId of [left.id, single.id, inList.id]) {
        const target = filled.replace('{task_id}', taskId).replaceAll(/\{\w+\}/g, left.id);
        for (const suffix of targetsOf(target)) {
          const { status, body } = await (path.includes('notifications') ? asBob : asAda)('GET', suffix);
          seen[suffix] = [status, withoutChance(body)];
        }
      }
    }
    return seen;
  };
  const [one = '', other = ''] = copies;
  const [trashed, deleted] = [await seenAfter(one, ''), await seenAfter(other, '?permanent=true')];
  expect(Object.keys(trashed).length).toBeGreaterThan(30);
  expect(trashed).toEqual(deleted);
});

const targetsOf = (path: string): string[] => {
  if (path.endsWith('/search')) return [`${path}?q=milk`];
  if (path.endsWith('/query')) return [path, `${path}?groupBy=statusId`, `${path}?groupBy=assigneeId`];
  if (path.endsWith('/occurrences') && !path.includes('recurring'))
    return [`${path}?from=2026-03-27T00:00:00Z&to=2026-04-20T00:00:00Z`];
  return [path];
};

/** A body without what chance made: cursors, and the trash of the export. */
function withoutChance(body: unknown): unknown {
  const text = JSON.stringify(body, (key, value) =>
    ['cursor', 'resume', 'trash'].includes(key) ? undefined : value,
  );
  return text === undefined ? undefined : JSON.parse(text);
}
