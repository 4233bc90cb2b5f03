import { afterEach, describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { type StoredEntry, saveEntryState, sizeOfTrash } from '../../src/storage/trash.ts';
import { tick } from '../../src/tick.ts';
import { purgeTrash } from '../../src/trash/purge.ts';
import { finishEntries } from '../../src/trash/steps.ts';
import { contentsOf, expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { joined, pathsOf } from '../people.ts';
import { DAILY, DAY, w as series, useSeriesWorld } from '../series-world.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(series.world));

const ok = (...asked: Parameters<typeof series.ok>) => series.ok(...asked);
const at = (rest: string) => series.inside + rest;
/** Without versions, which a restore raises. */
const bare = (value: unknown) =>
  JSON.parse(JSON.stringify(value, (key, inner) => (key === 'version' ? undefined : inner)));
const everything = () => contentsOf(series.world);

/** A list with tasks of all sorts and a series, another list with an instance of it, in a space of their own. */
async function furnish() {
  const space = await ok('POST', at('/spaces'), { title: 'Home' });
  const [first] = space.lists;
  const other = await ok('POST', at('/lists'), { spaceId: space.id, title: 'Other' });
  const label = await ok('POST', at('/labels'), { title: 'Shop' });
  for (let i = 0; i < 5; i += 1) {
    const task = await ok('POST', at('/tasks'), {
      title: `Task ${i}`,
      listId: first.id,
      labelIds: [label.id],
      checklist: [{ title: 'Item', isDone: i % 2 === 0 }],
    });
    await ok('POST', at(`/tasks/${task.id}/comments`), { body: `Said ${i}` });
  }
  const job = await series.create({ listId: first.id, labelIds: [label.id], checklist: [{ title: 'Can' }] });
  await series.complete(job.nextTaskId);
  const second = (await series.read(job.id)).nextTaskId;
  await ok('POST', at(`/tasks/${second}/move`), { listId: other.id });
  await series.complete(second);
  return { space, first, other, label, job };
}

describe('a deleted list', () => {
  it('takes its tasks, series, comments and labels along, and brings them back as they were', async () => {
    const { first, job, other } = await furnish();
    const before = everything();
    const tasks = await ok('GET', at('/tasks'));
    const list = await ok('GET', at(`/lists/${first.id}`));
    const recurring = await series.read(job.id);
    await ok('DELETE', at(`/lists/${first.id}`));
    expect((await series.call('GET', at(`/lists/${first.id}`))).status).toBe(404);
    expect((await series.call('GET', at(`/recurring-tasks/${job.id}`))).status).toBe(404);
    const left = (await ok('GET', at('/tasks'))).items;
    expect(left.map(({ listId }: { listId: string }) => listId)).toEqual([other.id]);
    expect(left[0].recurrence.recurringTaskId).toBeNull();
    expect((await ok('GET', at('/trash'))).items).toMatchObject([
      { id: first.id, kind: 'list', title: 'Tasks', itemCount: 7 },
    ]);
    expect((await ok('GET', at('/tasks/search?q=said'))).total).toBe(0);
    expectIntegrity(series.world);
    const back = await ok('POST', at(`/trash/${first.id}/restore`));
    expect(back.version).toBeGreaterThan(list.version);
    expect(bare(back)).toEqual(bare(list));
    expect(everything()).toEqual(before);
    expect(bare(await ok('GET', at('/tasks')))).toEqual(bare(tasks));
    expect(bare(await series.read(job.id))).toEqual(bare(recurring));
    expect((await ok('GET', at('/tasks/search?q=said'))).total).toBe(5);
    expect((await ok('GET', at('/trash'))).total).toBe(0);
  });

  it('is told to those who follow: a delete, then all of it again', async () => {
    const { first } = await furnish();
    const { cursor } = await ok('GET', at('/changes?limit=1000'));
    await ok('DELETE', at(`/lists/${first.id}`));
    const gone = await ok('GET', at(`/changes?cursor=${cursor}`));
    expect(gone.items).toContainEqual({ kind: 'list', op: 'delete', id: first.id });
    await ok('POST', at(`/trash/${first.id}/restore`));
    const kinds: string[] = [];
    for (let page = gone; page === gone || page.hasMore; ) {
      page = await ok('GET', at(`/changes?cursor=${page.cursor}&limit=1000`));
      kinds.push(...page.items.map(({ kind, op }: { kind: string; op: string }) => `${op} ${kind}`));
    }
    expect(kinds).toContain('put list');
    expect(kinds).toContain('put recurringTask');
    expect(kinds.filter((kind) => kind === 'put task')).toHaveLength(8);
  });

  it('needs a space when its own is gone, and takes one that is named', async () => {
    const { space, first } = await furnish();
    await ok('DELETE', at(`/lists/${first.id}`));
    await ok('DELETE', at(`/spaces/${space.id}`));
    const none = await series.call('POST', at(`/trash/${first.id}/restore`));
    expect([none.status, none.body.issues[0].path]).toEqual([400, 'spaceId']);
    const unknown = await series.call('POST', at(`/trash/${first.id}/restore`), { spaceId: first.id });
    const paths = pathsOf(unknown.body);
    expect([unknown.status, paths]).toEqual([400, ['spaceId']]);
    const { items: entries } = await ok('GET', at('/trash'));
    expect(entries.map(({ id }: { id: string }) => id)).toEqual([space.id, first.id]);
    const back = await ok('POST', at(`/trash/${first.id}/restore`), { spaceId: series.list.spaceId });
    expect(back).toMatchObject({ id: first.id, spaceId: series.list.spaceId });
    const { items } = await ok('GET', at(`/tasks?listId=${first.id}`));
    expect(new Set(items.map(({ spaceId }: { spaceId: string }) => spaceId))).toEqual(
      new Set([series.list.spaceId]),
    );
  });

  it('takes the default template where its own is gone', async () => {
    const template = await ok('POST', at('/status-templates'), { title: 'Other' });
    const list = await ok('POST', at('/lists'), {
      spaceId: series.list.spaceId,
      title: 'Other',
      statusTemplateId: template.id,
    });
    await ok('POST', at('/tasks'), { title: 'Milk', listId: list.id, statusId: template.statuses[1].id });
    await ok('DELETE', at(`/lists/${list.id}`));
    await ok('DELETE', at(`/status-templates/${template.id}`));
    const back = await ok('POST', at(`/trash/${list.id}/restore`));
    expect(back.statusTemplateId).toBe(series.list.statusTemplateId);
    const { items } = await ok('GET', at(`/tasks?listId=${list.id}`));
    expect(items[0].statusId).toBe(series.list.statuses[1].id);
  });

  it('keeps a template of its own that is there still', async () => {
    const template = await ok('POST', at('/status-templates'), { title: 'Other' });
    const list = await series.anotherList({ statusTemplateId: template.id });
    await ok('DELETE', at(`/lists/${list.id}`));
    expect(bare(await ok('POST', at(`/trash/${list.id}/restore`)))).toEqual(bare(list));
  });

  it('has a series that catches up once it is back, and tells of no overdue task twice', async () => {
    const { first, job } = await furnish();
    await ok('DELETE', at(`/lists/${first.id}`));
    series.world.clock.advance(5 * DAY);
    await series.ok('POST', at(`/trash/${first.id}/restore`));
    const { nextRunAt } = await series.read(job.id);
    expect(Date.parse(nextRunAt)).toBeGreaterThan(series.world.clock.now());
    const numbers = series.instances(job.id).map(({ occurrence_number: number }) => number);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

describe.each(['list', 'space'])('a deleted %s', (kind) => {
  it.each(['where that is asked for', 'where there is no trash'])('is gone at once %s', async (where) => {
    const { space, first } = await furnish();
    const { config } = series.world.deps;
    const isAsked = where === 'where that is asked for';
    if (!isAsked) Object.assign(series.world.deps, { config: { ...config, trash: { keep_days: 0 } } });
    const path = at(kind === 'list' ? `/lists/${first.id}` : `/spaces/${space.id}`);
    await ok('DELETE', `${path}?permanent=${isAsked}`);
    expect((await series.call('GET', path)).status).toBe(404);
    expect((await ok('GET', at(`/tasks?listId=${first.id}`))).total).toBe(0);
    expect((await ok('GET', at('/trash'))).total).toBe(0);
  });

  it('counts as many bytes in the trash as before', async () => {
    const { space, first, other } = await furnish();
    if (kind === 'list') await ok('DELETE', at(`/lists/${other.id}?permanent=true`));
    const [before] = series.world.values(
      `select (select sum(bytes) from task_counts) + (select sum(bytes) from series_counts)`,
    );
    await ok('DELETE', at(kind === 'list' ? `/lists/${first.id}` : `/spaces/${space.id}`));
    expect(sizeOfTrash(series.world.deps.read).bytes).toBe(before);
  });
});

it('a list with more of everything than goes in one step comes back as it was', async () => {
  const MORE = 70;
  const list = await series.anotherList();
  await addTasks(series.world, series.workspaceId, MORE, { listId: list.id });
  const [task] = (await ok('GET', at(`/tasks?listId=${list.id}`))).items;
  const body = 'Said '.repeat(4_000);
  for (let i = 0; i < 20; i += 1) await ok('POST', at(`/tasks/${task.id}/comments`), { body });
  for (let i = 0; i < MORE; i += 1) await series.create({ listId: list.id });
  const before = everything();
  await ok('DELETE', at(`/lists/${list.id}`));
  expect((await ok('GET', at('/tasks'))).total).toBe(0);
  expect((await ok('GET', at('/trash'))).items).toMatchObject([{ itemCount: 2 * MORE }]);
  expectIntegrity(series.world);
  await ok('POST', at(`/trash/${list.id}/restore`));
  expect(everything()).toEqual(before);
});

it('a space with more lists than go in one step comes back as it was', async () => {
  const { id } = await ok('POST', at('/spaces'), { title: 'Home' });
  for (let i = 0; i < 70; i += 1) await ok('POST', at('/lists'), { spaceId: id, title: `List ${i}` });
  const before = everything();
  await ok('DELETE', at(`/spaces/${id}`));
  await ok('POST', at(`/trash/${id}/restore`));
  expect(everything()).toEqual(before);
});

it('what is being deleted for good is no more in the trash, and is gone once that goes on', async () => {
  const [kept, gone] = [await series.anotherList(), await series.anotherList()];
  await addTasks(series.world, series.workspaceId, 250, { listId: gone.id });
  for (const { id } of [kept, gone]) await ok('DELETE', at(`/lists/${id}`));
  const { write } = series.world.deps;
  let left = 1;
  series.world.deps.write = (job, from) => {
    left -= 1;
    return left < 0 ? Promise.reject(new Error('killed')) : write(job, from);
  };
  expect((await series.call('DELETE', at(`/trash/${gone.id}`))).status).toBe(500);
  series.world.deps.write = write;
  expect(series.world.count('trash_rows')).toBeGreaterThan(100);
  expect((await ok('GET', at('/trash'))).items).toMatchObject([{ id: kept.id }]);
  expect((await series.call('POST', at(`/trash/${gone.id}/restore`))).status).toBe(404);
  await finishEntries(series.world.deps);
  expect(series.world.count('trash')).toBe(1);
  expect(series.world.count('trash_rows')).toBe(1);
});

/** Has the write after so many do something else first. */
function before(write: number, happens: () => Promise<unknown>): void {
  const { deps } = series.world;
  const { write: real } = deps;
  let writes = 0;
  deps.write = async (job, from) => {
    writes += 1;
    if (writes === write) await happens();
    return real(job, from);
  };
}

it('a client that follows a list on its way into the trash is told at the end that all of it is gone', async () => {
  const list = await series.anotherList();
  await addTasks(series.world, series.workspaceId, 2_001, { listId: list.id });
  let { resume: cursor } = await ok('GET', at('/changes?limit=1'));
  const told = async () => {
    const page = await ok('GET', at(`/changes?cursor=${cursor}`));
    ({ cursor } = page);
    return page.items;
  };
  const isDeleted = { kind: 'list', op: 'delete', id: list.id };
  const early: unknown[] = [];
  before(5, async () => early.push(...(await told())));
  await ok('DELETE', at(`/lists/${list.id}`));
  expect([early, await told()]).toEqual([[isDeleted], [isDeleted]]);
});

it('what is on its way out of the trash is not purged when its time is over', async () => {
  const list = await series.anotherList();
  await addTasks(series.world, series.workspaceId, 3, { listId: list.id });
  await ok('DELETE', at(`/lists/${list.id}`));
  const [code = 0] = series.world.values<number>('select code from trash');
  const { deps, clock } = series.world;
  clock.advance(30 * DAY);
  await purgeTrash(deps);
  clock.advance(DAY);
  const { write } = deps;
  before(2, () => write((tx) => saveEntryState(tx, { code } as StoredEntry, { state: 'restoring' })));
  await purgeTrash(deps);
  await finishEntries(deps);
  expect(series.world.count('tasks')).toBe(3);
});

it.each(['all', 'that list'])(
  'deleting %s from the trash takes along what is still on its way into it',
  async (what) => {
    const list = await series.anotherList();
    await addTasks(series.world, series.workspaceId, 2_001, { listId: list.id });
    const removal = ok('DELETE', at(`/lists/${list.id}`));
    while (series.world.count('trash') === 0) await new Promise(setImmediate);
    await ok('DELETE', at(what === 'all' ? '/trash' : `/trash/${list.id}`));
    await removal;
    for (const table of ['tasks', 'trash', 'trash_rows']) expect(series.world.count(`${table}`)).toBe(0);
    expect(series.world.count(`lists where id = '${list.id}'`)).toBe(0);
  },
);

it('a series is told of when its upcoming instance goes with another list, and has it again when that is back', async () => {
  const other = await series.anotherList();
  const job = await series.create();
  await ok('POST', at(`/tasks/${job.nextTaskId}/move`), { listId: other.id });
  const before = [await series.read(job.id), series.occurrences(job.id)];
  const { cursor } = await ok('GET', at('/changes?limit=1000'));
  await ok('DELETE', at(`/lists/${other.id}`));
  const { items } = await ok('GET', at(`/changes?cursor=${cursor}`));
  const value = await series.read(job.id);
  expect(items).toContainEqual({ kind: 'recurringTask', op: 'put', id: job.id, value });
  expect(value.nextTaskId).toBeNull();
  await ok('POST', at(`/trash/${other.id}/restore`));
  expect(bare([await series.read(job.id), series.occurrences(job.id)])).toEqual(bare(before));
});

it('a series that comes back lacks its instances of other lists that are deleted for good by then', async () => {
  const other = await series.anotherList();
  const list = await series.anotherList();
  const job = await series.create({ listId: list.id });
  await series.complete(job.nextTaskId);
  const ids = [job.nextTaskId, (await series.read(job.id)).nextTaskId];
  for (const id of ids) await ok('POST', at(`/tasks/${id}/move`), { listId: other.id });
  await ok('DELETE', at(`/lists/${list.id}`));
  for (const id of ids) await ok('DELETE', at(`/tasks/${id}?permanent=true`));
  await ok('POST', at(`/trash/${list.id}/restore`));
  expect((await series.read(job.id)).nextTaskId).toBeNull();
  expect(series.occurrences(job.id)).toMatchObject([
    { state: 'deleted', task_id: null },
    { state: 'deleted', task_id: null },
  ]);
});

it.each(['of no series', 'the first instance of another series'])(
  'a series that comes back lacks a task that is %s by then',
  async (what) => {
    const list = await series.anotherList();
    const job = await series.create({ listId: list.id });
    const taskId = job.nextTaskId;
    await ok('POST', at(`/tasks/${taskId}/move`), { listId: series.list.id });
    await ok('DELETE', at(`/lists/${list.id}`));
    const { id: later } = await ok('POST', at('/recurring-tasks'), { taskId, interval: DAILY });
    if (what === 'of no series') await ok('DELETE', at(`/recurring-tasks/${later}?keepUpcoming=true`));
    const { recurrence } = await series.task(taskId);
    await ok('POST', at(`/trash/${list.id}/restore`));
    expect((await series.task(taskId)).recurrence).toEqual(recurrence);
    expect(series.occurrences(job.id)).toMatchObject([{ state: 'deleted', task_id: null }]);
    expect((await series.read(job.id)).nextTaskId).toBeNull();
  },
);

it('a series that comes back is computed again where that was with other zone data', async () => {
  await series.create();
  await tick(series.world.deps);
  const versions = () =>
    series.world.deps.read.all(query.selectFrom('recurring_series').select(['tz_version', 'next_run_at']));
  const before = versions();
  await series.world.deps.write((tx) =>
    tx.run(
      query
        .updateTable('recurring_series')
        .set({ tz_version: '1999z', next_run_at: '2026-03-30T00:00:00.000Z' }),
    ),
  );
  await ok('DELETE', at(`/lists/${series.list.id}`));
  await ok('POST', at(`/trash/${series.list.id}/restore`));
  await tick(series.world.deps);
  expect(versions()).toEqual(before);
});

it.each([
  ['lists', 'list'],
  ['lists', 'space'],
  ['spaces', 'space'],
  ['series', 'list'],
  ['megabytes', 'list'],
] as const)('while the quota of %s is exceeded no %s is restored', async (quota, kind) => {
  const { space, first } = await furnish();
  const id = kind === 'list' ? first.id : space.id;
  const long = { title: 'Long', listId: first.id, description: 'あ'.repeat(50_000) };
  for (let i = 0; quota === 'megabytes' && i < 7; i += 1) await ok('POST', at('/tasks'), long);
  await ok('DELETE', at(`/${kind}s/${id}`));
  const { config } = series.world.deps;
  await series.create();
  Object.assign(series.world.deps, {
    config: { ...config, quotas: { ...config.quotas, [quota]: 1 } },
  });
  const { status, body } = await series.call('POST', at(`/trash/${id}/restore`));
  expect([status, body.message]).toEqual([403, expect.stringContaining(`(quotas.${quota})`)]);
  Object.assign(series.world.deps, { config });
  await ok('POST', at(`/trash/${id}/restore`));
});

it('a series that comes back with its list is assigned to nobody who has left', async () => {
  const { world, owner, workspaceId } = series;
  const [stays, leaves] = [
    await joined(world, owner, workspaceId, 'member', 'Stays'),
    await joined(world, owner, workspaceId, 'member', 'Leaves'),
  ];
  const list = await series.anotherList();
  const jobs = [];
  for (const { id } of [stays, leaves]) jobs.push(await series.create({ listId: list.id, assigneeId: id }));
  await ok('DELETE', at(`/lists/${list.id}`));
  await ok('DELETE', at(`/members/${leaves.id}`));
  await ok('POST', at(`/trash/${list.id}/restore`));
  const assignees = await Promise.all(jobs.map(async ({ id }) => (await series.read(id)).assigneeId));
  expect(assignees).toEqual([stays.id, null]);
});

it('an instance in another list is told of when its series goes into the trash, and when that comes back', async () => {
  const { first, other } = await furnish();
  const [instance] = (await ok('GET', at(`/tasks?listId=${other.id}`))).items;
  let { cursor } = await ok('GET', at('/changes?limit=1000'));
  const told = async () => {
    const ids: string[] = [];
    for (let hasMore = true; hasMore; ) {
      const page = await ok('GET', at(`/changes?cursor=${cursor}&limit=1000`));
      ({ cursor, hasMore } = page);
      ids.push(...page.items.map(({ id }: { id: string }) => id));
    }
    return ids;
  };
  await ok('DELETE', at(`/lists/${first.id}`));
  expect(await told()).toContain(instance.id);
  const alone = await series.task(instance.id);
  expect([alone.recurrence.recurringTaskId, alone.version > instance.version]).toEqual([null, true]);
  await ok('POST', at(`/trash/${first.id}/restore`));
  expect(await told()).toContain(instance.id);
  const back = await series.task(instance.id);
  expect([back.recurrence, back.version > alone.version]).toEqual([instance.recurrence, true]);
});

it('an instance in another list that was done while its series was in the trash stays when the series skips', async () => {
  const [home, other] = [await series.anotherList(), await series.anotherList()];
  const { id, nextTaskId } = await series.create({ listId: home.id });
  await ok('POST', at(`/tasks/${nextTaskId}/move`), { listId: other.id });
  await ok('DELETE', at(`/lists/${home.id}`));
  await series.complete(nextTaskId);
  await ok('POST', at(`/trash/${home.id}/restore`));
  expect((await series.skip(id)).nextOccurrenceNumber).toBe(2);
  expect((await series.task(nextTaskId)).recurrence.recurringTaskId).toBe(id);
});

describe('a deleted space', () => {
  it('takes its lists along, and brings them back as they were', async () => {
    const { space } = await furnish();
    const before = everything();
    await ok('DELETE', at(`/spaces/${space.id}`));
    expect((await series.call('GET', at(`/spaces/${space.id}`))).status).toBe(404);
    expect((await ok('GET', at('/lists'))).total).toBe(1);
    expect((await ok('GET', at('/trash'))).items).toMatchObject([
      { id: space.id, kind: 'space', title: 'Home', itemCount: 8 },
    ]);
    const { lists, ...alone } = space;
    expect(bare(await ok('POST', at(`/trash/${space.id}/restore`)))).toEqual(bare(alone));
    expect(everything()).toEqual(before);
  });

  it('does not take along what was deleted from it before', async () => {
    const { space, first } = await furnish();
    const before = everything();
    await ok('DELETE', at(`/lists/${first.id}`));
    await ok('DELETE', at(`/spaces/${space.id}`));
    await ok('POST', at(`/trash/${space.id}/restore`));
    await ok('POST', at(`/trash/${first.id}/restore`));
    expect(everything()).toEqual(before);
  });
});

describe('a deleted instance of a series', () => {
  it('comes back as an ordinary task where its deletion skipped the occurrence', async () => {
    const job = await series.create();
    await ok('DELETE', at(`/tasks/${job.nextTaskId}`));
    const after = await series.read(job.id);
    expect(after.nextOccurrenceNumber).toBe(2);
    const back = await ok('POST', at(`/trash/${job.nextTaskId}/restore`));
    expect(back.recurrence).toBeNull();
    expect(await series.read(job.id)).toEqual(after);
  });

  it('comes back as an instance where it was done before', async () => {
    const job = await series.create();
    const done = await series.complete(job.nextTaskId);
    const [before] = series.occurrences(job.id);
    await ok('DELETE', at(`/tasks/${job.nextTaskId}`));
    expect(series.occurrences(job.id)[0]).toMatchObject({ state: 'deleted', task_id: null });
    expect(bare(await ok('POST', at(`/trash/${job.nextTaskId}/restore`)))).toEqual(bare(done));
    expect(series.occurrences(job.id)[0]).toEqual(before);
  });

  it('only says when it was once its series is gone', async () => {
    const job = await series.create({ interval: DAILY });
    const done = await series.complete(job.nextTaskId);
    await ok('DELETE', at(`/tasks/${job.nextTaskId}`));
    await ok('DELETE', at(`/recurring-tasks/${job.id}`));
    const back = await ok('POST', at(`/trash/${job.nextTaskId}/restore`));
    expect(back.recurrence).toEqual({ ...done.recurrence, recurringTaskId: null });
  });

  it('is not in the trash where the series was told to skip', async () => {
    const job = await series.create();
    await series.skip(job.id);
    expect((await ok('GET', at('/trash'))).total).toBe(0);
  });
});

it('a series that comes back with its list steps back as before', async () => {
  const job = await series.create();
  await series.complete(job.nextTaskId);
  await series.skip(job.id);
  await ok('DELETE', at(`/lists/${series.list.id}`));
  await ok('POST', at(`/trash/${series.list.id}/restore`));
  for (const number of [2, 1]) {
    const { nextRunAt } = await series.read(job.id);
    await ok('POST', at(`/recurring-tasks/${job.id}/step-back`), { occurrenceAt: nextRunAt });
    expect((await series.read(job.id)).nextOccurrenceNumber).toBe(number);
  }
  expect((await series.read(job.id)).nextTaskId).toBe(job.nextTaskId);
});

describe('an instance in the trash', () => {
  it.each(['task', 'list'])(
    'is one of the later series when that was split meanwhile, deleted as a %s',
    async (kind) => {
      const other = await series.anotherList();
      const job = await series.create();
      const ids: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        const { nextTaskId } = await series.read(job.id);
        ids.push(nextTaskId);
        await series.complete(nextTaskId);
      }
      const [first, second, third] = ids as [string, string, string];
      for (const id of [first, third]) await ok('POST', at(`/tasks/${id}/move`), { listId: other.id });
      const before = await series.task(third);
      const entries = kind === 'list' ? [other.id] : [first, third];
      for (const id of entries) await ok('DELETE', at(kind === 'list' ? `/lists/${id}` : `/tasks/${id}`));
      await series.edit(job.id, second, 'following', { title: 'Later' });
      const { recurringTaskId } = (await series.task(second)).recurrence;
      expect(recurringTaskId).not.toBe(job.id);
      for (const id of entries) await ok('POST', at(`/trash/${id}/restore`));
      expect((await series.task(first)).recurrence).toMatchObject({
        recurringTaskId: job.id,
        occurrenceNumber: 1,
      });
      const after = await series.task(third);
      expect(bare(after)).toEqual(
        bare({ ...before, recurrence: { ...before.recurrence, recurringTaskId, occurrenceNumber: 2 } }),
      );
      const [occurrence] = (await series.occurrences(recurringTaskId)).filter(({ number }) => number === 2);
      expect(occurrence).toMatchObject({ state: 'generated', task_id: third });
    },
  );
});
