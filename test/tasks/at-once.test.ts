import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ada, call, home, inside, listId, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { as, type Call, joined } from '../people.ts';
import type { TestResponse } from '../world.ts';

let asBob: Call;
useHome();
beforeEach(async () => {
  asBob = as(world, await joined(world, ada, home, 'member'));
});
afterEach(() => expectIntegrity(world));

const atOnce = async (times: number, act: (n: number) => Promise<TestResponse>): Promise<number[]> =>
  (await Promise.all(Array.from({ length: times }, (_, n) => act(n)))).map(({ status }) => status);
const times = (statuses: number[], status: number) => statuses.filter((one) => one === status).length;
const task = async (more: object = {}) =>
  (await call('POST', `${inside}/tasks`, { title: 'Milk', listId, ...more })).body;

describe('of requests at once', () => {
  it('one makes the thing of an id, and the others get it: one number, one change', async () => {
    const id = crypto.randomUUID();
    const { cursor } = (await call('GET', `${inside}/changes`)).body;
    const made = await atOnce(50, (n) =>
      call('POST', `${inside}/tasks`, { id: n % 2 ? id.toUpperCase() : id, title: `Task ${n}`, listId }),
    );
    expect([times(made, 201), times(made, 200)]).toEqual([1, 49]);
    expect((await call('GET', `${inside}/tasks`)).body.items).toMatchObject([{ id, number: 1, version: 1 }]);
    expect((await call('GET', `${inside}/changes?cursor=${cursor}`)).body.items).toHaveLength(1);
    expect((await task()).number).toBe(2);
  });

  it('one of two people gets an id, and the other hears that it is taken', async () => {
    const id = crypto.randomUUID();
    const body = { id, title: 'Milk', listId };
    const made = await atOnce(20, (n) => (n % 2 ? call : asBob)('POST', `${inside}/tasks`, body));
    expect([times(made, 201), times(made, 200), times(made, 400)]).toEqual([1, 9, 10]);
  });

  it('one changes a task that all know by the same version', async () => {
    const { id } = await task();
    const etag = (await call('GET', `${inside}/tasks/${id}`)).headers.get('etag') ?? '';
    const changed = await atOnce(50, (n) =>
      world.call('PATCH', `${inside}/tasks/${id}`, {
        token: ada.accessToken,
        headers: { 'If-Match': etag },
        body: { title: `Title ${n}` },
      }),
    );
    expect([times(changed, 200), times(changed, 412)]).toEqual([1, 49]);
    expect((await call('GET', `${inside}/tasks/${id}`)).body.version).toBe(2);
  });

  it('one makes the label of a title, in whatever case and form', async () => {
    const titles = ['Été', 'ÉTÉ', 'E\u0301te\u0301', ' été '];
    const made = await atOnce(20, (n) => call('POST', `${inside}/labels`, { title: titles[n % 4] }));
    expect([times(made, 201), times(made, 400)]).toEqual([1, 19]);
  });

  it('as many items of a checklist are made as there is room for, and edits of two of them both stand', async () => {
    const { id, checklist } = await task({
      checklist: Array.from({ length: 97 }, (_, n) => ({ title: `Item ${n}` })),
    });
    const path = `${inside}/tasks/${id}`;
    const made = await atOnce(10, () => call('POST', `${path}/checklist`, { title: 'More' }));
    expect([times(made, 201), times(made, 400)]).toEqual([3, 7]);
    await atOnce(2, (n) => call('PATCH', `${path}/checklist/${checklist[n].id}`, { isDone: true }));
    const after = (await call('GET', path)).body.checklist;
    expect([after.length, after[0].isDone, after[1].isDone]).toEqual([100, true, true]);
  });

  it('one makes the last API token', async () => {
    const body = { title: 'Script', role: 'viewer', workspaceIds: null };
    for (let n = 0; n < 99; n += 1) expect((await call('POST', '/me/tokens', body)).status).toBe(201);
    const made = await atOnce(10, () => call('POST', '/me/tokens', body));
    expect([times(made, 201), times(made, 400)]).toEqual([1, 9]);
  });

  it.each([
    ['restores', 'POST'],
    ['purges', 'DELETE'],
  ])('one restores a task from the trash, beside others that are %s', async (_what, method) => {
    const { id, number } = await task();
    await call('DELETE', `${inside}/tasks/${id}`);
    const path = `${inside}/trash/${id}`;
    const done = await atOnce(10, (n) =>
      n % 2 === 0 || method === 'POST' ? call('POST', `${path}/restore`) : call('DELETE', path),
    );
    expect([times(done, 200) + times(done, 204), times(done, 404)]).toEqual([1, 9]);
    const again = await call('POST', `${inside}/tasks`, { id, title: 'Again', listId });
    const found = (await call('GET', `${inside}/tasks`)).body.items;
    if (done.includes(200)) expect(found).toMatchObject([{ id, number }]);
    else expect([found, again.status]).toEqual([[], 400]);
    expect((await call('GET', `${inside}/trash`)).body.total).toBe(0);
  });
});
