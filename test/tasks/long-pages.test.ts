import { beforeEach, describe, expect, it, vi } from 'vitest';
import { jsonOf } from '../../src/http/long-json.ts';
import { ada, call, home, inside, listId, useHome, world } from '../ada.ts';
import { as, joined } from '../people.ts';
import { DAILY } from '../series-world.ts';

const LONG = 'あ'.repeat(50_000);
const TASKS = 30;

let ids: string[];
useHome();
beforeEach(async () => {
  ids = [];
  for (let i = 0; i < TASKS; i += 1) {
    const body = { title: `Task ${i}`, listId, description: LONG };
    ids.push((await call('POST', `${inside}/tasks`, body)).body.id);
  }
});

/** How many turns of the event loop a work takes, and what comes of it; `during` is called in one in the midst of it. */
async function turnsOf<T>(work: () => Promise<T>, during = () => {}): Promise<{ turns: number; result: T }> {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (turns === 4) during();
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const result = await work();
  isOver = true;
  return { turns, result };
}

const PATHS = ['tasks?limit=100', 'tasks/query?limit=100&groupBy=statusId', 'tasks/search?limit=100&q=task'];

describe('a page of long tasks', () => {
  it.each(PATHS)('is read and written in many turns of the event loop: %s', async (path) => {
    const { turns, result } = await turnsOf(() => call('GET', `${inside}/${path}`));
    expect(result.body.items.map(({ description }: { description: string }) => description)).toEqual(
      ids.map(() => LONG),
    );
    // A megabyte is read in a turn, and 256 Ki characters are written in one.
    expect(turns).toBeGreaterThan((TASKS * 150_000) / 2 ** 20 + (TASKS * 50_000) / 2 ** 18);
  });

  it('is read in many turns as the instances of a series too', async () => {
    const path = `${inside}/recurring-tasks`;
    const series = (await call('POST', path, { title: 'Daily', listId, interval: DAILY })).body;
    world.run(
      'update tasks set recurring_task_id = ?, occurrence_at = created_at where id <> ?',
      series.id,
      series.nextTaskId,
    );
    const page = `${path}/${series.id}/instances?limit=20&page=2`;
    const { turns, result } = await turnsOf(() => call('GET', page));
    expect(result.body).toMatchObject({ page: 2, limit: 20, total: TASKS + 1 });
    expect(result.body.items.map(({ id }: { id: string }) => id)).toEqual([
      ...ids.slice(20),
      series.nextTaskId,
    ]);
    expect(result.body.items[0].description).toBe(LONG);
    expect(turns).toBeGreaterThan((10 * 150_000) / 2 ** 20 + (10 * 50_000) / 2 ** 18);
  });

  it('is of one moment, whatever is written while it is read', async () => {
    let written: Promise<unknown> | undefined;
    const { result } = await turnsOf(
      () => call('GET', `${inside}/tasks?limit=100&sortBy=createdAt`),
      () => {
        written = Promise.all(
          ids.map((id) => call('PATCH', `${inside}/tasks/${id}`, { description: 'short' })),
        );
      },
    );
    await written;
    const lengths = result.body.items.map(({ description }: { description: string }) => description.length);
    expect([...new Set(lengths)]).toEqual([LONG.length]);
    const after = await call('GET', `${inside}/tasks?limit=100`);
    expect(after.body.items.map(({ description }: { description: string }) => description)).toEqual(
      ids.map(() => 'short'),
    );
  });

  it('is not shown to someone who is removed from the workspace while it is read', async () => {
    const bob = await joined(world, ada, home, 'viewer');
    let removed: Promise<unknown> | undefined;
    const { result } = await turnsOf(
      () => as(world, bob)('GET', `${inside}/tasks?limit=100`),
      () => {
        removed = as(world, ada)('DELETE', `${inside}/members/${bob.id}`);
      },
    );
    await removed;
    expect(result.status).toBe(403);
  });

  it.each([
    ['of everything', false],
    ['of what changed', true],
  ])('is read only as far as a page %s takes it', async (_, isFollowed) => {
    const changes = `${inside}/changes?limit=1000`;
    const { resume } = (await call('GET', changes)).body;
    if (isFollowed) {
      for (const id of ids) await call('PATCH', `${inside}/tasks/${id}`, { title: 'New' });
    }
    const all = vi.spyOn(world.deps.read, 'all');
    const page = await call('GET', isFollowed ? `${changes}&cursor=${resume}` : changes);
    // A row that was read with its long texts has nothing else.
    const read = all.mock.results
      .flatMap(({ value }) => value as { title?: string; description?: string | null }[])
      .filter(({ title }) => title === undefined)
      .reduce((sum, { description }) => sum + (description?.length ?? 0), 0);
    expect(page.body.hasMore).toBe(true);
    expect(read).toBeGreaterThan(2 ** 19);
    expect(read).toBeLessThanOrEqual(2 ** 20 + LONG.length);
  });

  it('is not read for HEAD', async () => {
    const { turns, result } = await turnsOf(() => call('HEAD', `${inside}/tasks?limit=100`));
    expect(result.status).toBe(200);
    expect(turns).toBeLessThan(4);
  });
});

it.each([
  { items: [] },
  { items: [1] },
  { items: [{ a: 'x'.repeat(300_000) }, 'é'.repeat(300_000), 2], page: 1, total: 3 },
  { items: [1, 2], cursor: 'x', resume: undefined },
  { page: 1, items: [1] },
  { id: 'x' },
  'text',
])('JSON made item by item is the same as in one piece', async (value) => {
  const grown: number[] = [];
  const { body, characters } = await jsonOf(value, (bytes) => grown.push(bytes));
  const whole = JSON.stringify(value);
  expect(Buffer.from(body).toString()).toBe(whole);
  expect(characters).toBe(whole.length);
  expect(Math.max(0, ...grown)).toBeLessThanOrEqual(Buffer.byteLength(whole));
});
