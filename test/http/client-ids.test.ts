import { beforeEach, describe, expect, it } from 'vitest';
import { purgeOldChanges } from '../../src/changes/purge.ts';
import { ada, call, home, inside, listId, spaceId, useHome, world } from '../ada.ts';
import { as, type Call, joined, signInAgain } from '../people.ts';
import type { TestResponse } from '../world.ts';

const DAY = 86_400_000;

let bob: Call;
let taskPath: string;
useHome();
beforeEach(async () => {
  bob = as(world, await joined(world, ada, home, 'admin'));
  taskPath = `${inside}/tasks/${(await call('POST', `${inside}/tasks`, { title: 'T', listId })).body.id}`;
});

const interval = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'UTC' };
/** What each kind is made with, at which path. */
const KINDS: Record<string, () => [path: string, body: object]> = {
  task: () => [`${inside}/tasks`, { title: 'New', listId }],
  'recurring task': () => [`${inside}/recurring-tasks`, { title: 'New', listId, interval }],
  list: () => [`${inside}/lists`, { title: 'New', spaceId }],
  space: () => [`${inside}/spaces`, { title: 'New' }],
  label: () => [`${inside}/labels`, { title: `New ${crypto.randomUUID()}` }],
  comment: () => [`${taskPath}/comments`, { body: 'New' }],
};
const make = (kind: string, id: string, by = call, more: object = {}): Promise<TestResponse> => {
  const [path, body] = KINDS[kind]?.() ?? ['', {}];
  return by('POST', path, { ...body, id, ...more });
};
const pathOf = (kind: string, id: string) => `${KINDS[kind]?.()[0]}/${id}`;
const expectTaken = ({ status, body }: TestResponse, path = 'id') =>
  expect([status, body.issues]).toEqual([400, [{ path, message: 'Id is taken' }]]);

const NIL = '00000000-0000-0000-0000-000000000000';

describe.each(Object.keys(KINDS))('a %s', (kind) => {
  it('is one thing, whichever case its id is sent in', async () => {
    const id = crypto.randomUUID();
    const made = await make(kind, id.toUpperCase());
    expect([made.status, made.body.id]).toEqual([201, id]);
    expect((await make(kind, id)).status).toBe(200);
    expect((await make(kind, id.toUpperCase())).status).toBe(200);
  });

  it('is found by its id in either case, as its workspace is', async () => {
    const id = crypto.randomUUID().toUpperCase();
    await make(kind, id);
    const path = pathOf(kind, id).replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (each) => each.toUpperCase());
    const read = await call('GET', path);
    expect([read.status, read.body.id]).toEqual([200, id.toLowerCase()]);
  });

  it('takes the id of its client, and repeated returns the thing as it is now', async () => {
    const id = crypto.randomUUID();
    const made = await make(kind, id);
    expect([made.status, made.body.id]).toEqual([201, id]);
    expect((await make(kind, id)).body).toEqual(made.body);
    const change = kind === 'comment' ? { body: 'Changed' } : { title: 'Changed' };
    await call('PATCH', pathOf(kind, id), change);
    const again = await make(kind, id);
    expect([again.status, again.headers.get('location')]).toEqual([200, null]);
    expect(again.body).toMatchObject({ id, version: made.body.version + 1, ...change });
    expect(again.headers.get('etag')).toContain(`-${again.body.version}"`);
  });

  it('is looked for before what its body refers to', async () => {
    const id = crypto.randomUUID();
    await make(kind, id);
    const unknown = { listId: crypto.randomUUID(), spaceId: crypto.randomUUID() };
    expect((await make(kind, id, call, unknown)).status).toBe(200);
    if (kind !== 'comment') expectTaken(await make(kind, id, bob, unknown));
  });

  it('is nothing to another person, in another workspace or as another kind: all the same', async () => {
    const id = crypto.randomUUID();
    await make(kind, id);
    expectTaken(await make(kind, id, bob));
    for (const other of Object.keys(KINDS)) if (other !== kind) expectTaken(await make(other, id));
    const elsewhere = (await call('POST', '/workspaces', { title: 'Other' })).body.id;
    expectTaken(await call('POST', `/workspaces/${elsewhere}/spaces`, { title: 'New', id }));
    expectTaken(await call('POST', `${taskPath}/checklist`, { title: 'New', id }));
    const checklist = [{ title: 'Fine' }, { title: 'New', id }];
    expectTaken(await call('POST', `${inside}/tasks`, { title: 'New', listId, checklist }), 'checklist.1.id');
  });

  it('leaves its id behind when it is deleted, until the changes of then are forgotten', async () => {
    const id = crypto.randomUUID();
    await make(kind, id);
    expect((await call('DELETE', `${pathOf(kind, id)}?permanent=true`)).status).toBe(204);
    for (const other of Object.keys(KINDS)) expectTaken(await make(other, id));
    await purgeOldChanges(world.deps);
    world.clock.advance(29 * DAY);
    await signInAgain(world, ada);
    await purgeOldChanges(world.deps);
    expectTaken(await make(kind, id));
    world.clock.advance(2 * DAY);
    await signInAgain(world, ada);
    await purgeOldChanges(world.deps);
    expect((await make(kind, id)).status).toBe(201);
  });

  it('takes no id that is none, and PATCH does not change it', async () => {
    const id = crypto.randomUUID();
    const none = ['mine', `{${id}}`, `urn:uuid:${id}`, id.replaceAll('-', ''), ` ${id}`, NIL];
    for (const other of none) expect((await make(kind, other)).body.issues[0].path).toBe('id');
    await make(kind, id);
    const changed = await call('PATCH', pathOf(kind, id), { id: crypto.randomUUID() });
    expect([changed.status, changed.body.id]).toEqual([200, id]);
  });
});

it('an item of a checklist takes no id that is none', async () => {
  for (const none of ['mine', NIL]) {
    const checklist = [{ title: 'New', id: none }];
    const whole = await call('PATCH', taskPath, { checklist });
    expect([whole.status, whole.body.issues[0].path]).toEqual([400, 'checklist.0.id']);
    const one = await call('POST', `${taskPath}/checklist`, checklist[0]);
    expect([one.status, one.body.issues[0].path]).toEqual([400, 'id']);
  }
});

it('a comment of another task is taken, also to its author', async () => {
  const id = crypto.randomUUID();
  await make('comment', id);
  const other = (await call('POST', `${inside}/tasks`, { title: 'Other', listId })).body.id;
  expectTaken(await call('POST', `${inside}/tasks/${other}/comments`, { body: 'New', id }));
  expect((await call('GET', `${inside}/tasks/${other}/comments`)).body.total).toBe(0);
});

it('no new thing takes the id of a workspace, a member, a status template or a status', async () => {
  const { statusTemplateId, statuses } = (await call('GET', `${inside}/lists/${listId}`)).body;
  for (const id of [inside.split('/')[2], ada.id, statusTemplateId, statuses[0].id]) {
    for (const kind of Object.keys(KINDS)) expectTaken(await make(kind, id));
    const checklist = [{ title: 'New', id }];
    expectTaken(await call('PATCH', taskPath, { checklist }), 'checklist.0.id');
  }
});

it('what went with a list, or was skipped, leaves its id behind', async () => {
  const [list, task, series, comment] = Array.from({ length: 4 }, () => crypto.randomUUID()) as [
    string,
    string,
    string,
    string,
  ];
  await make('list', list);
  await call('POST', `${inside}/tasks`, { id: task, title: 'T', listId: list });
  await call('POST', `${inside}/recurring-tasks`, { id: series, title: 'T', listId: list, interval });
  await call('POST', `${inside}/tasks/${task}/comments`, { id: comment, body: 'T' });
  const skipped = (await call('GET', `${inside}/recurring-tasks/${series}`)).body.nextTaskId;
  await call('POST', `${inside}/recurring-tasks/${series}/skip`);
  expectTaken(await make('task', skipped));
  expect((await call('DELETE', `${inside}/lists/${list}?permanent=true`)).status).toBe(204);
  for (const id of [list, task, series, comment]) expectTaken(await make('task', id));
});

it.each(['task', 'list', 'space'])(
  'a %s in the trash keeps its id, and is its maker’s again once it is restored',
  async (kind) => {
    const id = crypto.randomUUID();
    await make(kind, id);
    const within = crypto.randomUUID();
    if (kind === 'list') await make('task', within, call, { listId: id });
    await call('DELETE', pathOf(kind, id));
    expectTaken(await make(kind, id));
    expectTaken(await make(kind, id, bob));
    expect((await call('POST', `${inside}/trash/${id}/restore`)).status).toBe(200);
    expect((await make(kind, id)).status).toBe(200);
    expectTaken(await make(kind, id, bob));
    if (kind === 'list') expect((await make('task', within)).status).toBe(200);
  },
);

it('a thing in the trash keeps its id when the changes of its deletion are forgotten', async () => {
  const id = crypto.randomUUID();
  await make('task', id);
  const { config } = world.deps;
  Object.assign(world.deps, { config: { ...config, changes: { ...config.changes, keep_days: 1 } } });
  await call('DELETE', pathOf('task', id));
  await purgeOldChanges(world.deps);
  world.clock.advance(2 * DAY);
  await signInAgain(world, ada);
  await purgeOldChanges(world.deps);
  expectTaken(await make('task', id));
  expect((await call('POST', `${inside}/trash/${id}/restore`)).status).toBe(200);
});

it('an item goes back into an instance whose series has it still, and into no other task', async () => {
  const id = crypto.randomUUID();
  const checklist = [{ title: 'Pack', id }];
  const { body: series } = await make('recurring task', crypto.randomUUID(), call, { checklist });
  const instance = `${inside}/tasks/${series.nextTaskId}`;
  expect((await call('DELETE', `${instance}/checklist/${id}`)).body.checklist).toEqual([]);
  expectTaken(await call('POST', `${taskPath}/checklist`, { title: 'Pack', id }));
  expectTaken(await call('PATCH', taskPath, { checklist }), 'checklist.0.id');
  expect((await call('POST', `${instance}/checklist`, { title: 'Pack', id })).status).toBe(201);
  await call('DELETE', `${instance}/checklist/${id}`);
  expect((await call('PATCH', instance, { checklist })).body.checklist).toMatchObject(checklist);
});

it.each(['task', 'recurring task'])(
  'a new %s and an item of its checklist have no id in common',
  async (kind) => {
    const id = crypto.randomUUID();
    const checklist = [{ title: 'Fine' }, { title: 'Same', id }];
    const { status, body } = await make(kind, id, call, { checklist });
    expect([status, body.issues[0]]).toEqual([400, { path: 'checklist.1.id', message: 'Id is taken' }]);
    const operations = [{ op: 'create', id, title: 'New', listId, checklist }];
    const [result] = (await call('POST', `${inside}/tasks/batch`, { operations })).body.results;
    expect([result.status, result.issues[0].path]).toEqual([400, 'checklist.1.id']);
  },
);

it('a full quota keeps nobody from what they made before', async () => {
  const { quotas } = world.deps.config;
  const id = crypto.randomUUID();
  await make('space', id);
  world.deps.config = { ...world.deps.config, quotas: { ...quotas, spaces: 1 } };
  expect((await make('space', id)).status).toBe(200);
});

it('a label is looked for by its id before its title', async () => {
  const [id, other] = [crypto.randomUUID(), crypto.randomUUID()];
  const { title } = (await make('label', id)).body;
  expect((await make('label', id, call, { title: 'Else' })).body.title).toBe(title);
  expect((await make('label', other, call, { title, reuse: true })).body.id).toBe(id);
});

it('a repeated space is returned with its lists', async () => {
  const id = crypto.randomUUID();
  const made = (await make('space', id)).body;
  await call('POST', `${inside}/lists`, { title: 'More', spaceId: id });
  const { lists } = (await make('space', id)).body;
  expect(lists.map(({ title }: { title: string }) => title)).toEqual(['Tasks', 'More']);
  expect(lists[0]).toEqual(made.lists[0]);
});
