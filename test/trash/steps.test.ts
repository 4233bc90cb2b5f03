import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COUNTERS } from '../../src/storage/integrity.ts';
import { findEntry } from '../../src/storage/trash.ts';
import { deleteFromTrash } from '../../src/trash/purge.ts';
import { finishEntries } from '../../src/trash/steps.ts';
import { member } from '../../src/workspaces/authorization.ts';
import { contentsOf, expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { openSeriesWorld } from '../series-world.ts';
import { errand } from '../shell.ts';
import type { World } from '../world.ts';

const MANY = 5_000;
type SeriesWorld = Awaited<ReturnType<typeof openSeriesWorld>>;
let series: SeriesWorld;
let world: World;
let list: { id: string; spaceId: string };
beforeEach(async () => {
  series = await openSeriesWorld();
  ({ world } = series);
  list = await series.anotherList();
  const label = await ok('POST', at('/labels'), { title: 'Shop' });
  const job = await series.create({ listId: list.id, labelIds: [label.id] });
  await series.complete(job.nextTaskId);
  for (let i = 0; i < 20; i += 1) {
    const task = await ok('POST', at('/tasks'), {
      title: `Special ${i}`,
      listId: list.id,
      labelIds: [label.id],
      checklist: [{ title: 'Item', isDone: true }],
    });
    await ok('POST', at(`/tasks/${task.id}/comments`), { body: `Said ${i}` });
  }
  await addTasks(world, series.workspaceId, MANY - 22, { listId: list.id });
});
afterEach(() => expectIntegrity(world));

const ok = (...asked: Parameters<SeriesWorld['ok']>) => series.ok(...asked);
const at = (rest: string) => series.inside + rest;
const everything = () => contentsOf(world);

describe('a list of 5,000 tasks', () => {
  it('is whole in an export by a command where a stopped server left it between two places', async () => {
    const { write } = world.deps;
    let writes = 0;
    world.deps.write = ((...given: Parameters<typeof write>) => {
      writes += 1;
      if (writes === 3) world.opened.beginStop();
      return write(...given);
    }) as typeof write;
    await series.call('DELETE', at(`/lists/${list.id}`));
    expect(world.count(`trash where state = 'moving'`)).toBe(1);
    const { code, out, err } = await errand(world, ['export', '--user', series.owner.email]);
    expect([code, err]).toEqual([0, '']);
    const [{ lists, tasks, trash }] = JSON.parse(out).workspaces;
    expect(tasks).toEqual([]);
    expect([lists.length, trash[0].tasks.length, trash[0].lists.length]).toEqual([1, MANY, 1]);
  });

  it('goes to the trash and comes back equal, while others write between its steps', async () => {
    const before = everything();
    const stop = new AbortController();
    const made: string[] = [];
    const others = (async () => {
      while (!stop.signal.aborted) {
        const { id } = await ok('POST', at('/tasks'), { title: 'Other', listId: series.list.id });
        made.push(id);
      }
    })();
    const removal = ok('DELETE', at(`/lists/${list.id}`));
    while (world.count('trash') === 0) await new Promise(setImmediate);
    const madeBefore = made.length;
    expect((await series.call('GET', at(`/lists/${list.id}`))).status).toBe(404);
    expect((await ok('GET', at('/trash'))).items).toMatchObject([{ id: list.id, itemCount: MANY }]);
    expect(world.count(`tasks where list_id = '${list.id}'`)).toBeGreaterThan(0);
    const restoring = ok('POST', at(`/trash/${list.id}/restore`));
    await removal;
    expect(made.length).toBeGreaterThan(madeBefore);
    expect(await restoring).toMatchObject({ id: list.id });
    stop.abort();
    await others;
    for (const id of made) await ok('DELETE', at(`/tasks/${id}?permanent=true`));
    expect(JSON.stringify(everything()) === JSON.stringify(before)).toBe(true);
  });

  it('is in exactly one place after a kill between any two steps, and gets where it was going', async () => {
    const before = everything();
    const tasks = () =>
      world.count(`tasks where list_id = '${list.id}'`) + world.count(`trash_rows where kind = 'task'`);
    /** Has the process end after so many commits, as far as the file can tell, and another one begin. */
    const killAfter = async (commits: number, act: () => Promise<unknown>) => {
      const { write } = world.deps;
      let left = commits;
      world.deps.write = (job, from) => {
        left -= 1;
        return left < 0 ? Promise.reject(new Error('killed')) : write(job, from);
      };
      await act().catch(() => {});
      world = await world.reopen();
      series = { ...series, world };
      expect(tasks()).toBe(MANY);
      expect(COUNTERS.faults(world.opened.storage.reading)).toEqual([]);
      await finishEntries(world.deps);
      expect(tasks()).toBe(MANY);
    };
    const call = (method: string, path: string) =>
      world.call(method, path, { token: series.owner.accessToken });
    for (const commits of [0, 5, 60]) {
      await killAfter(commits, () => call('DELETE', at(`/lists/${list.id}`)));
      expect((await call('GET', at(`/lists/${list.id}`))).status).toBe(404);
      expect((await call('GET', at('/trash'))).body.items).toMatchObject([{ itemCount: MANY }]);
      await killAfter(commits, () => call('POST', at(`/trash/${list.id}/restore`)));
      expect((await call('GET', at(`/lists/${list.id}`))).status).toBe(200);
      expect(JSON.stringify(everything()) === JSON.stringify(before)).toBe(true);
    }
  });

  it('has tasks that nobody changes while it goes, and a space that waits for it', async () => {
    const [{ id: taskId }] = (await ok('GET', at(`/tasks?listId=${list.id}`))).items;
    const removal = ok('DELETE', at(`/lists/${list.id}`));
    while (world.count('trash') === 0) await new Promise(setImmediate);
    const rejected = await series.call('PATCH', at(`/tasks/${taskId}`), { title: 'Late' });
    expect(rejected.status).toBe(404);
    await ok('DELETE', at(`/spaces/${list.spaceId}`));
    await removal;
    const entries = (await ok('GET', at('/trash'))).items;
    expect(
      entries.map(({ kind, itemCount }: { kind: string; itemCount: number }) => [kind, itemCount]),
    ).toEqual([
      ['space', 0],
      ['list', MANY],
    ]);
    await ok('DELETE', at('/trash'));
    expect(world.count('trash_rows')).toBe(0);
  });

  it('is deleted for good by who asks in the commit in which it has come into the trash', async () => {
    const { read, write } = world.deps;
    const who = await member('member').authorize(world.deps, {} as never, {
      authorization: `Bearer ${series.owner.accessToken}`,
      workspaceId: series.workspaceId,
      isRead: false,
      isPrivate: false,
    });
    const asked: Promise<unknown>[] = [];
    world.deps.write = (job, from) => {
      const written = write(job, from);
      const isStep = from === undefined && findEntry(read, who.workspaceKey, list.id)?.state === 'moving';
      if (isStep) asked.push(deleteFromTrash(world.deps, who, list.id));
      return written;
    };
    await ok('DELETE', at(`/lists/${list.id}`));
    const outcomes = await Promise.allSettled(asked);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(world.count('trash')).toBe(0);
    expect(world.count('trash_rows')).toBe(0);
  });

  it('is told of with its space when that goes to the trash, each as it goes', async () => {
    const follow = async (from?: string) => {
      let told: { kind: string; op: string; id: string }[] = [];
      for (let page = { cursor: from, hasMore: true }; page.hasMore; from = page.cursor) {
        const asked = `limit=1000${from === undefined ? '' : `&cursor=${from}`}`;
        page = await ok('GET', at(`/changes?${asked}`));
        told = [...told, ...(page as unknown as { items: typeof told }).items];
      }
      return { told, cursor: from };
    };
    const { cursor } = await follow();
    await ok('DELETE', at(`/spaces/${list.spaceId}`));
    const gone = (await follow(cursor)).told.filter(({ kind, op }) => kind !== 'task' && op === 'delete');
    expect(gone).toContainEqual({ kind: 'list', op: 'delete', id: list.id });
    expect(gone.at(-1)).toEqual({ kind: 'space', op: 'delete', id: list.spaceId });
  });

  it('is not restored into a space that is being deleted, but into another', async () => {
    await ok('DELETE', at(`/lists/${list.id}`));
    const beside = await ok('POST', at('/lists'), { spaceId: list.spaceId, title: 'Beside' });
    await addTasks(world, series.workspaceId, 500, { listId: beside.id });
    const removal = ok('DELETE', at(`/spaces/${list.spaceId}?permanent=true`));
    while (world.count('removals') === 0) await new Promise(setImmediate);
    const restored = await series.call('POST', at(`/trash/${list.id}/restore`));
    await removal;
    expect([restored.status, restored.body.issues]).toEqual([
      400,
      [{ path: 'spaceId', message: 'Its space is gone: name another one' }],
    ]);
    const { id: spaceId } = await ok('POST', at('/spaces'), { title: 'Another' });
    expect(await ok('POST', at(`/trash/${list.id}/restore`), { spaceId })).toMatchObject({ id: list.id });
  });

  it('does not go to the trash once its deletion for good, or that of its space, has begun', async () => {
    const another = await series.anotherList();
    await addTasks(world, series.workspaceId, 500, { listId: another.id });
    for (const [gone, ...within] of [
      [`/lists/${another.id}`],
      [`/spaces/${list.spaceId}`, `/lists/${list.id}`],
    ] as const) {
      const removal = series.call('DELETE', at(`${gone}?permanent=true`));
      while (world.count('removals') === 0) await new Promise(setImmediate);
      for (const path of [gone, ...within]) {
        expect((await series.call('DELETE', at(path))).status).toBe(404);
      }
      expect((await removal).status).toBe(204);
    }
    expect(world.count('trash_rows')).toBe(0);
  });

  it('goes for good, as was asked before its space goes to the trash', async () => {
    const removal = ok('DELETE', at(`/lists/${list.id}?permanent=true`));
    while (world.count('removals') === 0) await new Promise(setImmediate);
    await ok('DELETE', at(`/spaces/${list.spaceId}`));
    await removal;
    expect((await ok('GET', at('/trash'))).items).toMatchObject([{ kind: 'space' }]);
    expect(world.count(`trash_rows where id = '${list.id}'`)).toBe(0);
    await ok('POST', at(`/trash/${list.spaceId}/restore`));
    expect((await series.call('GET', at(`/lists/${list.id}`))).status).toBe(404);
  });
});
