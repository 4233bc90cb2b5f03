import SqliteDatabase from 'better-sqlite3';
import { expect, it, vi } from 'vitest';
import type { PagedTask } from '../../src/storage/task-fields.ts';
import { findTask, updateTaskRow } from '../../src/storage/tasks.ts';
import { TaskTexts } from '../../src/tasks/task-pages.ts';
import { at, call, home, listId, useHome, world } from '../ada.ts';

useHome();

const make = async (more: object = {}) =>
  (await call('POST', at('/tasks'), { title: 'Mow the lawn', listId, ...more })).body;
const PAGES = ['', '/query?groupBy=priority', '/search?q=lawn'];
const shownAt = async (path: string) => (await call('GET', `${at('/tasks')}${path}`)).body.items;

it.each(PAGES)('a page shows a task as it is by now, in its own words: %s', async (path) => {
  const { id } = await make();
  await shownAt(path);
  for (const description of ['"quoted"', 'käse, 乳酪', null]) {
    const { body } = await call('PATCH', `${at('/tasks')}/${id}`, { description });
    expect(await shownAt(path)).toEqual([body]);
    expect(await shownAt(path)).toEqual([body]);
  }
});

it('a page shows what another process wrote', async () => {
  const { id } = await make();
  await shownAt('');
  const connection = new SqliteDatabase(world.opened.storage.path);
  connection.prepare(`update tasks set title = 'New', version = version + 1 where id = ?`).run(id);
  connection.close();
  expect((await shownAt(''))[0].title).toBe('New');
});

it('a page shows nothing of a transaction that failed, nor takes it for what comes after it', async () => {
  const { id } = await make();
  await shownAt('');
  const undone = world.deps.write((tx) => {
    const row = findTask(tx, home, id);
    if (row) updateTaskRow(tx, row, { title: 'Undone' });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect((await shownAt(''))[0].title).toBe('Mow the lawn');
  await call('PATCH', `${at('/tasks')}/${id}`, { title: 'New' });
  expect((await shownAt(''))[0].title).toBe('New');
});

it('a page shows the whole text of a task that HEAD asked for before', async () => {
  const description = 'x'.repeat(10_000);
  await make({ description });
  const { status } = await call('HEAD', at('/tasks'));
  expect(status).toBe(200);
  expect((await shownAt(''))[0].description).toBe(description);
});

it('a page reads a task once for each of its versions', async () => {
  const [first, second] = [await make(), await make()];
  await shownAt('');
  await call('PATCH', `${at('/tasks')}/${second.id}`, { title: 'New' });
  const all = vi.spyOn(world.deps.read, 'all');
  for (let i = 0; i < 2; i += 1) await shownAt('');
  const read = all.mock.results.flatMap(({ value }) => value as { id: string; title?: string }[]);
  expect(read.filter(({ title }) => title !== undefined).map(({ id }) => id)).toEqual([second.id]);
  expect(read.map(({ id }) => id)).toContain(first.id);
});

it('what pages have shown is kept in bounds, the latest longest', () => {
  const texts = new TaskTexts();
  const found = (seq: number) => ({ seq, version: 1, id: '', due_date: null });
  const title = 'x'.repeat(10_000);
  const nulls = { start_date: null, occurrence_at: null, label_ids: null, checklist: null };
  const rowOf = (seq: number, text: string) =>
    ({ ...nulls, ...found(seq), title: text, left_out: 0 }) as unknown as PagedTask;
  const write = (seq: number) => texts.write(rowOf(seq, title));
  for (let seq = 1; seq <= 5_000; seq += 1) {
    write(seq);
    texts.find(found(1));
  }
  const kept = Array.from({ length: 5_000 }, (_, i) => texts.find(found(i + 1))?.json.length ?? 0);
  expect(kept[0]).toBeGreaterThan(title.length);
  expect(kept.at(-1)).toBeGreaterThan(title.length);
  expect(kept.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(16 * 2 ** 20);
  write(5_001);
  texts.write(rowOf(5_002, title + title));
  expect([texts.find(found(5_001)), texts.find(found(5_002))].map(Boolean)).toEqual([true, false]);
  expect(texts.find({ ...found(5_001), version: 2 })).toBeUndefined();
});
