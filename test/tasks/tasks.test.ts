import { beforeEach, describe, expect, it } from 'vitest';
import { DAY, HOUR, MINUTE, toInstant } from '../../src/kernel/instants.ts';
import type { Status } from '../../src/lists/schema.ts';
import { TaskInput } from '../../src/tasks/schema.ts';
import { tick } from '../../src/tick.ts';
import { ada, at, call, list, reopen, useHome, home as workspace, world } from '../ada.ts';
import { addTasks } from '../many-tasks.ts';
import { as, expectIssues, homeOf, joined, signInAgain } from '../people.ts';
import type { Person } from '../world.ts';

useHome();

const create = (body: object) => call('POST', at('/tasks'), body);
const made = async (body: object = {}) => (await create({ title: 'Task', listId: list.id, ...body })).body;
const patch = (id: string, body: unknown, by = call) => by('PATCH', at(`/tasks/${id}`), body);
const move = (id: string, body: unknown) => call('POST', at(`/tasks/${id}/move`), body);
const read = async (id: string) => (await call('GET', at(`/tasks/${id}`))).body;
const status = (type: string) => list.statuses.find((one) => one.type === type)?.id;
const post = async (path: string, body: unknown) => (await call('POST', at(path), body)).body;

const join = (role: string) => joined(world, ada, workspace, role);

describe('a new task', () => {
  it('has every field, with defaults where nothing was said', async () => {
    const { status: code, body } = await create({ title: '  Buy milk ', listId: list.id });
    expect(code).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      number: 1,
      workspaceId: workspace,
      spaceId: list.spaceId,
      listId: list.id,
      title: 'Buy milk',
      description: null,
      priority: 'none',
      statusId: status('unstarted'),
      assigneeId: null,
      creatorId: ada.id,
      startDate: null,
      startDay: null,
      dueDate: null,
      dueDay: null,
      completedAt: null,
      position: 1024,
      labelIds: [],
      checklist: [],
      commentCount: 0,
      recurrence: null,
      createdAt: '2026-03-27T10:00:00.000Z',
      updatedAt: '2026-03-27T10:00:00.000Z',
      version: 1,
    });
    expect(await read(body.id)).toEqual(body);
    expect((await made()).position).toBe(2048);
  });

  it('keeps what was said; instants become UTC', async () => {
    const body = await made({
      description: 'Two litres',
      priority: 'high',
      statusId: status('completed'),
      assigneeId: ada.id,
      startDate: '2026-03-28T10:00:00+02:00',
      dueDate: '2026-03-29t10:00:00.1234567890123z',
      position: -3.5,
    });
    expect(body).toMatchObject({
      description: 'Two litres',
      priority: 'high',
      assigneeId: ada.id,
      startDate: '2026-03-28T08:00:00.000Z',
      dueDate: '2026-03-29T10:00:00.123Z',
      completedAt: '2026-03-27T10:00:00.000Z',
      position: -3.5,
    });
    expect((await made({ description: '' })).description).toBeNull();
  });

  it('has every field that can be given, and has it when it is read again', async () => {
    const { id: labelId } = await post('/labels', { title: 'Errands' });
    const given = {
      id: crypto.randomUUID(),
      listId: list.id,
      title: 'Buy milk',
      description: 'Two litres',
      priority: 'high',
      assigneeId: ada.id,
      labelIds: [labelId],
      checklist: [{ id: crypto.randomUUID(), title: 'Compare prices', isDone: true }],
      statusId: status('started'),
      position: -3.5,
    };
    const instants = { startDate: '2026-03-28T08:00:00.000Z', dueDate: '2026-03-29T10:00:00.123Z' };
    const days = { startDay: '2026-03-28', dueDay: '2026-03-29' };
    const everyField = Object.keys({ ...given, ...instants, ...days }).toSorted();
    expect(Object.keys(TaskInput.shape).toSorted()).toEqual(everyField);
    for (const body of [
      { ...given, ...instants },
      { ...given, ...days, id: crypto.randomUUID(), checklist: [] },
    ]) {
      expect(await made(body)).toMatchObject(body);
      expect(await read(body.id)).toMatchObject(body);
    }
  });

  it('is rejected by field, all at once', async () => {
    const bad: [object, string[]][] = [
      [{}, ['title', 'listId']],
      [{ title: ' ', listId: 'x' }, ['title', 'listId']],
      [{ title: 'x'.repeat(501), listId: list.id }, ['title']],
      [{ title: 'x', listId: list.id, description: 'x'.repeat(50_001) }, ['description']],
      [
        { title: '🐚'.repeat(251), listId: list.id, description: '🐚'.repeat(25_001) },
        ['title', 'description'],
      ],
      [{ title: 'x', listId: list.id, priority: 'HIGH', dueDate: 'tomorrow' }, ['priority', 'dueDate']],
      [
        { title: 'x', listId: crypto.randomUUID(), assigneeId: crypto.randomUUID() },
        ['listId', 'assigneeId'],
      ],
      [
        { title: 'x', listId: list.id, statusId: crypto.randomUUID(), assigneeId: crypto.randomUUID() },
        ['statusId', 'assigneeId'],
      ],
      [{ title: 'x', listId: list.id, position: null }, ['position']],
      [{ title: 'x', listId: list.id, position: '1' }, ['position']],
      [{ title: null, listId: list.id }, ['title']],
    ];
    for (const [body, paths] of bad) {
      await expectIssues(create(body), ...paths);
    }
    expect(world.count('tasks')).toBe(0);
  });

  it('takes only instants of the calendar with a zone, from 1900 to 9999', async () => {
    const bad = [
      '2026-02-30T00:00:00Z',
      '2026-02-30T00:00:00.000Z',
      '2025-02-29T00:00:00.000Z',
      '2026-03-27T24:00:00.000Z',
      '2026-03-27T10:00:60.000Z',
      '2026-13-01T00:00:00.000Z',
      '1899-12-31T23:59:59.999Z',
      '2026-03-27T24:00:00Z',
      '2026-03-27T10:00:60Z',
      '2026-03-27T10:00:00',
      '2026-03-27',
      '1899-12-31T23:59:59Z',
      '0050-01-01T00:00:00Z',
      '+010000-01-01T00:00:00Z',
      '-000001-01-01T00:00:00Z',
      '2026-03-27 10:00:00Z',
      '2026-03-27T10:00:00+24:00',
      '9999-12-31T23:59:59-01:00',
      1_700_000_000_000,
      true,
    ];
    for (const dueDate of bad)
      expect((await create({ title: 'x', listId: list.id, dueDate })).status, String(dueDate)).toBe(400);
    for (const dueDate of ['1900-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2024-02-29T00:00:00Z']) {
      expect((await create({ title: 'x', listId: list.id, dueDate })).status).toBe(201);
    }
  });

  it('cannot be given to a viewer or a stranger', async () => {
    const viewer = await join('viewer');
    const stranger = await world.signUp();
    for (const { id } of [viewer, stranger]) {
      await expectIssues(create({ title: 'x', listId: list.id, assigneeId: id }), 'assigneeId');
    }
  });
});

describe('a change', () => {
  it('keeps what is absent, clears what is null, and touches updatedAt only when something changed', async () => {
    const task = await made({
      description: 'text',
      assigneeId: ada.id,
      dueDate: '2026-04-01T00:00:00Z',
      startDate: '2026-03-01T00:00:00Z',
      priority: 'low',
    });
    world.clock.advance(MINUTE);
    expect((await patch(task.id, {})).body).toEqual(task);
    expect(
      (await patch(task.id, { title: task.title, listId: task.listId, statusId: task.statusId })).body,
    ).toEqual(task);
    const cleared = await patch(task.id, {
      description: null,
      assigneeId: null,
      dueDate: null,
      startDate: null,
    });
    expect(cleared.body).toEqual({
      ...task,
      description: null,
      assigneeId: null,
      dueDate: null,
      startDate: null,
      updatedAt: '2026-03-27T10:01:00.000Z',
      version: 2,
    });
    for (const field of ['title', 'priority', 'statusId', 'position', 'listId']) {
      await expectIssues(patch(task.id, { [field]: null }), field);
    }
  });

  it('stands by its title as it is by now', async () => {
    const { id } = await made({ title: 'Apple' });
    await made({ title: 'Banana' });
    await patch(id, { title: 'cherry' });
    const { body } = await call('GET', at('/tasks/query?sortBy=title'));
    expect(body.items.map(({ title }: { title: string }) => title)).toEqual(['Banana', 'cherry']);
  });

  it('ignores fields that are not for the client to set', async () => {
    const task = await made();
    const foreign = {
      id: 'x',
      workspaceId: 'x',
      spaceId: 'x',
      creatorId: 'x',
      createdAt: 'x',
      updatedAt: 'x',
      completedAt: 'x',
      recurrence: {},
    };
    expect((await patch(task.id, foreign)).body).toEqual(task);
  });

  it('of the list is for move', async () => {
    const other = await post('/lists', { title: 'Other', spaceId: list.spaceId });
    const task = await made();
    const { status: code, body } = await patch(task.id, { listId: other.id });
    expect([code, body.issues]).toEqual([400, [{ path: 'listId', message: 'Use move to change the list' }]]);
  });

  it('into a completed status sets completedAt, out of it clears it, and any status may follow any other', async () => {
    const task = await made();
    world.clock.advance(MINUTE);
    const done = (await patch(task.id, { statusId: status('completed') })).body;
    expect(done.completedAt).toBe('2026-03-27T10:01:00.000Z');
    world.clock.advance(MINUTE);
    expect((await patch(task.id, { title: 'Other' })).body.completedAt).toBe('2026-03-27T10:01:00.000Z');
    expect((await patch(task.id, { statusId: status('started') })).body.completedAt).toBeNull();
    expect((await patch(task.id, { statusId: status('unstarted') })).body.completedAt).toBeNull();
  });

  it('rejects a status of another template', async () => {
    const template = await post('/status-templates', { title: 'Other' });
    const task = await made();
    await expectIssues(patch(task.id, { statusId: template.statuses[0].id }), 'statusId');
  });
});

describe('a move', () => {
  it('keeps the status where the list knows it, else takes one of the same title, the same type, the first', async () => {
    const same = await post('/lists', { title: 'Same', spaceId: list.spaceId });
    const template = await post('/status-templates', {
      title: 'Other',
      statuses: [
        { title: 'Backlog', type: 'unstarted', color: '#000000' },
        { title: 'To Do', type: 'started', color: '#000000' },
        { title: 'Shipped', type: 'completed', color: '#000000' },
      ],
    });
    const other = await post('/lists', {
      title: 'Other',
      spaceId: list.spaceId,
      statusTemplateId: template.id,
    });
    const [backlog, todo, shipped] = template.statuses as Status[];
    const task = await made();
    expect((await move(task.id, { listId: same.id })).body).toMatchObject({
      listId: same.id,
      statusId: task.statusId,
    });
    expect((await move(task.id, { listId: other.id })).body.statusId).toBe(todo?.id);
    const done = await made({ statusId: status('completed') });
    const moved = (await move(done.id, { listId: other.id })).body;
    expect(moved).toMatchObject({ statusId: shipped?.id, completedAt: done.completedAt });
    const asked = await made();
    expect(
      (await move(asked.id, { listId: other.id, statusId: backlog?.id, position: 7 })).body,
    ).toMatchObject({ statusId: backlog?.id, position: 7 });
    await expectIssues(move(asked.id, { listId: other.id, statusId: task.statusId }), 'statusId');
  });

  it('goes to the end of the list, or changes nothing in the own one', async () => {
    const other = await post('/lists', { title: 'Other', spaceId: list.spaceId });
    const there = (await create({ title: 'x', listId: other.id })).body;
    const task = await made();
    world.clock.advance(MINUTE);
    const own = await move(task.id, { listId: list.id });
    expect([own.status, own.body]).toEqual([200, task]);
    expect((await move(task.id, { listId: other.id })).body.position).toBe(there.position + 1024);
  });

  it('follows the space of the list', async () => {
    const space = await post('/spaces', { title: 'Elsewhere' });
    const task = await made();
    expect((await move(task.id, { listId: space.lists[0].id })).body.spaceId).toBe(space.id);
    await call('PATCH', at(`/lists/${space.lists[0].id}`), { spaceId: list.spaceId });
    expect((await read(task.id)).spaceId).toBe(list.spaceId);
  });

  it('cannot leave the workspace', async () => {
    const bob = await world.signUp('bob@example.com');
    const theirs = await homeOf(world, bob);
    const [{ id }] = (await as(world, bob)('GET', `/workspaces/${theirs}/lists`)).body.items;
    const task = await made();
    for (const listId of [id, crypto.randomUUID()]) {
      await expectIssues(move(task.id, { listId }), 'listId');
    }
    expect(await read(task.id)).toEqual(task);
  });
});

describe('a task', () => {
  it('is gone once it is deleted', async () => {
    const task = await made();
    const remove = () => call('DELETE', at(`/tasks/${task.id}`));
    expect([(await remove()).status, (await remove()).status]).toEqual([204, 404]);
    expect((await call('GET', at(`/tasks/${task.id}`))).status).toBe(404);
  });

  it('follows the edits of its status template', async () => {
    const task = await made({ statusId: status('started') });
    const template = at(`/status-templates/${list.statusTemplateId}`);
    const statuses = list.statuses.map((one) =>
      one.type === 'started' ? { ...one, type: 'completed' } : one,
    );
    expect((await call('PATCH', template, { statuses })).status).toBe(200);
    expect((await read(task.id)).completedAt).toBe('2026-03-27T10:00:00.000Z');
    const fewer = statuses.filter(({ id }) => id !== task.statusId);
    await call('PATCH', template, { statuses: fewer });
    expect((await read(task.id)).statusId).toBe(status('completed'));
  });

  it('loses its assignee when that person leaves, unless it is done', async () => {
    const bob = await join('member');
    const open = await made({ assigneeId: bob.id });
    const done = await made({ assigneeId: bob.id, statusId: status('completed') });
    expect((await as(world, bob)('DELETE', at(`/members/${bob.id}`))).status).toBe(204);
    expect((await read(open.id)).assigneeId).toBeNull();
    expect((await read(done.id)).assigneeId).toBe(bob.id);
    expect((await patch(open.id, { title: 'x' }, as(world, bob))).status).toBe(403);
  });
});

describe('a done task of someone who has left or only looks', () => {
  let bob: Person;
  let zoe: Person;
  let theirs: { id: string; assigneeId: string }[];
  beforeEach(async () => {
    [bob, zoe] = [await join('member'), await join('member')];
    const done = { statusId: status('completed'), dueDate: '2026-03-27T11:00:00.000Z' };
    theirs = [await made({ ...done, assigneeId: bob.id }), await made({ ...done, assigneeId: zoe.id })];
    await tick(world.deps);
    await as(world, bob)('DELETE', at(`/members/${bob.id}`));
    await call('PATCH', at(`/members/${zoe.id}`), { role: 'viewer' });
  });

  /** Reopened, by whatever act, the tasks are nobody's, and their due instant is nobody's news. */
  const areNobodys = async () => {
    for (const { id } of theirs) {
      expect(await read(id)).toMatchObject({ assigneeId: null, completedAt: null });
    }
    world.clock.advance(2 * HOUR);
    await tick(world.deps);
    for (const person of [bob, zoe]) {
      const { body } = await world.call('POST', '/auth/login', { body: person });
      const told = await as(world, body)('GET', '/me/notifications');
      expect(told.body.items.map(({ type }: { type: string }) => type)).not.toContain('task.due');
    }
  };

  it('is nobody’s once it is reopened', async () => {
    for (const task of theirs) {
      const response = await patch(task.id, { statusId: status('started') });
      expect([response.status, response.body.assigneeId]).toEqual([200, null]);
    }
    await areNobodys();
  });

  it('keeps them while it is done, and cannot be reopened in their name', async () => {
    for (const task of theirs) {
      expect((await patch(task.id, { title: 'Still done' })).body.assigneeId).toBe(task.assigneeId);
      const inTheirName = { statusId: status('started'), assigneeId: task.assigneeId };
      await expectIssues(patch(task.id, inTheirName), 'assigneeId');
    }
  });

  it('is nobody’s once a move, or an edit of statuses, reopens it', async () => {
    const template = await post('/status-templates', {
      title: 'Other',
      statuses: [
        { title: 'Done', type: 'started' },
        { title: 'Do', type: 'unstarted' },
        { title: 'Over', type: 'completed' },
      ],
    });
    const [byMove, byEdit] = [theirs[0]?.id ?? '', theirs[1]?.id ?? ''];
    const other = await post('/lists', {
      title: 'O',
      spaceId: list.spaceId,
      statusTemplateId: template.id,
    });
    expect((await move(byMove, { listId: other.id })).body.assigneeId).toBeNull();
    expect((await read(byEdit)).assigneeId).toBe(zoe.id);
    const response = await call('PATCH', at(`/lists/${list.id}`), { statusTemplateId: template.id });
    expect(response.status).toBe(200);
    await areNobodys();
  });

  it('is nobody’s once its status is no completed one any more; who may still be assigned stays', async () => {
    const mine = await made({ statusId: status('completed'), assigneeId: ada.id });
    const statuses = list.statuses.map((one) =>
      one.type === 'completed' ? { ...one, type: 'started' } : one,
    );
    const response = await call('PATCH', at(`/status-templates/${list.statusTemplateId}`), {
      statuses: [...statuses, { title: 'Over', type: 'completed' }],
    });
    expect(response.status).toBe(200);
    expect(await read(mine.id)).toMatchObject({ assigneeId: ada.id, completedAt: null });
    await areNobodys();
  });
});

it('a done task of someone who has left shows no name of theirs in groups, nor one that they take later', async () => {
  const eve = await joined(world, ada, workspace, 'member', 'Eve');
  const { id } = await made({ assigneeId: eve.id });
  const label = async () => {
    const { groups } = (await call('GET', at('/tasks/query?groupBy=assigneeId'))).body;
    return groups.find(({ key }: { key: string }) => key === eve.id)?.label;
  };
  expect(await label()).toBe('Eve');
  await patch(id, { statusId: status('completed') });
  expect((await as(world, eve)('DELETE', at(`/members/${eve.id}`))).status).toBe(204);
  await as(world, eve)('PATCH', '/me', { name: 'Eve, who knows' });
  expect(await label()).toBe('Former member');
});

describe('notices', () => {
  const notices = async (person: Person) =>
    (await as(world, person)('GET', '/me/notifications')).body.items.map(
      ({ type, data, body }: { type: string; data: { taskId: string }; body: string }) => [
        type,
        data.taskId,
        body,
      ],
    );

  it('tell the assignee of a task that someone else gave them', async () => {
    const bob = await join('member');
    const task = await made({ assigneeId: bob.id, title: 'Mow' });
    await patch(task.id, { title: 'Mow the lawn' });
    const own = await made({ assigneeId: ada.id });
    await patch(own.id, { assigneeId: bob.id });
    await patch(task.id, { assigneeId: null }, as(world, bob));
    await patch(task.id, { assigneeId: bob.id }, as(world, bob));
    expect((await notices(bob)).filter(([type]: string[]) => type === 'task.assigned')).toEqual([
      ['task.assigned', own.id, 'Task'],
      ['task.assigned', task.id, 'Mow'],
    ]);
    expect((await notices(ada)).filter(([type]: string[]) => type === 'task.assigned')).toEqual([]);
  });

  it('tell the assignee once that a task is due, also after a downtime', async () => {
    await tick(world.deps);
    const due = async (inMs: number, more: object = {}) =>
      made({ assigneeId: ada.id, dueDate: new Date(world.clock.now() + inMs).toISOString(), ...more });
    const soon = await due(MINUTE);
    await due(MINUTE, { statusId: status('completed') });
    await due(MINUTE, { assigneeId: null });
    await due(-MINUTE);
    const later = await due(3 * DAY);
    await tick(world.deps);
    expect(await notices(ada)).toEqual([]);
    world.clock.advance(MINUTE);
    await tick(world.deps);
    await tick(world.deps);
    expect(await notices(ada)).toEqual([['task.due', soon.id, 'Task']]);
    world.clock.advance(5 * DAY);
    await reopen();
    await tick(world.deps);
    await signInAgain(world, ada);
    expect((await notices(ada)).map(([, id]: string[]) => id)).toEqual([later.id, soon.id]);
    world.clock.advance(-2.5 * DAY);
    await tick(world.deps);
    world.clock.advance(2.5 * DAY);
    await tick(world.deps);
    expect((await notices(ada)).length).toBe(2);
    await patch(later.id, { dueDate: new Date(world.clock.now() + HOUR).toISOString() });
    world.clock.advance(HOUR);
    await tick(world.deps);
    await signInAgain(world, ada);
    expect((await notices(ada)).length).toBe(3);
  });

  it('tell once of each of very many that are due, be it at one instant', async () => {
    await tick(world.deps);
    await addTasks(world, workspace, 700, { assigneeId: ada.id });
    const begun = toInstant(world.clock.now());
    const together = toInstant(world.clock.now() + 2 * DAY);
    world.run(`update tasks set due_date = ? where seq % 2 = 0`, together);
    world.clock.advance(100 * DAY);
    await tick(world.deps);
    await tick(world.deps);
    const open = `tasks join statuses on statuses.id = status_id and type in ('unstarted', 'started')
      where due_date > '${begun}' and assignee_id is not null`;
    const told = `select json_extract(data, '$.taskId') from notifications where type = 'task.due' order by 1`;
    const all = world.values(`select tasks.id from ${open} order by 1`);
    expect(all.length).toBeGreaterThan(300);
    expect(world.values(told)).toEqual(all);
  });
});
