import { describe, expect, it } from 'vitest';
import { tick } from '../../src/tick.ts';
import { expectIssues, joined } from '../people.ts';
import { DAILY, DAY, HOUR, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();

describe('what a series rejects', () => {
  const weekly = { ...DAILY, frequency: 'week' };
  const monthly = { ...DAILY, frequency: 'month' };
  const yearly = { ...DAILY, frequency: 'year' };
  type Case = [string, Record<string, unknown>, string[]];
  const intervals = (field: string, values: readonly unknown[], base = DAILY): Case[] =>
    values.map((value) => [
      `${field} ${value} by ${base.frequency}`,
      { interval: { ...base, [field]: value } },
      [`interval.${field}`],
    ]);
  const cases: Case[] = [
    ...intervals('frequency', ['hour', 'weekly', 'DAY', 7, null]),
    ...intervals('every', [0, -1, 1.5, '2', 366, 2 ** 31]),
    ...intervals('every', [11], yearly),
    ...intervals('every', [121], monthly),
    ...intervals('timeOfDay', ['9:00', '24:00', '09:60', '09:00:00']),
    ...intervals('timezone', ['Mars/Phobos', '+02:00', '', '../x', 'a'.repeat(65)]),
    ...intervals('dayOfMonth', [1], weekly),
    ...intervals('daysOfWeek', [['monday']]),
    ...intervals('daysOfWeek', [[], ['mon']], weekly),
    ['weekIndex alone', { interval: { ...monthly, weekIndex: 'last' } }, ['interval.daysOfWeek']],
    [
      'weekIndex with dayOfMonth',
      { interval: { ...monthly, weekIndex: 'last', daysOfWeek: ['monday'], dayOfMonth: 3 } },
      ['interval.dayOfMonth'],
    ],
    ...intervals('dayOfMonth', [0, 32, -2], monthly),
    ['count 0', { endCondition: { type: 'count', count: 0 } }, ['endCondition.count']],
    ['count 1000', { endCondition: { type: 'count', count: 1_000 } }, ['endCondition.count']],
    ['30 February', { endCondition: { type: 'date', endDate: '2026-02-30' } }, ['endCondition.endDate']],
    ['an unknown end', { endCondition: { type: 'sometime' } }, ['endCondition.type']],
    ['a count that never ends', { endCondition: { type: 'never', count: 3 } }, ['endCondition']],
    ['an end in the past', { endCondition: { type: 'date', endDate: '2026-03-26' } }, ['endCondition']],
    ['an unknown list', { listId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' }, ['listId']],
    ['an unknown assignee', { assigneeId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f' }, ['assigneeId']],
    ['an unknown catch-up', { catchUp: 'some' }, ['catchUp']],
    [
      'many things at once',
      { title: ' ', interval: { ...DAILY, every: 0, timezone: 'X/Y' }, endCondition: { type: 'x' } },
      ['title', 'interval.every', 'interval.timezone', 'endCondition.type'],
    ],
    [
      'a list, a person and an end at once',
      {
        listId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f',
        assigneeId: '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f',
        endCondition: { type: 'date', endDate: '2020-01-01' },
      },
      ['listId', 'assigneeId', 'endCondition'],
    ],
  ];

  it.each(cases)('on creation: %s', async (_name, more, paths) => {
    const body = { title: 'Water', listId: w.list.id, interval: DAILY, ...more };
    expect(new Set(await w.rejectedAt('POST', w.series, body))).toEqual(new Set(paths));
  });

  it.each(cases)('on change: %s', async (_name, more, paths) => {
    const { id } = await w.create();
    const before = await w.read(id);
    expect(new Set(await w.rejectedAt('PATCH', `${w.series}/${id}`, more))).toEqual(new Set(paths));
    expect(await w.read(id)).toEqual(before);
  });

  it('fields that are missing', async () => {
    await expectIssues(w.call('POST', w.series, {}), 'title', 'listId', 'interval');
    const half = w.call('POST', w.series, { title: 'x', listId: w.list.id, interval: {} });
    await expectIssues(half, 'interval.frequency', 'interval.timeOfDay', 'interval.timezone');
  });

  it('a viewer as assignee', async () => {
    const viewer = await joined(w.world, w.owner, w.workspaceId, 'viewer');
    const body = { title: 'Water', listId: w.list.id, interval: DAILY, assigneeId: viewer.id };
    await expectIssues(w.call('POST', w.series, body), 'assigneeId');
  });
});

describe('what a series accepts', () => {
  it.each([
    ['UTC', 'UTC'],
    ['Asia/Kathmandu', 'Asia/Kathmandu'],
    ['europe/paris', 'Europe/Paris'],
    ['US/Eastern', 'US/Eastern'],
  ])('the zone %s', async (timezone, stored) => {
    const { interval } = await w.create({ interval: { ...DAILY, timezone } });
    expect(interval.timezone).toBe(stored);
  });

  it('a day that its month never has', async () => {
    const created = await w.create({
      interval: { ...DAILY, frequency: 'year', month: 2, dayOfMonth: 31 },
    });
    expect(created.nextRunAt).toBe('2027-02-28T08:00:00.000Z');
  });

  it('the implied fields, which it fills in, and every default', async () => {
    const { every, ...interval } = { ...DAILY, frequency: 'week' };
    expect(every).toBe(1);
    const created = await w.create({ interval });
    expect(created).toEqual({
      id: expect.any(String),
      workspaceId: w.workspaceId,
      listId: w.list.id,
      title: 'Water',
      description: null,
      priority: 'none',
      assigneeId: null,
      labelIds: [],
      checklist: [],
      interval: { ...interval, every: 1, daysOfWeek: ['friday'], firstDayOfWeek: 'monday' },
      endCondition: { type: 'never' },
      startsAt: '2026-03-27T10:00:00.000Z',
      catchUp: 'latest',
      state: 'active',
      stateReason: null,
      nextRunAt: '2026-04-03T07:00:00.000Z',
      nextTaskId: expect.any(String),
      nextOccurrenceNumber: 1,
      creatorId: w.owner.id,
      createdAt: '2026-03-27T10:00:00.000Z',
      updatedAt: '2026-03-27T10:00:00.000Z',
      version: 1,
    });
  });

  it('a template, which its tasks are made from', async () => {
    const created = await w.create({
      description: 'all of them',
      priority: 'high',
      assigneeId: w.owner.id,
      endCondition: { type: 'date', endDate: '2026-03-28' },
    });
    expect(await w.task(created.nextTaskId)).toMatchObject({
      title: 'Water',
      description: 'all of them',
      priority: 'high',
      assigneeId: w.owner.id,
      creatorId: w.owner.id,
      listId: w.list.id,
      statusId: w.list.statuses[0].id,
      dueDate: '2026-03-28T08:00:00.000Z',
      startDate: null,
      completedAt: null,
      recurrence: {
        recurringTaskId: created.id,
        occurrenceAt: '2026-03-28T08:00:00.000Z',
        occurrenceNumber: 1,
        overridden: [],
      },
    });
  });
});

describe('a series without its surroundings', () => {
  it('goes with its list, and leaves the instances that moved elsewhere', async () => {
    const other = await w.anotherList();
    const { id, nextTaskId } = await w.create({ listId: other.id });
    const { nextTaskId: second } = await w.skip(id);
    await w.ok('POST', `${w.inside}/tasks/${second}/move`, { listId: w.list.id });
    await w.ok('DELETE', `${w.inside}/lists/${other.id}`);
    expect((await w.call('GET', `${w.series}/${id}`)).status).toBe(404);
    expect((await w.call('GET', `${w.inside}/tasks/${nextTaskId}`)).status).toBe(404);
    expect((await w.task(second)).recurrence).toMatchObject({ recurringTaskId: null, occurrenceNumber: 2 });
    expect(w.occurrences(id)).toEqual([]);
    await tick(w.world.deps);
  });

  it('goes on when the list is deleted that its upcoming task moved to', async () => {
    const other = await w.anotherList();
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { listId: other.id });
    await w.ok('DELETE', `${w.inside}/lists/${other.id}`);
    const left = { nextTaskId: null, nextRunAt: '2026-03-28T08:00:00.000Z' };
    expect(await w.read(id)).toMatchObject(left);
    expect(await w.patch(id, { endCondition: { type: 'count', count: 9 } })).toMatchObject(left);
    await w.at('2026-03-28T08:00:00.000Z');
    expect(w.dates(id)).toEqual(['2026-03-29T07:00:00.000Z']);
    expect(w.states(id)).toEqual(['deleted', 'generated']);
  });

  it('skips the occurrence whose task went with another list', async () => {
    const other = await w.anotherList();
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { listId: other.id });
    await w.ok('DELETE', `${w.inside}/lists/${other.id}`);
    expect(await w.skip(id)).toMatchObject({ skipped: { occurrenceNumber: 1 }, nextOccurrenceNumber: 2 });
  });

  it('makes tasks that are done where that is what a list begins with', async () => {
    const { body: template } = await w.call('POST', `${w.inside}/status-templates`, {
      title: 'Journal',
      statuses: [
        { title: 'Done', type: 'completed' },
        { title: 'Not yet', type: 'unstarted' },
      ],
    });
    const journal = await w.anotherList({ statusTemplateId: template.id });
    const { id, nextTaskId, createdAt } = await w.create({ listId: journal.id });
    const done = { statusId: template.statuses[0].id, completedAt: createdAt };
    expect(await w.task(nextTaskId)).toMatchObject(done);
    await w.ok('DELETE', `${w.series}/${id}`);
    expect(await w.task(nextTaskId)).toMatchObject(done);
  });

  it('keeps its tasks when it is deleted, but for the upcoming one that nobody touched', async () => {
    const { id, first, nextTaskId } = await w.createBegun();
    await w.ok('DELETE', `${w.series}/${id}`);
    expect((await w.call('GET', `${w.inside}/tasks/${nextTaskId}`)).status).toBe(404);
    expect((await w.task(first)).recurrence).toEqual({
      recurringTaskId: null,
      occurrenceAt: '2026-03-28T08:00:00.000Z',
      occurrenceNumber: 1,
      overridden: [],
    });
    expect((await w.call('DELETE', `${w.series}/${id}`)).status).toBe(404);
    w.world.clock.advance(3 * DAY + HOUR);
    await tick(w.world.deps);
  });

  it.each([['2026-03-28T08:00:00.000Z'], ['2026-03-29T10:00:00.000Z']])(
    'keeps a task whose time came while it was paused: at %s',
    async (now) => {
      const { id, nextTaskId } = await w.create();
      await w.ok('POST', `${w.series}/${id}/pause`);
      w.world.clock.set(Date.parse(now));
      await w.ok('DELETE', `${w.series}/${id}`);
      expect((await w.task(nextTaskId)).recurrence).toMatchObject({ recurringTaskId: null });
    },
  );

  it('keeps an upcoming task that someone edited', async () => {
    const { id, nextTaskId } = await w.create();
    await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { description: 'mine' });
    await w.ok('DELETE', `${w.series}/${id}`);
    expect((await w.task(nextTaskId)).recurrence.overridden).toEqual(['description']);
  });
});

it('other series of the workspace stay as they were, whatever becomes of one', async () => {
  const ahead = await w.createAhead();
  const other = await w.create({ title: 'Other', checklist: [{ title: 'Can' }] });
  await w.complete(other.nextTaskId);
  await w.ok('DELETE', `${w.inside}/tasks/${other.nextTaskId}`);
  for (let i = 0; i < 6; i += 1) await w.skip(other.id);
  const rows = () =>
    [
      'recurring_series where id',
      'recurring_occurrences where series_id',
      'series_steps where series_id',
      'series_checklist_items where series_id',
      'tasks where recurring_task_id',
      'trash_rows where series_id',
    ].map((from) => w.world.rows(`select * from ${from} in (?, ?)`, ahead.id, other.id));
  const before = rows();
  const { id: listId } = await w.anotherList();
  const { id, nextTaskId } = await w.create({ listId, checklist: [{ title: 'Hose' }] });
  const upcoming = async () => (await w.read(id)).nextTaskId;
  await w.edit(id, nextTaskId, 'this', { title: 'This' });
  await w.complete(nextTaskId);
  await w.skip(id);
  await w.ok('POST', `${w.series}/${id}/step-back`, { occurrenceAt: (await w.read(id)).nextRunAt });
  for (const verb of ['pause', 'resume']) await w.ok('POST', `${w.series}/${id}/${verb}`);
  await w.patch(id, { interval: { ...DAILY, timeOfDay: '10:00' }, checklist: [] });
  await w.edit(id, await upcoming(), 'all', { title: 'All' });
  await w.ok('DELETE', `${w.inside}/tasks/${await upcoming()}`);
  await w.edit(id, await upcoming(), 'following', { title: 'Following' });
  await w.ok('DELETE', `${w.inside}/lists/${listId}`);
  await w.ok('POST', `${w.inside}/trash/${listId}/restore`);
  await w.ok('DELETE', `${w.series}/${id}`);
  expect(rows()).toEqual(before);
});
