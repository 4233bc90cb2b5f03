import { afterEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/kernel/ids.ts';
import { at, call, listId, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { expectIssues } from '../people.ts';
import { DAILY } from '../series-world.ts';
import { START } from '../world.ts';

useHome();
afterEach(() => expectIntegrity(world));

const task = async (more: object = {}) =>
  (await call('POST', at('/tasks'), { title: 'Party', listId, ...more })).body;
const found = async (q: string) => (await call('GET', at(`/tasks/search?q=${q}`))).body.total;

describe('a checklist', () => {
  it('is given with the task, in order, and replaced as a whole', async () => {
    const made = await task({ checklist: [{ title: ' Cake ' }, { title: 'Candles', isDone: true }] });
    expect(made.checklist).toEqual([
      { id: expect.any(String), title: 'Cake', isDone: false },
      { id: expect.any(String), title: 'Candles', isDone: true },
    ]);
    const [cake, candles] = made.checklist;
    const path = at(`/tasks/${made.id}`);
    const { body } = await call('PATCH', path, {
      checklist: [{ id: candles.id }, { title: 'Guests' }, { id: cake.id, isDone: true }],
    });
    expect(body.checklist).toEqual([
      candles,
      { id: expect.any(String), title: 'Guests', isDone: false },
      { ...cake, isDone: true },
    ]);
    expect((await call('GET', path)).body).toEqual(body);
    expect((await call('PATCH', path, { checklist: [] })).body.checklist).toEqual([]);
  });

  it('changes item by item', async () => {
    const { id } = await task();
    const path = at(`/tasks/${id}/checklist`);
    const added = await call('POST', path, { title: 'Cake' });
    expect(added.status).toBe(201);
    const [cake] = added.body.checklist;
    const ticked = await call('PATCH', `${path}/${cake.id}`, { isDone: true });
    expect([ticked.status, ticked.body.checklist]).toEqual([200, [{ ...cake, isDone: true }]]);
    const renamed = await call('PATCH', `${path}/${cake.id}`, { title: 'Pie' });
    expect(renamed.body.checklist).toEqual([{ id: cake.id, title: 'Pie', isDone: true }]);
    expect((await call('PATCH', `${path}/${cake.id}`, {})).body).toEqual(renamed.body);
    const removed = await call('DELETE', `${path}/${cake.id}`);
    expect([removed.status, removed.body.checklist]).toEqual([200, []]);
    for (const method of ['PATCH', 'DELETE']) {
      expect((await call(method, `${path}/${cake.id}`, {})).status).toBe(404);
    }
  });

  it('changes and removes one item, and no other', async () => {
    const { id, checklist } = await task({ checklist: [{ title: 'Cake' }, { title: 'Candles' }] });
    const [cake, candles] = checklist;
    const path = at(`/tasks/${id}/checklist/${cake.id}`);
    expect((await call('PATCH', path, { title: 'Pie', isDone: true })).body.checklist).toEqual([
      { id: cake.id, title: 'Pie', isDone: true },
      candles,
    ]);
    expect((await call('DELETE', path)).body.checklist).toEqual([candles]);
  });

  it('has at most 100 items, with titles of 1 to 500 characters', async () => {
    const checklist = Array.from({ length: 100 }, (_, i) => ({ title: `${i}` }));
    const full = await task({ checklist });
    const more = [...checklist, { title: 'More' }];
    for (const [method, path, body] of [
      ['POST', '/tasks', { title: 'Party', listId, checklist: more }],
      ['PATCH', `/tasks/${full.id}`, { checklist: more }],
      ['POST', `/tasks/${full.id}/checklist`, { title: 'More' }],
    ] as const) {
      await expectIssues(call(method, at(path), body), 'checklist');
    }
    for (const title of ['', ' ', 'x'.repeat(501), 'a\u0007', undefined]) {
      const entries = [{ title: 'A' }, { title }, { isDone: true }, { isDone: 7 }];
      const paths = ['1.title', '2.title', '3.isDone', '3.title'].map((path) => `checklist.${path}`);
      await expectIssues(call('PATCH', at(`/tasks/${full.id}`), { checklist: entries }), ...paths);
      await expectIssues(call('POST', at(`/tasks/${(await task()).id}/checklist`), { title }), 'title');
    }
  });

  it('takes ids of clients that nothing else has, and repeats', async () => {
    const [id, another] = [newId(START), newId(START)];
    const first = await task({ checklist: [{ id, title: 'Cake' }] });
    expect(first.checklist).toEqual([{ id, title: 'Cake', isDone: false }]);
    const path = at(`/tasks/${first.id}/checklist`);
    expect((await call('POST', path, { id: another, title: 'Pie' })).status).toBe(201);
    const repeated = await call('POST', path, { id: another, title: 'Pie again' });
    expect([repeated.status, repeated.body.checklist[1].title]).toEqual([200, 'Pie']);
    const second = await task();
    for (const taken of [id, first.id, listId]) {
      const mine = { id: taken, title: 'Mine' };
      await expectIssues(call('POST', at(`/tasks/${second.id}/checklist`), mine), 'id');
      await expectIssues(call('PATCH', at(`/tasks/${second.id}`), { checklist: [mine] }), 'checklist.0.id');
    }
    const twice = { checklist: ['A', 'B'].map((title) => ({ id, title })) };
    await expectIssues(call('PATCH', at(`/tasks/${first.id}`), twice), 'checklist.1.id');
    await call('DELETE', `${path}/${another}`);
    expect(
      (await call('POST', at(`/tasks/${second.id}/checklist`), { id: another, title: 'B' })).status,
    ).toBe(201);
  });

  it('is found by the titles of its items, as long as they are there', async () => {
    const { id, checklist } = await task({ checklist: [{ title: 'Marzipan' }], description: 'Garden' });
    expect([await found('marzipan'), await found('garden')]).toEqual([1, 1]);
    await call('PATCH', at(`/tasks/${id}/checklist/${checklist[0].id}`), { title: 'Nougat' });
    expect([await found('marzipan'), await found('nougat'), await found('garden')]).toEqual([0, 1, 1]);
    await call('PATCH', at(`/tasks/${id}`), { description: 'House' });
    expect([await found('nougat'), await found('garden')]).toEqual([1, 0]);
    await call('PATCH', at(`/tasks/${id}`), { checklist: [] });
    expect(await found('nougat')).toBe(0);
  });

  /** That of the first task of a series with one item. */
  const pathOfInstance = async () => {
    const series = { title: 'Water', listId, checklist: [{ title: 'Fern' }], interval: DAILY };
    const { body } = await call('POST', at('/recurring-tasks'), series);
    return at(`/tasks/${body.nextTaskId}`);
  };

  it('is no override where an item is ticked, and is one where its items change', async () => {
    const path = await pathOfInstance();
    const [fern] = (await call('GET', path)).body.checklist;
    const overriddenWith = async (checklist: object[], more: object = {}) =>
      (await call('PATCH', path, { checklist, ...more })).body.recurrence.overridden;
    expect(await overriddenWith([{ id: fern.id, isDone: true }])).toEqual([]);
    expect(await overriddenWith([{ id: fern.id, isDone: false }], { title: 'Plants' })).toEqual(['title']);
    expect(await overriddenWith([{ id: fern.id, title: 'Cactus' }])).toEqual(['title', 'checklist']);
  });

  it('is an override where another item takes the place of one with the same title', async () => {
    const path = await pathOfInstance();
    const { body } = await call('PATCH', path, { checklist: [{ title: 'Fern' }] });
    expect(body.recurrence.overridden).toEqual(['checklist']);
  });

  it('takes no entry without a title whose id no item of it has', async () => {
    const { id } = await task({ checklist: [{ title: 'Cake' }] });
    const checklist = [{ id: newId(START), isDone: true }];
    for (const [method, path, body] of [
      ['PATCH', `/tasks/${id}`, { checklist }],
      ['POST', '/tasks', { title: 'Party', listId, checklist }],
    ] as const) {
      const response = await call(method, at(path), body);
      expect([response.status, response.body.issues]).toEqual([
        400,
        [expect.objectContaining({ path: 'checklist.0.title' })],
      ]);
    }
  });
});
