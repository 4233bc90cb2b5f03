import { afterEach, describe, expect, it } from 'vitest';
import { badRequest, unavailable } from '../../src/kernel/errors.ts';
import { ada, call, inside, list, openHomeInstead, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { expectIssues, joined, pathsOf } from '../people.ts';
import { DAILY } from '../series-world.ts';

useHome();
afterEach(() => expectIntegrity(world));

const send = (operations: unknown, by = call) => by('POST', `${inside}/tasks/batch`, { operations });
const batch = async (...operations: unknown[]) => {
  const { status, body } = await send(operations);
  expect(status).toBe(200);
  expect(body.results).toHaveLength(operations.length);
  return body.results;
};
const statuses = (results: { status: number }[]) => results.map(({ status }) => status);
const create = (more: object = {}) => ({
  op: 'create',
  id: crypto.randomUUID(),
  title: 'T',
  listId: list.id,
  ...more,
});
const read = async (id: string) => (await call('GET', `${inside}/tasks/${id}`)).body;
const label = async (title: string) => (await call('POST', `${inside}/labels`, { title })).body.id;

describe('a batch', () => {
  it('does its operations in order, each as it would be by itself', async () => {
    const other = (await call('POST', `${inside}/lists`, { title: 'O', spaceId: list.spaceId })).body;
    const made = create({ checklist: [{ title: 'One' }], dueDay: '2026-12-24' });
    const { id } = made;
    const results = await batch(
      made,
      made,
      { op: 'update', id, title: 'New', statusId: list.statuses[2]?.id },
      { op: 'move', id, listId: other.id },
      { op: 'delete', id },
      { op: 'update', id, title: 'Gone' },
      { op: 'restore', id },
      create(),
    );
    expect(statuses(results)).toEqual([201, 200, 200, 200, 204, 404, 200, 201]);
    expect(results[0].task).toMatchObject({ id, version: 1, dueDay: '2026-12-24', creatorId: ada.id });
    expect(results[1]).toEqual({ status: 200, task: results[0].task });
    expect(results[2].task).toMatchObject({ title: 'New', completedAt: expect.any(String), version: 2 });
    expect(results[3].task).toMatchObject({ listId: other.id, version: 3 });
    expect(results[4]).toEqual({ status: 204 });
    expect(results[5]).toEqual({ status: 404, error: 'NotFoundError', message: 'No such task' });
    expect(results[6].task).toEqual(await read(id));
  });

  it('numbers and places its tasks as if each operation had come by itself', async () => {
    const ids = Array.from({ length: 9 }, () => crypto.randomUUID());
    const [a, b, c, d, e, f, g, h, i] = ids;
    const placesAfter = async (isTogether: boolean) => {
      const other = (await call('POST', `${inside}/lists`, { title: 'O', spaceId: list.spaceId })).body;
      const inOther = { listId: other.id };
      const operations = [
        create({ id: a }),
        create({ id: b, position: 10_000_000 }),
        create({ id: c, position: -1 }),
        create({ id: d, dueDay: '2026-12-24', statusId: list.statuses[2]?.id }),
        create({ id: e, ...inOther }),
        { op: 'delete', id: b },
        create({ id: f, checklist: [{ title: 'One' }] }),
        create({ id: f, title: 'Again' }),
        create({ id: g, labelIds: [crypto.randomUUID()] }),
        { op: 'move', id: a, ...inOther },
        create({ id: h, ...inOther }),
        { op: 'restore', id: b },
        { op: 'update', id: c, position: 20_000_000 },
        create({ id: i }),
      ];
      if (isTogether) await batch(...operations);
      else for (const operation of operations) await batch(operation);
      expectIntegrity(world);
      const tasks = await Promise.all(ids.map(read));
      return tasks.map(({ number, position, listId }) => [number, position, listId === other.id]);
    };
    const together = await placesAfter(true);
    await openHomeInstead();
    expect(await placesAfter(false)).toEqual(together);
    expect(together.map(([number]) => number)).toEqual([1, 2, 3, 4, 5, 6, undefined, 7, 8]);
  });

  it('tells of each operation what is wrong with it, and does the others', async () => {
    const unknown = crypto.randomUUID();
    const [known] = await batch(create());
    const { id } = known.task;
    const results = await batch(
      null,
      'create',
      [],
      {},
      { op: 'remove', id },
      { op: 'create', title: '', dueDate: 'x', listId: unknown },
      create({ statusId: unknown, assigneeId: unknown }),
      create({ id: list.id }),
      { op: 'update', title: 'T' },
      { op: 'update', id: 'x', title: 'T' },
      { op: 'update', id, listId: unknown },
      { op: 'update', id, dueDay: '2026-12-24', dueDate: '2026-12-24T00:00:00Z' },
      { op: 'move', id },
      { op: 'move', id, listId: unknown },
      { op: 'delete', id: unknown },
      { op: 'restore', id },
      { op: 'update', id, title: 'Changed' },
    );
    expect(statuses(results)).toEqual([...Array(14).fill(400), 404, 404, 200]);
    expect(results.slice(5, 14).map(pathsOf)).toEqual([
      ['title', 'dueDate', 'listId'],
      ['statusId', 'assigneeId'],
      ['id'],
      ['id'],
      ['id'],
      ['listId'],
      ['dueDay'],
      ['listId'],
      ['listId'],
    ]);
    expect(results[4]).toMatchObject({ error: 'ValidationError', issues: [{ path: 'op' }] });
    expect((await read(id)).title).toBe('Changed');
    expect((await call('GET', `${inside}/tasks`)).body.total).toBe(1);
  });

  it('is one commit, of which a rejected operation leaves no trace', async () => {
    const [{ task }] = await batch(create());
    const { cursor } = (await call('GET', `${inside}/changes`)).body;
    const before = world.opened.writer.counts.commits;
    const results = await batch(
      create({ assigneeId: ada.id }),
      { op: 'delete', id: task.id },
      { op: 'restore', id: task.id, listId: crypto.randomUUID() },
      create({ labelIds: [crypto.randomUUID()] }),
      create(),
    );
    expect(statuses(results)).toEqual([201, 204, 400, 400, 201]);
    expect(world.opened.writer.counts.commits).toBe(before + 1);
    const { items } = (await call('GET', `${inside}/changes?cursor=${cursor}`)).body;
    expect(items.map(({ op, id }: { op: string; id: string }) => [op, id])).toEqual([
      ['put', results[0].task.id],
      ['delete', task.id],
      ['put', results[4].task.id],
    ]);
  });

  it('keeps nothing of an operation that is rejected after it has written', async () => {
    const [{ task }] = await batch(create());
    const { cursor } = (await call('GET', `${inside}/changes`)).body;
    world.deps.onInstanceClosed = () => {
      throw badRequest('Its series does not go on');
    };
    const done = list.statuses[2]?.id;
    const results = await batch(
      { op: 'delete', id: task.id },
      { op: 'update', id: task.id, statusId: done, assigneeId: ada.id },
      create(),
    );
    expect(statuses(results)).toEqual([400, 400, 201]);
    expect(await read(task.id)).toEqual(task);
    expect((await call('GET', `${inside}/trash`)).body.total).toBe(0);
    const { items } = (await call('GET', `${inside}/changes?cursor=${cursor}`)).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([results[2].task.id]);
  });

  it.each([
    ['a storage that is gone', unavailable('The storage is gone'), 503],
    ['a mistake of ours', new Error('A mistake'), 500],
  ])('fails as a whole, and keeps nothing, over %s', async (_what, fault, status) => {
    const [{ task }] = await batch(create());
    world.deps.onInstanceClosed = () => {
      throw fault;
    };
    expect((await send([create(), { op: 'delete', id: task.id }, create()])).status).toBe(status);
    expect((await call('GET', `${inside}/tasks`)).body.items).toEqual([task]);
  });

  it('rejects what another workspace has in every field of an operation, as what there is not', async () => {
    const other = (await call('POST', '/workspaces', { title: 'Other' })).body.id;
    const theirs = (await call('GET', `/workspaces/${other}/lists`)).body.items[0];
    const label = (await call('POST', `/workspaces/${other}/labels`, { title: 'Theirs' })).body.id;
    const bob = await joined(world, ada, other, 'member');
    const theirTask = async () =>
      (await call('POST', `/workspaces/${other}/tasks`, { title: 'Theirs', listId: theirs.id })).body.id;
    const [foreign, trashed] = [await theirTask(), await theirTask()];
    await call('DELETE', `/workspaces/${other}/tasks/${trashed}`);
    const [{ task }] = await batch(create());
    const statusId = theirs.statuses[0].id;
    const operations = (ids: Record<string, string>) => [
      create({ listId: ids.list }),
      create({ statusId: ids.status }),
      create({ assigneeId: ids.person }),
      create({ labelIds: [ids.label] }),
      { op: 'update', id: ids.task, title: 'Mine' },
      { op: 'update', id: task.id, statusId: ids.status },
      { op: 'update', id: task.id, assigneeId: ids.person },
      { op: 'update', id: task.id, labelIds: [ids.label] },
      { op: 'update', id: task.id, addLabelIds: [ids.label] },
      { op: 'move', id: ids.task, listId: list.id },
      { op: 'move', id: task.id, listId: ids.list },
      { op: 'move', id: task.id, listId: list.id, statusId: ids.status },
      { op: 'delete', id: ids.task },
      { op: 'restore', id: ids.trashed },
    ];
    const feed = async () => (await call('GET', `/workspaces/${other}/changes`)).body;
    const before = [await feed(), await read(task.id), (await call('GET', `${inside}/changes`)).body];
    const named = { list: theirs.id, status: statusId, person: bob.id, label, task: foreign, trashed };
    const unknown = Object.fromEntries(Object.keys(named).map((key) => [key, crypto.randomUUID()]));
    const rejected = await batch(...operations(named));
    expect(statuses(rejected)).toEqual([
      400, 400, 400, 400, 404, 400, 400, 400, 400, 404, 400, 400, 404, 404,
    ]);
    expect(rejected).toEqual(await batch(...operations(unknown)));
    const taken = await batch(create({ id: foreign }), create({ id: trashed }), create({ id: list.id }));
    expect(taken.map(pathsOf)).toEqual([['id'], ['id'], ['id']]);
    expect(taken[0]).toEqual(taken[2]);
    const mine = { op: 'restore', id: trashed, listId: list.id };
    expect(statuses(await batch(mine))).toEqual([404]);
    expect([await feed(), await read(task.id), (await call('GET', `${inside}/changes`)).body]).toEqual(
      before,
    );
  });

  it('asks ifMatch of each operation, after its 400', async () => {
    const [{ task }] = await batch(create());
    const { id } = task;
    const etag = (await call('GET', `${inside}/tasks/${id}`)).headers.get('etag') ?? '';
    const stale = { id, ifMatch: etag.replace('-1', '-2') };
    const results = await batch(
      { op: 'update', ...stale, title: 'New' },
      { op: 'update', ...stale, title: '' },
      { op: 'update', ...stale, assigneeId: crypto.randomUUID() },
      { op: 'move', ...stale, listId: list.id },
      { op: 'delete', ...stale },
      { op: 'delete', id, ifMatch: 'no ETag' },
      { op: 'delete', id, ifMatch: 7 },
      { op: 'update', id, ifMatch: `W/${etag}`, title: 'New' },
      { op: 'update', id, ifMatch: etag, title: 'Newer' },
      { op: 'delete', id, ifMatch: etag.replace('-1', '-2') },
    );
    expect(statuses(results)).toEqual([412, 400, 400, 412, 412, 400, 400, 200, 412, 204]);
    expect(results[0].error).toBe('PreconditionFailedError');
    expect(results[5].issues[0].path).toBe('ifMatch');
  });

  it('is described with ifMatch where that is asked', async () => {
    const { schemas } = (await call('GET', '/openapi.json')).body.components;
    const asking = schemas.TaskOperation.anyOf
      .map(({ $ref }: { $ref: string }) => $ref.replace('#/components/schemas/', ''))
      .filter((name: string) => JSON.stringify(schemas[name]).includes('"ifMatch"'));
    expect(asking).toEqual(['UpdateOperation', 'MoveOperation', 'DeleteOperation']);
  });

  it('deletes past the trash only where it is asked to', async () => {
    const [kept, gone] = [create(), create()];
    await batch(kept, gone);
    const results = await batch(
      { op: 'delete', id: kept.id, permanent: 1 },
      { op: 'delete', id: kept.id, permanent: false },
      { op: 'delete', id: gone.id, permanent: true },
      { op: 'restore', id: gone.id },
    );
    expect(statuses(results)).toEqual([400, 204, 204, 404]);
    expect(pathsOf(results[0])).toEqual(['permanent']);
    const { items } = (await call('GET', `${inside}/trash`)).body;
    expect(items.map(({ id }: { id: string }) => id)).toEqual([kept.id]);
  });

  it('adds and removes labels and leaves the others alone', async () => {
    const [a, b, c] = [await label('A'), await label('B'), await label('C')];
    const [{ task }] = await batch(create({ labelIds: [a, b] }));
    const { id } = task;
    const unknown = crypto.randomUUID();
    const results = await batch(
      { op: 'update', id, addLabelIds: [c], removeLabelIds: [a, unknown] },
      { op: 'update', id, addLabelIds: [b, a] },
      { op: 'update', id, removeLabelIds: [b, unknown], title: 'New' },
      { op: 'update', id, addLabelIds: [unknown] },
      { op: 'update', id, addLabelIds: [b], removeLabelIds: [b] },
      { op: 'update', id, labelIds: [a], addLabelIds: [b] },
      { op: 'update', id, labelIds: [a], removeLabelIds: [b] },
      { op: 'update', id, removeLabelIds: [unknown] },
    );
    expect(statuses(results)).toEqual([200, 200, 200, 400, 400, 400, 400, 200]);
    expect(results.slice(0, 3).map(({ task }: { task: { labelIds: string[] } }) => task.labelIds)).toEqual([
      [b, c],
      [b, c, a],
      [c, a],
    ]);
    for (const rejected of results.slice(3, 7)) expect(pathsOf(rejected)).toEqual(['addLabelIds']);
    expect(results[7].task).toEqual(results[2].task);
  });

  it('adds no label beyond fifty', async () => {
    const labels = await Promise.all(Array.from({ length: 51 }, (_, i) => label(`L${i}`)));
    const [{ task }] = await batch(create({ labelIds: labels.slice(0, 49) }));
    const adding = (id: string) => ({ op: 'update', id: task.id, addLabelIds: [id] });
    const [fiftieth, next] = await batch(...labels.slice(49).map(adding));
    expect([fiftieth.task.labelIds.length, next.status, pathsOf(next)]).toEqual([50, 400, ['addLabelIds']]);
  });

  it('tells of labels to add that there are not beside whatever else is wrong', async () => {
    const [{ task }] = await batch(create());
    const unknown = { op: 'update', id: task.id, addLabelIds: [crypto.randomUUID()] };
    const [both, alone] = await batch({ ...unknown, title: '', assigneeId: list.id }, unknown);
    expect(pathsOf(both)).toEqual(['title', 'assigneeId', 'addLabelIds']);
    expect(pathsOf(alone)).toEqual(['addLabelIds']);
  });

  it('tells of all that is wrong with an operation at once, by the names that it has there', async () => {
    const [{ task }] = await batch(create());
    const unknown = crypto.randomUUID();
    const { body: other } = await call('POST', `${inside}/lists`, { title: 'Other', spaceId: list.spaceId });
    const update = { op: 'update', id: task.id };
    const move = { op: 'move', id: task.id };
    for (const [operation, wrong] of [
      [{ ...update, labelIds: [unknown] }, ['labelIds']],
      [{ ...update, labelIds: [unknown], title: '' }, ['title', 'labelIds']],
      [{ ...update, listId: other.id }, ['listId']],
      [{ ...update, listId: other.id, title: '' }, ['title', 'listId']],
      [
        { ...update, listId: other.id, title: '', addLabelIds: [unknown] },
        ['title', 'addLabelIds', 'listId'],
      ],
      [{ ...update, labelIds: [], addLabelIds: [], title: 7 }, ['title', 'addLabelIds']],
      [{ ...update, addLabelIds: 7, removeLabelIds: 7 }, ['addLabelIds', 'removeLabelIds']],
      [{ ...move, listId: unknown, position: 'x' }, ['position', 'listId']],
      [{ ...move, statusId: unknown }, ['listId']],
    ] as const) {
      const [result] = await batch(operation);
      expect([operation, pathsOf(result).toSorted()]).toEqual([operation, wrong.toSorted()]);
    }
    const stale = { ...update, removeLabelIds: [unknown], ifMatch: '"x-1"' };
    expect(statuses(await batch(stale))).toEqual([412]);
  });

  it('lets a series go on, and skips what is deleted', async () => {
    const made = { title: 'S', listId: list.id, interval: DAILY };
    const series = (await call('POST', `${inside}/recurring-tasks`, made)).body;
    await batch({ op: 'update', id: series.nextTaskId, statusId: list.statuses[2]?.id });
    const next = (await call('GET', `${inside}/recurring-tasks/${series.id}`)).body;
    expect(next.nextOccurrenceNumber).toBe(2);
    await batch({ op: 'delete', id: next.nextTaskId });
    expect((await call('GET', `${inside}/recurring-tasks/${series.id}`)).body.nextOccurrenceNumber).toBe(3);
  });

  it('has 1 to 100 operations', async () => {
    for (const operations of [undefined, null, {}, [], Array(101).fill({})]) {
      await expectIssues(send(operations), 'operations');
    }
    expect((await send(Array.from({ length: 100 }, () => create()))).body.results).toHaveLength(100);
  });

  it('is done in steps where its texts are long, and means the same', async () => {
    const steps = world.watchSteps();
    const description = 'word '.repeat(8_000);
    const made = Array.from({ length: 20 }, () => create({ description }));
    const results = await batch(
      ...made,
      create({ id: made[0]?.id, title: 'Again' }),
      create({ id: list.id }),
    );
    expect(statuses(results)).toEqual([...Array(20).fill(201), 200, 400]);
    // Each long one takes two: its index is written out by itself.
    await batch(create({ description }));
    expect(steps).toEqual([2 * 20 + 1, 2]);
    expect((await call('GET', `${inside}/tasks/search?q=word`)).body.total).toBe(21);
  });

  it('is done in steps where much is written of what is there, in whichever case its ids are', async () => {
    const long = Array.from({ length: 5 }, () => create({ description: 'word '.repeat(8_000) }));
    const said = Array.from({ length: 3 }, () => create());
    for (const made of long) await batch(made);
    await batch(...said);
    const body = { body: 'Said' };
    for (let i = 0; i < 60; i += 1) await call('POST', `${inside}/tasks/${said[i % 3]?.id}/comments`, body);

    const steps = world.watchSteps();
    const done = (made: { id: string }[], more: object) =>
      batch(...made.map(({ id }) => ({ ...more, id: id.toUpperCase() })));
    await done(said, { op: 'update', title: 'Short' });
    await done(long, { op: 'update', title: 'Long' });
    expect(statuses(await done(said, { op: 'delete' }))).toEqual([204, 204, 204]);
    expect(statuses(await done(said, { op: 'restore' }))).toEqual([200, 200, 200]);
    // Two of the five at once; what a deletion and a restore take is theirs to decide.
    expect(steps).toEqual([3, expect.any(Number), expect.any(Number)]);
    const comments = await call('GET', `${inside}/tasks/${said[0]?.id}/comments`);
    expect(comments.body.total).toBe(20);
  });

  it('is done in steps where instances are closed of series with long texts, be they short themselves', async () => {
    const series = { title: 'Daily', listId: list.id, description: 'word '.repeat(4_000), interval: DAILY };
    const ids = [];
    for (let i = 0; i < 4; i += 1) {
      const { nextTaskId: id } = (await call('POST', `${inside}/recurring-tasks`, series)).body;
      await call('PATCH', `${inside}/tasks/${id}`, { description: null });
      ids.push(id);
    }
    const steps = world.watchSteps();
    const statusId = list.statuses.find(({ type }) => type === 'completed')?.id;
    const results = await batch(...ids.map((id) => ({ op: 'update', id, statusId })));
    expect([statuses(results), steps]).toEqual([[200, 200, 200, 200], [4]]);
  });
});

describe('limits of a batch', () => {
  it('a quota is a 403 of its own', async () => {
    await openHomeInstead({ settings: { quotas: { tasks: 2 } } });
    const results = await batch(create(), create(), create(), { op: 'create', title: '' });
    expect(statuses(results)).toEqual([201, 201, 403, 400]);
    expect(results[2].error).toBe('ForbiddenError');
  });

  it('costs as many requests as operations; too few left, nothing is done and Retry-After is when it fits', async () => {
    await openHomeInstead({
      settings: { rate_limits: { enabled: true, user_burst: 50, user_per_minute: 60 } },
    });
    world.clock.advance(60_000);
    const operations = (n: number) => Array.from({ length: n }, () => create());
    expect((await send(operations(30))).status).toBe(200);
    const rejected = await send(operations(25));
    expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([429, '5']);
    expect((await send(operations(20))).status).toBe(200);
    const none = await send(operations(10));
    expect([none.status, none.headers.get('retry-after')]).toEqual([429, '10']);
    expect((await send('broken')).status).toBe(429);
    world.clock.advance(10_000);
    expect((await send(operations(10))).status).toBe(200);
    world.clock.advance(50_000);
    expect((await send(operations(100))).status).toBe(200);
    expect((await call('GET', `${inside}/tasks`)).status).toBe(429);
    world.clock.advance(1_000);
    expect((await call('GET', `${inside}/tasks`)).body.total).toBe(160);
  });
});
