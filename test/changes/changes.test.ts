import { describe, expect, it } from 'vitest';
import { cursorsOf } from '../../src/changes/cursor.ts';
import { purgeOldChanges } from '../../src/changes/purge.ts';
import type { Change } from '../../src/db/journal.ts';
import { DAY } from '../../src/kernel/instants.ts';
import { setMeta } from '../../src/storage/meta.ts';
import { ada, call, inside, list, useHome, home as workspaceId, world } from '../ada.ts';
import { as, joined, signInAgain } from '../people.ts';

useHome();

const changes = async (cursor?: string, limit?: number, who = call) => {
  const query = new URLSearchParams({ ...(cursor && { cursor }), ...(limit && { limit: String(limit) }) });
  const { status, body } = await who('GET', `${inside}/changes?${query}`);
  expect(status).toBe(200);
  return body;
};
/** All pages from a cursor, or from the beginning. */
const allOf = async (cursor?: string, limit?: number) => {
  const pages = [await changes(cursor, limit)];
  while (pages.at(-1).hasMore) pages.push(await changes(pages.at(-1).cursor, limit));
  return pages;
};
const brief = (items: { kind: string; op: string; id: string }[]) =>
  items.map(({ kind, op, id }) => `${op} ${kind} ${id}`);
const newTask = async (more: object = {}) =>
  (await call('POST', `${inside}/tasks`, { title: 'Task', listId: list.id, ...more })).body;
const record = (...recorded: Omit<Change, 'workspaceId'>[]) =>
  world.deps.write((tx) => {
    for (const change of recorded) tx.record({ ...change, workspaceId });
  });

describe('the first load', () => {
  it('sends everything in the order of the contract, whatever the size of the pages', async () => {
    const done = list.statuses.find(({ type }) => type === 'completed')?.id;
    const later = await newTask({ dueDate: '2026-05-01T00:00:00.000Z' });
    const sooner = await newTask({ dueDate: '2026-04-01T00:00:00.000Z' });
    const alike: { id: string }[] = [];
    for (const due of ['Day', 'Date', 'Day', 'Date', 'Date', 'Day'])
      alike.push(await newTask({ [`due${due}`]: due === 'Day' ? '2026-04-07' : '2026-04-07T00:00:00.000Z' }));
    const undated = await newTask();
    const closedFirst = await newTask({ statusId: done });
    world.clock.advance(1_000);
    const closedLast = await newTask({ statusId: done });
    const [whole] = await allOf();
    expect(whole.items.map(({ kind }: { kind: string }) => kind)).toEqual([
      'workspace',
      'member',
      'statusTemplate',
      'space',
      'list',
      ...Array.from({ length: 11 }, () => 'task'),
    ]);
    const tasks = [sooner, ...alike, later, undated, closedLast, closedFirst];
    expect(whole.items.slice(5).map(({ id }: { id: string }) => id)).toEqual(tasks.map(({ id }) => id));
    expect(whole.items[5].value).toEqual(sooner);
    expect(whole.items[0].value).not.toHaveProperty('role');
    expect(whole).toMatchObject({ hasMore: false, reset: false, cursor: whole.resume });
    for (const limit of [1, 2, 3, 4, 5]) {
      const pages = await allOf(undefined, limit);
      expect(pages.flatMap(({ items }) => items)).toEqual(whole.items);
      expect(Math.max(...pages.map(({ items }) => items.length))).toBe(limit);
      expect(new Set(pages.slice(0, -1).map(({ resume }) => resume))).toEqual(new Set([whole.resume]));
    }
  });

  it('comes in pages of 1 MiB and a thing at most, and so does what changed since', async () => {
    const { cursor } = await changes(undefined, 1_000);
    const checklist = Array.from({ length: 100 }, () => ({ title: 'x'.repeat(500) }));
    const ids: string[] = [];
    for (let i = 0; i < 24; i += 1) {
      const long = i < 20 && { description: 'x'.repeat(50_000), checklist };
      ids.push((await newTask(long || {})).id);
    }
    for (const from of [undefined, cursor]) {
      const pages = await allOf(from, 1_000);
      const tasks = pages.flatMap(({ items }) => items).filter(({ kind }) => kind === 'task');
      expect(tasks.map(({ id }) => id)).toEqual(ids);
      const sizes = pages.map(({ items }) => JSON.stringify(items).length / 1_024);
      expect(sizes.length).toBeGreaterThan(2);
      expect(Math.max(...sizes)).toBeLessThan(1_024 + 120);
    }
  });

  it('is followed by what changed meanwhile', async () => {
    const first = await changes(undefined, 2);
    const { id } = await newTask();
    await record({ kind: 'task', id, op: 'put' });
    const rest = await allOf(first.cursor, 100);
    expect(rest.at(-1).resume).toBeUndefined();
    expect(brief(rest.at(-1).items)).toEqual([`put task ${id}`]);
  });
});

describe('following a cursor', () => {
  it('sends each changed thing once, as it is now, and what is gone as deleted', async () => {
    const { cursor } = await changes();
    const { id } = await newTask();
    await record({ kind: 'task', id, op: 'put' });
    await record(
      { kind: 'task', id: 'gone', op: 'put' },
      { kind: 'list', id: list.id, op: 'put', fields: ['title'] },
    );
    await record(
      { kind: 'task', id, op: 'put', fields: ['title'] },
      { kind: 'space', id: 'left', op: 'delete' },
    );
    const page = await changes(cursor);
    expect(brief(page.items)).toEqual([
      'delete task gone',
      `put list ${list.id}`,
      `put task ${id}`,
      'delete space left',
    ]);
    expect(page.items[1].value).toEqual(list);
    expect(page).toMatchObject({ hasMore: false, reset: false });
    expect((await changes(page.cursor)).items).toEqual([]);
  });

  it('sends the contents of a scope that is to be fetched again, and goes on behind it', async () => {
    const { id } = await newTask();
    const { cursor } = await changes();
    await record({ kind: 'list', id: list.id, op: 'put' });
    await record({ kind: 'list', id: list.id, op: 'refetch' });
    await record({ kind: 'space', id: list.spaceId, op: 'put' });
    const pages = await allOf(cursor, 2);
    expect(brief(pages.flatMap(({ items }) => items))).toEqual([
      `put list ${list.id}`,
      `refetch list ${list.id}`,
      `put list ${list.id}`,
      `put task ${id}`,
      `put space ${list.spaceId}`,
    ]);
    expect(Math.max(...pages.map(({ items }) => items.length))).toBe(2);
    const { resume } = pages.find(({ items }) => items[0]?.op === 'refetch');
    expect(brief((await changes(resume)).items)).toEqual([`put space ${list.spaceId}`]);
  });

  it('begins again where the cursor is of another workspace, epoch or file, and says so', async () => {
    const { cursor } = await changes();
    const { id: other } = (await call('POST', '/workspaces', { title: 'Other' })).body;
    const { body: foreign } = await call('GET', `/workspaces/${other}/changes?limit=1`);
    const first = await changes();
    for (const useless of [
      foreign.cursor,
      foreign.resume,
      'x'.repeat(40),
      cursor.replace(/^./, (first: string) => (first === 'A' ? 'B' : 'A')),
    ]) {
      expect(await changes(useless)).toEqual({ ...first, reset: true });
    }
    const { writing } = world.opened.storage;
    writing.exec('update changes set tag = tag + 1');
    expect(await changes(cursor)).toMatchObject({ reset: true });
    writing.exec('update changes set tag = tag - 1');
    expect(await changes(cursor)).toMatchObject({ reset: false, items: [] });
    await world.deps.write((tx) => void setMeta(tx, 'epoch', 'restored'));
    const again = await changes(cursor);
    expect(again).toMatchObject({ reset: true, epoch: 'restored' });
    expect(await changes(again.cursor)).toMatchObject({ reset: false, items: [] });
  });

  it('begins again where the file goes back behind what a page showed, though not behind its position', async () => {
    const { cursor } = await changes();
    const { cursor: within } = await changes(undefined, 1);
    await record(
      { kind: 'list', id: list.id, op: 'put', fields: ['title'] },
      { kind: 'list', id: 'gone', op: 'delete' },
    );
    const behind = await changes(cursor, 1);
    const loading = await changes(within, 1);
    expect([behind, loading]).toMatchObject([{ hasMore: true }, { hasMore: true }]);
    world.opened.storage.writing.exec('delete from changes where seq = (select max(seq) from changes)');
    for (const shown of [behind.cursor, loading.cursor, loading.resume])
      expect(await changes(shown)).toMatchObject({ reset: true });
    expect(await changes(cursor)).toMatchObject({ reset: false });
  });

  it('is the same text for everyone who may read the workspace, and tells nothing of others', async () => {
    const bob = as(world, await joined(world, ada, workspaceId, 'viewer'));
    expect((await changes(undefined, 1, bob)).cursor).toBe((await changes(undefined, 1)).cursor);
    const { cursor } = await changes();
    await record({ kind: 'list', id: list.id, op: 'put' });
    const { cursor: next } = await changes(cursor);
    expect(next).toHaveLength(cursor.length);
    expect(next).not.toBe(cursor);
    const { textOf } = cursorsOf(world.deps.keys, 'epoch', workspaceId);
    const ends = [
      { seq: 1, tag: 0 },
      { seq: Number.MAX_SAFE_INTEGER, tag: 2 ** 32 - 1 },
    ];
    const [small, large] = ends.map((at) => textOf({ at }));
    expect(small).toHaveLength(large?.length ?? 0);
  });

  it('of a client that was away for less than the kept days works, however long nothing had changed before', async () => {
    await newTask();
    world.clock.advance(40 * DAY);
    await signInAgain(world, ada);
    const { cursor } = await changes();
    const task = await newTask();
    await purgeOldChanges(world.deps);
    const page = await changes(cursor);
    expect(page).toMatchObject({ reset: false, hasMore: false });
    expect(brief(page.items)).toEqual([`put task ${task.id}`]);
  });

  it('is needed no longer than the kept days: what is older is deleted, and its cursor begins again', async () => {
    const count = () => world.count('changes');
    const quiet = `/workspaces/${(await call('POST', '/workspaces', { title: 'Quiet' })).body.id}/changes`;
    const { cursor: unchanged } = (await call('GET', `${quiet}?limit=1000`)).body;
    await newTask();
    const { cursor } = await changes();
    const { cursor: begun } = await changes(undefined, 1);
    for (let i = 0; i < 5; i += 1) await newTask();
    const { cursor: newest } = await changes();
    const { cursor: loading } = await changes(begun, 1);
    await call('POST', '/workspaces', { title: 'Made last' });
    world.clock.advance((world.deps.config.changes.keep_days + 1) * DAY);
    await signInAgain(world, ada);
    const late = await newTask();
    await purgeOldChanges(world.deps);
    expect(count()).toBe(4);
    expect((await call('GET', `${quiet}?cursor=${unchanged}`)).body.reset).toBe(false);
    for (const old of [cursor, loading]) expect((await changes(old)).reset).toBe(true);
    const page = await changes(newest);
    expect([page.reset, brief(page.items)]).toEqual([false, [`put task ${late.id}`]]);
  });

  it('is 400 for a text that could never be a cursor', async () => {
    for (const text of ['no', 'spaces in it are none of ours', 'x'.repeat(5_000)]) {
      const { status, body } = await call('GET', `${inside}/changes?cursor=${encodeURIComponent(text)}`);
      expect(status).toBe(400);
      expect(body.issues[0].path).toBe('cursor');
    }
  });
});
