import { afterEach, describe, expect, it } from 'vitest';
import { at, call, listId as list, useHome, home as workspace, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { expectIssues } from '../people.ts';

useHome();
afterEach(() => expectIntegrity(world));

const label = async (title: string, more: object = {}) =>
  (await call('POST', at('/labels'), { title, ...more })).body;
const task = async (title: string, more: object = {}) =>
  (await call('POST', at('/tasks'), { title, listId: list, ...more })).body;
const titles = async (query: string) =>
  (await call('GET', at(`/tasks?${query}`))).body.items.map(({ title }: { title: string }) => title);

describe('a label', () => {
  it('has every field, with defaults, and is read, listed, changed and deleted', async () => {
    const made = await call('POST', at('/labels'), { title: ' Shop ' });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.any(String),
      workspaceId: workspace,
      title: 'Shop',
      color: '#8a8f98',
      position: 1024,
      createdAt: '2026-03-27T10:00:00.000Z',
      updatedAt: '2026-03-27T10:00:00.000Z',
      version: 1,
    });
    const path = at(`/labels/${made.body.id}`);
    expect((await call('GET', path)).body).toEqual(made.body);
    const second = await label('Work', { color: '#112233', position: 1 });
    expect((await call('GET', at('/labels'))).body.items).toEqual([second, made.body]);
    world.clock.advance(1_000);
    const changed = await call('PATCH', path, { title: 'Shops', color: '#445566' });
    expect(changed.body).toMatchObject({ title: 'Shops', color: '#445566', position: 1024, version: 2 });
    expect((await call('PATCH', path, { title: 'Shops' })).body).toEqual(changed.body);
    const moved = await call('PATCH', path, { position: 0.5 });
    expect(moved.body).toEqual({ ...changed.body, position: 0.5, version: 3 });
    expect((await call('GET', at('/labels'))).body.items).toEqual([moved.body, second]);
    const { items } = (await call('GET', at('/changes'))).body;
    expect(items).toContainEqual({ kind: 'label', op: 'put', id: made.body.id, value: moved.body });
    expect((await call('DELETE', path)).status).toBe(204);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('has a title that no other one of the workspace has, in whatever case', async () => {
    await label('Éclair straße İ');
    for (const title of ['ÉCLAIR STRASSE İ', 'e\u0301clair strasse I\u0307'.normalize('NFC')]) {
      await expectIssues(call('POST', at('/labels'), { title }), 'title');
    }
    const other = await label('Other');
    await expectIssues(call('PATCH', at(`/labels/${other.id}`), { title: 'éclair STRASSE İ' }), 'title');
    expect((await call('PATCH', at(`/labels/${other.id}`), { title: 'OTHER' })).body.title).toBe('OTHER');
    await call('PATCH', at(`/labels/${other.id}`), { title: 'Third' });
    await expectIssues(call('POST', at('/labels'), { title: 'third' }), 'title');
    expect((await call('POST', at('/labels'), { title: 'Other' })).status).toBe(201);
  });

  it('is the one that has the title, where it is to be reused', async () => {
    const first = await label('Shop');
    const { status, body } = await call('POST', at('/labels'), { title: 'SHOP', reuse: true });
    expect([status, body]).toEqual([200, first]);
    await expectIssues(call('POST', at('/labels'), { title: 'SHOP', reuse: true, color: 'x' }), 'color');
    expect((await call('POST', at('/labels'), { title: 'New', reuse: true })).status).toBe(201);
  });

  it('has a title of 1 to 100 characters without control characters', async () => {
    for (const title of ['', ' ', 'x'.repeat(101), 'a\u0007b', null]) {
      await expectIssues(call('POST', at('/labels'), { title }), 'title');
    }
    expect((await call('POST', at('/labels'), { title: 'x'.repeat(100) })).status).toBe(201);
  });

  it('is one of 500 in a workspace at most', async () => {
    for (let i = 0; i < 500; i += 1) await label(`Label ${i}`);
    expect((await call('POST', at('/labels'), { title: 'One more' })).status).toBe(400);
    expect((await call('POST', at('/labels'), { title: 'label 7', reuse: true })).status).toBe(200);
    const other = (await call('POST', '/workspaces', { title: 'Other' })).body.id;
    const first = await call('POST', `/workspaces/${other}/labels`, { title: 'Label 7' });
    expect(first).toMatchObject({ status: 201, body: { position: 1024 } });
  });
});

describe('the labels of a task', () => {
  it('are given when it is made, replaced as a whole, added and taken one by one', async () => {
    const [a, b] = [await label('A'), await label('B')];
    const made = await task('Milk', { labelIds: [b.id, a.id, b.id] });
    expect(made.labelIds).toEqual([b.id, a.id]);
    expect((await call('GET', at(`/tasks/${made.id}`))).body).toEqual(made);
    const path = at(`/tasks/${made.id}`);
    expect((await call('PATCH', path, { labelIds: [a.id] })).body.labelIds).toEqual([a.id]);
    expect((await call('PATCH', path, { title: 'Oat milk' })).body.labelIds).toEqual([a.id]);
    const added = await call('POST', `${path}/labels/${b.id}`);
    expect([added.status, added.body.labelIds]).toEqual([200, [a.id, b.id]]);
    expect((await call('POST', `${path}/labels/${b.id}`)).body).toEqual(added.body);
    expect((await call('DELETE', `${path}/labels/${a.id}`)).body.labelIds).toEqual([b.id]);
    expect((await call('DELETE', `${path}/labels/${a.id}`)).body.labelIds).toEqual([b.id]);
    expect((await call('PATCH', path, { labelIds: [] })).body.labelIds).toEqual([]);
  });

  it('are labels of the workspace, at most 50', async () => {
    const other = (await call('POST', '/workspaces', { title: 'Other' })).body.id;
    const foreign = (await call('POST', `/workspaces/${other}/labels`, { title: 'Theirs' })).body.id;
    const made = await task('Milk');
    const path = at(`/tasks/${made.id}`);
    for (const labelIds of [[foreign], ['019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f'], null, 'x']) {
      await expectIssues(call('PATCH', path, { labelIds }), 'labelIds');
      await expectIssues(call('POST', at('/tasks'), { title: 'New', listId: list, labelIds }), 'labelIds');
    }
    expect((await call('POST', `${path}/labels/${foreign}`)).status).toBe(404);
    const ids: string[] = [];
    for (let i = 0; i <= 50; i += 1) ids.push((await label(`L${i}`)).id);
    await expectIssues(call('PATCH', path, { labelIds: ids }), 'labelIds');
    expect((await call('PATCH', path, { labelIds: ids.slice(0, 49) })).status).toBe(200);
    const last = await call('POST', `${path}/labels/${ids[49]}`);
    expect([last.status, last.body.labelIds]).toEqual([200, ids.slice(0, 50)]);
    await expectIssues(call('POST', `${path}/labels/${ids[50]}`), 'labelIds');
    expect((await call('PATCH', path, { labelIds: ids.slice(1) })).status).toBe(200);
  });

  it('lose a label that is deleted, in one commit that tells of each', async () => {
    const [a, b] = [await label('A'), await label('B')];
    const both = await task('Both', { labelIds: [a.id, b.id] });
    const one = await task('One', { labelIds: [a.id] });
    const other = await task('Other', { labelIds: [b.id] });
    const { cursor } = (await call('GET', at('/changes?limit=1000'))).body;
    await call('DELETE', at(`/labels/${a.id}`));
    expect((await call('GET', at(`/tasks/${both.id}`))).body.labelIds).toEqual([b.id]);
    expect((await call('GET', at(`/tasks/${one.id}`))).body.labelIds).toEqual([]);
    expect((await call('GET', at(`/tasks/${other.id}`))).body).toEqual(other);
    const { items } = (await call('GET', at(`/changes?cursor=${cursor}`))).body;
    expect(items.map(({ kind, op, id }: { kind: string; op: string; id: string }) => [kind, op, id])).toEqual(
      [
        ['task', 'put', both.id],
        ['task', 'put', one.id],
        ['label', 'delete', a.id],
      ],
    );
  });

  it('lose a label that very many have', async () => {
    const a = await label('A');
    await addTasks(world, workspace, 1_100);
    const all = (await call('GET', at('/tasks?limit=100'))).body.total;
    world.opened.storage.writing.exec(`
      update tasks set label_ids = '["${a.id}"]';
      insert into task_labels (label_code, task_seq) select labels.code, tasks.seq from labels, tasks;`);
    expect((await call('GET', at(`/tasks?labelId=${a.id}`))).body.total).toBe(all);
    expect((await call('DELETE', at(`/labels/${a.id}`))).status).toBe(204);
    expect((await call('GET', at('/tasks'))).body.items[0].labelIds).toEqual([]);
  });
});

describe('a filter of labels', () => {
  it('leaves the tasks that have any of them, or all of them', async () => {
    const [a, b, c] = [await label('A'), await label('B'), await label('C')];
    await task('a', { labelIds: [a.id] });
    await task('ab', { labelIds: [a.id, b.id], priority: 'high' });
    await task('abc', { labelIds: [c.id, a.id, b.id] });
    await task('none');
    expect(await titles(`labelId=${a.id}`)).toEqual(['a', 'ab', 'abc']);
    expect(await titles(`labelId=${b.id},${c.id}`)).toEqual(['ab', 'abc']);
    expect(await titles(`allLabelIds=${a.id},${b.id}`)).toEqual(['ab', 'abc']);
    expect(await titles(`allLabelIds=${a.id},${b.id},${c.id}`)).toEqual(['abc']);
    expect(await titles(`labelId=${c.id}&allLabelIds=${a.id}`)).toEqual(['abc']);
    expect(await titles(`labelId=${a.id}&priority=high`)).toEqual(['ab']);
    expect(await titles(`labelId=${a.id}&sortBy=title&sortOrder=desc`)).toEqual(['abc', 'ab', 'a']);
    const unknown = '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f';
    expect(await titles(`labelId=${unknown}`)).toEqual([]);
    expect(await titles(`allLabelIds=${a.id},${unknown}`)).toEqual([]);
    expect(await titles(`allLabelIds=${c.id},${c.id.toUpperCase()}`)).toEqual(['abc']);
    const found = await call('GET', at(`/tasks/search?q=ab&labelId=${c.id}`));
    expect(found.body.items.map(({ title }: { title: string }) => title)).toEqual(['abc']);
    const { groups } = (await call('GET', at(`/tasks/query?groupBy=priority&labelId=${a.id}`))).body;
    expect(groups.map(({ key, total }: { key: string; total: number }) => [key, total])).toEqual([
      ['high', 1],
      ['none', 2],
    ]);
  });

  it('names at most 50', async () => {
    const ids = Array.from({ length: 51 }, (_, i) => `019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e${10 + i}`);
    for (const name of ['labelId', 'allLabelIds']) {
      await expectIssues(call('GET', at(`/tasks?${name}=${ids}`)), name);
      expect((await call('GET', at(`/tasks?${name}=${ids.slice(0, 50)}`))).status).toBe(200);
    }
  });
});
