import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { tick } from '../../src/tick.ts';
import { finishRemovals } from '../../src/workspaces/removals.ts';
import { ada, call, home, inside, listId, reopen, spaceId, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { as, homeOf, joined } from '../people.ts';
import { DAILY } from '../series-world.ts';

/** More than goes in a few steps. */
const MANY = 1_500;

useHome();
afterEach(() => expectIntegrity(world));

const marks = () => world.values(`select key from meta where key like 'residue%'`);
const makeSpace = async (title: string) =>
  (await call('POST', `${inside}/spaces`, { title })).body as {
    id: string;
    lists: { id: string }[];
  };
const inFiles = (needle: string): boolean => {
  world.opened.storage.writing.pragma('wal_checkpoint(truncate)');
  return readFileSync(join(world.folder, 'errand.db'), 'latin1').includes(needle);
};
/** A space of two lists, so many tasks in each. */
async function furnish(tasks: number, title: string) {
  const { id: spaceId, lists } = await makeSpace(title);
  const second = (await call('POST', `${inside}/lists`, { title, spaceId })).body;
  const listIds = [lists[0]?.id ?? '', second.id];
  for (const listId of listIds) await addTasks(world, home, tasks, { listId, title, creatorId: ada.id });
  return { spaceId, listIds };
}
/** Begins a deletion in steps, parked before its second commit, so that a test meets it halfway however quick it is. */
async function beginDeletion(path: string) {
  const { write } = world.deps;
  const isParked = Promise.withResolvers<void>();
  const mayGoOn = Promise.withResolvers<void>();
  world.deps.write = async (job) => {
    // The first to write once a deletion has begun is that deletion, which takes one step after the other.
    if (world.count('removals') === 0) return write(job);
    world.deps.write = write;
    isParked.resolve();
    await mayGoOn.promise;
    return write(job);
  };
  const removal = call('DELETE', path);
  await isParked.promise;
  return { removal, goOn: mayGoOn.resolve };
}
/** Notes how much is left after each commit from now on. */
function watchCommits(count: () => number) {
  const left = [count()];
  const { write } = world.deps;
  world.deps.write = async (job) => {
    const result = await write(job);
    left.push(count());
    return result;
  };
  const largestStep = () => Math.max(...left.slice(1).map((n, i) => (left[i] ?? 0) - n));
  return { left, largestStep };
}
const found = async (word: string) => (await call('GET', `${inside}/tasks/search?q=${word}`)).body.total;

it('of long tasks fewer go in one step', async () => {
  const { listIds } = await furnish(0, 'Long');
  const description = 'word '.repeat(4_000);
  for (let i = 0; i < 60; i += 1)
    await call('POST', `${inside}/tasks`, { title: 'Long', description, listId: listIds[0] });
  const { left, largestStep } = watchCommits(() => world.count('tasks'));
  expect((await call('DELETE', `${inside}/lists/${listIds[0]}?permanent=true`)).status).toBe(204);
  expect(left.at(-1)).toBe(0);
  expect(largestStep() * description.length).toBeLessThanOrEqual(400_000);
});

it.each(['workspace', 'space'])(
  'lists and the ids of what was deleted before go with their %s in steps',
  async (what) => {
    const MANY_ROWS = 4_000;
    const { id: spaceId } = await makeSpace('Many');
    const rows = (table: string, columns: string, values: string) =>
      world.run(
        `with recursive made (n) as (select 1 union all select n + 1 from made where n < ?)
          insert into ${table} (${columns}) select 'made ' || n, ${values} from made, (
            select workspaces.code, workspace_id, space_id, status_template_id from lists
              join workspaces on workspaces.id = workspace_id where space_id = ?)`,
        MANY_ROWS,
        spaceId,
      );
    const ofList = 'workspace_id, space_id, status_template_id';
    const at = '2026-03-27T10:00:00.000Z';
    if (what === 'workspace') rows('deleted_ids', 'id, workspace_code', 'code');
    rows(
      'lists',
      `id, ${ofList}, title, position, version, created_at, updated_at`,
      `${ofList}, 'List', n, 1, '${at}', '${at}'`,
    );
    // The ids of lists that go with a space are remembered in their turn.
    const made = () => world.count('lists') + (what === 'workspace' ? world.count('deleted_ids') : 0);
    const kept = what === 'workspace' ? 0 : 1;
    const { left, largestStep } = watchCommits(made);
    const path = what === 'workspace' ? '' : `/spaces/${spaceId}?permanent=true`;
    expect((await call('DELETE', `${inside}${path}`)).status).toBe(204);
    expect(left.at(-1)).toBe(kept);
    expect(largestStep()).toBeLessThan(MANY_ROWS / 4);
  },
);

describe.each([
  ['few', 4],
  ['some', 120],
  ['many', MANY],
])('with %s tasks', (_name, tasks) => {
  it('a list goes with its tasks, and nothing else', async () => {
    const { listIds } = await furnish(tasks, 'Zebra');
    expect((await call('DELETE', `${inside}/lists/${listIds[0]}?permanent=true`)).status).toBe(204);
    expect((await call('GET', `${inside}/lists/${listIds[0]}`)).status).toBe(404);
    expect([world.count('tasks'), await found('zebra')]).toEqual([tasks, tasks]);
    expect((await call('GET', `${inside}/tasks`)).body.total).toBe(tasks);
    expect(world.count('removals')).toBe(0);
    await finishRemovals(world.deps);
    expect(marks()).toEqual([]);
  });

  it('a space goes with its lists and their tasks, and nothing else', async () => {
    const gone = await furnish(tasks, 'Zebra');
    const kept = await furnish(5, 'Quagga');
    expect((await call('DELETE', `${inside}/spaces/${gone.spaceId}?permanent=true`)).status).toBe(204);
    expect((await call('GET', `${inside}/lists/${gone.listIds[1]}`)).status).toBe(404);
    expect((await call('GET', `${inside}/lists/${kept.listIds[1]}`)).status).toBe(200);
    expect([world.count('tasks'), await found('zebra'), await found('quagga')]).toEqual([10, 0, 10]);
    await finishRemovals(world.deps);
    expect(inFiles('zebra')).toBe(false);
  });

  it('a workspace goes with everything in it', async () => {
    await furnish(tasks, 'Zebra');
    await joined(world, ada, home, 'member');
    expect((await call('DELETE', inside)).status).toBe(204);
    expect((await call('GET', inside)).status).toBe(404);
    expect([world.count('tasks'), world.count('workspaces'), world.count('task_counts')]).toEqual([0, 1, 0]);
    await finishRemovals(world.deps);
    expect(inFiles('zebra')).toBe(false);
  });

  it('an account goes with its workspaces, and leaves no trace', async () => {
    await furnish(tasks, 'Zebra');
    const { id } = (await call('POST', '/workspaces', { title: 'Second' })).body;
    await addTasks(world, id, tasks, { assigneeId: ada.id });
    expect((await call('DELETE', '/auth/me', { password: ada.password })).status).toBe(204);
    for (const table of ['users', 'workspaces', 'tasks', 'removals']) expect(world.count(table)).toBe(0);
    expect(inFiles('zebra') || inFiles('ada@')).toBe(false);
    expect(marks()).toEqual([]);
  });
});

describe('series that have decided upon much', () => {
  const SERIES = 30;
  const DECIDED = 4_000;
  beforeEach(async () => {
    for (let made = 0; made < SERIES; made += 1) {
      const body = { title: 'Water', listId, interval: DAILY };
      expect((await call('POST', `${inside}/recurring-tasks`, body)).status).toBe(201);
    }
    world.run(
      `with recursive decided (n) as (select 2 union all select n + 1 from decided where n < ?)
        insert into recurring_occurrences
          select id, 1, strftime('%Y-%m-%dT09:00', '2026-03-27', n || ' days'), '2026-03-28T09:00:00.000Z', n, 'missed', null
          from decided, (select id from recurring_series limit 1)`,
      DECIDED,
    );
  });

  it.each(['list', 'space', 'workspace'])('go with their %s in steps', async (kind) => {
    const path = { list: `/lists/${listId}`, space: `/spaces/${spaceId}`, workspace: '' }[kind];
    const decided = () => world.count('recurring_occurrences') + world.count('recurring_series');
    const { left, largestStep } = watchCommits(decided);
    expect((await call('DELETE', `${inside}${path}?permanent=true`)).status).toBe(204);
    expect(left.at(-1)).toBe(0);
    expect(largestStep()).toBeLessThan(DECIDED / 4);
    expect(world.count('removals')).toBe(0);
  });
});

describe('while much is deleted', () => {
  it('others are served, and what they write stays', async () => {
    await addTasks(world, home, MANY);
    const eve = await world.signUp('eve@example.com', 'Eve');
    const other = await homeOf(world, eve);
    const listId = (await as(world, eve)('GET', `/workspaces/${other}/lists`)).body.items[0].id;
    let isDone = false;
    const removal = call('DELETE', inside).finally(() => {
      isDone = true;
    });
    let written = 0;
    while (!isDone) {
      const title = `While ${written}`;
      const { status } = await as(world, eve)('POST', `/workspaces/${other}/tasks`, { title, listId });
      expect(status).toBe(201);
      written += 1;
    }
    expect((await removal).status).toBe(204);
    expect(written).toBeGreaterThan(10);
    expect(world.count('tasks')).toBe(written);
  });

  it('nobody sees the workspace any more, not even a second deletion', async () => {
    await addTasks(world, home, MANY);
    const bob = await joined(world, ada, home, 'member');
    const { removal, goOn } = await beginDeletion(inside);
    expect((await call('GET', inside)).status).toBe(404);
    expect(world.count('tasks')).toBeGreaterThan(0);
    expect((await call('DELETE', inside)).status).toBe(404);
    expect((await as(world, bob)('GET', '/me/workspaces')).body.total).toBe(1);
    goOn();
    expect((await removal).status).toBe(204);
  });

  it('nobody is told of what falls due in the workspace', async () => {
    const bob = await joined(world, ada, home, 'member');
    await addTasks(world, home, MANY, { assigneeId: bob.id, isOpen: true });
    await tick(world.deps);
    const { removal, goOn } = await beginDeletion(inside);
    world.clock.advance(DAY);
    await tick(world.deps);
    expect(world.count('notifications')).toBe(0);
    goOn();
    expect((await removal).status).toBe(204);
  });

  it.each([
    ['few', 3],
    ['many', 60],
  ])('its owner, named by %s tasks elsewhere, is deleted once it is gone', async (_name, tasks) => {
    const bob = await world.signUp();
    await addTasks(world, await homeOf(world, bob), tasks, { creatorId: ada.id });
    await addTasks(world, home, MANY);
    const { removal, goOn } = await beginDeletion(inside);
    const departure = call('DELETE', '/auth/me', { password: ada.password });
    expect(world.count('tasks')).toBeGreaterThan(tasks);
    goOn();
    expect([(await departure).status, world.count('users'), world.count('removals')]).toEqual([204, 1, 0]);
    expect([(await removal).status, world.count('tasks'), world.count('workspaces')]).toEqual([
      204,
      tasks,
      1,
    ]);
  });

  it('a second deletion of a list waits for the first, and tasks that still come go with it', async () => {
    const { listIds } = await furnish(MANY, 'Zebra');
    const path = `${inside}/lists/${listIds[0]}`;
    const { removal: first, goOn } = await beginDeletion(`${path}?permanent=true`);
    const late = await call('POST', `${inside}/tasks`, { title: 'Late', listId: listIds[0] });
    const second = call('DELETE', `${path}?permanent=true`);
    goOn();
    expect([(await first).status, late.status, (await second).status]).toEqual([204, 201, 204]);
    expect(world.count('tasks')).toBe(MANY);
  });

  it('a list cannot be moved out of a space that goes: half of its tasks are gone', async () => {
    const { spaceId: gone, listIds } = await furnish(MANY, 'Zebra');
    const { removal, goOn } = await beginDeletion(`${inside}/spaces/${gone}?permanent=true`);
    const path = `${inside}/lists/${listIds[1]}`;
    const renamed = await call('PATCH', path, { title: 'Renamed' });
    const moved = await call('PATCH', path, { spaceId });
    goOn();
    expect([renamed.status, moved.status, (await removal).status]).toEqual([200, 404, 204]);
    expect(world.count('tasks')).toBe(0);
  });

  it.each(['list', 'space'] as const)('a series cannot be taken out of a %s that goes', async (kind) => {
    const { spaceId, listIds } = await furnish(MANY, 'Zebra');
    const body = { title: 'Water', listId: listIds[0], interval: DAILY };
    const { id, nextTaskId } = (await call('POST', `${inside}/recurring-tasks`, body)).body;
    const at = `${inside}/recurring-tasks/${id}`;
    const gone = kind === 'list' ? `lists/${listIds[0]}` : `spaces/${spaceId}`;
    const { removal, goOn } = await beginDeletion(`${inside}/${gone}?permanent=true`);
    const updates = { listId };
    const statuses = [
      (await call('PATCH', at, { title: 'Milk' })).status,
      (await call('PATCH', at, updates)).status,
      (await call('POST', `${at}/instances/${nextTaskId}/edit-mode`, { mode: 'all', updates })).status,
    ];
    goOn();
    expect([...statuses, (await removal).status]).toEqual([200, 404, 404, 204]);
    expect((await call('GET', at)).status).toBe(404);
  });

  it.each(['list', 'space'] as const)('a task leaves and enters no %s that goes', async (kind) => {
    const { spaceId, listIds } = await furnish(MANY, 'Zebra');
    const tasks = `${inside}/tasks`;
    const make = async (title: string) =>
      (await call('POST', tasks, { title, listId: listIds[0] })).body.id as string;
    const [said, deleted] = [await make('Said'), await make('Deleted')];
    const body = 'Long '.repeat(4_000);
    for (let i = 0; i < 30; i += 1) await call('POST', `${tasks}/${said}/comments`, { body });
    await call('DELETE', `${tasks}/${deleted}`);
    const gone = kind === 'list' ? `lists/${listIds[0]}` : `spaces/${spaceId}`;
    const { removal, goOn } = await beginDeletion(`${inside}/${gone}?permanent=true`);
    const restore = `${inside}/trash/${deleted}/restore`;
    const statuses = [
      (await call('POST', `${tasks}/${said}/move`, { listId })).status,
      (await call('DELETE', `${tasks}/${said}`)).status,
      (await call('POST', restore)).status,
    ];
    goOn();
    expect([...statuses, (await removal).status]).toEqual([404, 404, 400, 204]);
    expect((await call('POST', restore, { listId })).body).toMatchObject({ id: deleted });
    expectIntegrity(world);
  });

  it('what is deleted apart from it is erased with it', async () => {
    const { listIds } = await furnish(MANY, 'Zebra');
    const { id } = (await call('POST', `${inside}/tasks`, { title: 'Okapi', listId })).body;
    const { removal, goOn } = await beginDeletion(`${inside}/lists/${listIds[0]}?permanent=true`);
    expect((await call('DELETE', `${inside}/tasks/${id}?permanent=true`)).status).toBe(204);
    goOn();
    expect((await removal).status).toBe(204);
    await finishRemovals(world.deps);
    expect(inFiles('okapi')).toBe(false);
  });
});

describe('words of edited tasks and of single ones that are deleted', () => {
  it('go from the files in the night, also after a clock that was years ahead', async () => {
    const now = world.clock.now();
    world.clock.advance(3_650 * DAY);
    await finishRemovals(world.deps);
    world.clock.set(now);
    const body = { title: 'Zebra', listId };
    const { id } = (await call('POST', `${inside}/tasks`, body)).body;
    await call('POST', `${inside}/tasks`, { ...body, title: 'Okapi' });
    await call('DELETE', `${inside}/tasks/${id}?permanent=true`);
    await finishRemovals(world.deps);
    expect([inFiles('zebra'), inFiles('okapi')]).toEqual([false, true]);
  });

  it('go from the files in the night, and nothing else is done for it', async () => {
    const made = async (title: string) =>
      `${inside}/tasks/${(await call('POST', `${inside}/tasks`, { title, listId })).body.id}`;
    await finishRemovals(world.deps);
    expect(await world.commitsOf(() => finishRemovals(world.deps))).toBe(0);

    await call('PATCH', await made('Zebra'), { title: 'Okapi' });
    await call('DELETE', `${await made('Quagga')}?permanent=true`);
    world.clock.advance(DAY);
    await finishRemovals(world.deps);
    expect([inFiles('zebra'), inFiles('quagga'), inFiles('okapi')]).toEqual([false, false, true]);
  });
});

describe('a stop in the midst of it', () => {
  it.each(['list', 'space', 'workspace'])(
    'leaves a %s to the next server, which finishes it',
    async (kind) => {
      const { spaceId, listIds } = await furnish(MANY, 'Zebra');
      const path = { list: `/lists/${listIds[0]}`, space: `/spaces/${spaceId}`, workspace: '' }[kind];
      const { write } = world.deps;
      let steps = 0;
      world.deps.write = (job) => {
        if (world.count('removals') === 1) steps += 1;
        if (steps === 4) world.opened.beginStop();
        return write(job);
      };
      expect((await call('DELETE', `${inside}${path}?permanent=true`)).status).toBe(503);
      const left = world.count('tasks');
      expect([left > MANY, world.count('removals')]).toEqual([true, 1]);
      expect(marks()).toContain('residue_in_search');

      await reopen();
      await finishRemovals(world.deps);
      expect([world.count('tasks'), world.count('removals'), marks()]).toEqual([
        kind === 'list' ? MANY : 0,
        0,
        [],
      ]);
      expect(inFiles('zebra')).toBe(kind === 'list');
    },
  );
});
