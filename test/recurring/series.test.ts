import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import { tick } from '../../src/tick.ts';
import { joined } from '../people.ts';
import { DAILY, DAY, dueDates, HOUR, openSeriesWorld, type SeriesWorld } from '../series-world.ts';
import { openWorld } from '../world.ts';
import { zoneLookups } from '../zone-lookups.ts';

let w: SeriesWorld;
beforeEach(async () => {
  w = await openSeriesWorld();
});
afterEach(() => w.close());

const dates = (id: string) => dueDates(w.instances(id));
const numbers = (id: string) => w.instances(id).map(({ occurrence_number }) => occurrence_number);
const states = (id: string) => w.occurrences(id).map(({ state }) => state);

describe('what a series rejects', () => {
  const weekly = { ...DAILY, frequency: 'week' };
  const monthly = { ...DAILY, frequency: 'month' };
  const yearly = { ...DAILY, frequency: 'year' };
  const cases: [string, Record<string, unknown>, string[]][] = [
    ...['hour', 'weekly', 'DAY', 7, null].map(
      (frequency) =>
        [`frequency ${frequency}`, { interval: { ...DAILY, frequency } }, ['interval.frequency']] as never,
    ),
    ...[0, -1, 1.5, '2', 366, 2 ** 31].map(
      (every) => [`every ${every}`, { interval: { ...DAILY, every } }, ['interval.every']] as never,
    ),
    ['every 11 years', { interval: { ...yearly, every: 11 } }, ['interval.every']],
    ['every 121 months', { interval: { ...monthly, every: 121 } }, ['interval.every']],
    ...['9:00', '24:00', '09:60', '09:00:00'].map(
      (timeOfDay) =>
        [`at ${timeOfDay}`, { interval: { ...DAILY, timeOfDay } }, ['interval.timeOfDay']] as never,
    ),
    ...['Mars/Phobos', '+02:00', '', '../x', 'a'.repeat(65)].map(
      (timezone) =>
        [`zone ${timezone}`, { interval: { ...DAILY, timezone } }, ['interval.timezone']] as never,
    ),
    ['week with dayOfMonth', { interval: { ...weekly, dayOfMonth: 1 } }, ['interval.dayOfMonth']],
    ['day with daysOfWeek', { interval: { ...DAILY, daysOfWeek: ['monday'] } }, ['interval.daysOfWeek']],
    ['no daysOfWeek', { interval: { ...weekly, daysOfWeek: [] } }, ['interval.daysOfWeek']],
    ['daysOfWeek mon', { interval: { ...weekly, daysOfWeek: ['mon'] } }, ['interval.daysOfWeek']],
    ['weekIndex alone', { interval: { ...monthly, weekIndex: 'last' } }, ['interval.daysOfWeek']],
    [
      'weekIndex with dayOfMonth',
      { interval: { ...monthly, weekIndex: 'last', daysOfWeek: ['monday'], dayOfMonth: 3 } },
      ['interval.dayOfMonth'],
    ],
    ...[0, 32, -2].map(
      (dayOfMonth) =>
        [
          `dayOfMonth ${dayOfMonth}`,
          { interval: { ...monthly, dayOfMonth } },
          ['interval.dayOfMonth'],
        ] as never,
    ),
    ...[0, 1000].map(
      (count) =>
        [`count ${count}`, { endCondition: { type: 'count', count } }, ['endCondition.count']] as never,
    ),
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
    const response = await w.call('POST', w.series, body);
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('ValidationError');
    expect(new Set(response.body.issues.map(({ path }: { path: string }) => path))).toEqual(new Set(paths));
  });

  it.each(cases)('on change: %s', async (_name, more, paths) => {
    const { id } = await w.create();
    const before = await w.read(id);
    const response = await w.call('PATCH', `${w.series}/${id}`, more);
    expect(response.status).toBe(400);
    expect(new Set(response.body.issues.map(({ path }: { path: string }) => path))).toEqual(new Set(paths));
    expect(await w.read(id)).toEqual(before);
  });

  it('a list of another workspace', async () => {
    const other = await w.ok('POST', '/workspaces', { title: 'Other' });
    const { items } = await w.ok('GET', `/workspaces/${other.id}/lists`);
    const body = { title: 'Water', listId: items[0].id, interval: DAILY };
    const response = await w.call('POST', w.series, body);
    expect(response.body.issues.map(({ path }: { path: string }) => path)).toEqual(['listId']);
  });

  it('fields that are missing', async () => {
    const response = await w.call('POST', w.series, {});
    expect(response.body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'title',
      'listId',
      'interval',
    ]);
    const half = await w.call('POST', w.series, { title: 'x', listId: w.list.id, interval: {} });
    expect(half.body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'interval.frequency',
      'interval.timeOfDay',
      'interval.timezone',
    ]);
  });

  it('a viewer as assignee', async () => {
    const viewer = await joined(w.world, w.owner, w.workspaceId, 'viewer');
    const body = { title: 'Water', listId: w.list.id, interval: DAILY, assigneeId: viewer.id };
    expect((await w.call('POST', w.series, body)).body.issues[0].path).toBe('assigneeId');
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

describe('the life-cycle check', () => {
  it('1: a new series has one task, due at its next run', async () => {
    const { id, nextRunAt } = await w.create();
    expect(nextRunAt).toBe('2026-03-28T08:00:00.000Z');
    expect(dates(id)).toEqual(['2026-03-28T08:00:00.000Z']);
  });

  it('2: skip takes the task and makes the next, across the change of clocks', async () => {
    const { id, nextTaskId } = await w.create();
    const skipped = await w.skip(id);
    expect(skipped.nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    expect(skipped.skipped).toEqual({ occurrenceAt: '2026-03-28T08:00:00.000Z', occurrenceNumber: 1 });
    expect(dates(id)).toEqual(['2026-03-29T07:00:00.000Z']);
    expect((await w.call('GET', `${w.inside}/tasks/${nextTaskId}`)).status).toBe(404);
  });

  it('3: skip twice', async () => {
    const { id } = await w.create();
    await w.skip(id);
    expect((await w.skip(id)).nextRunAt).toBe('2026-03-30T07:00:00.000Z');
  });

  it('4: skip by name, repeated, skips once', async () => {
    const { id } = await w.create();
    const name = { occurrenceAt: '2026-03-28T08:00:00.000Z' };
    const first = await w.skip(id, name);
    expect(await w.skip(id, { occurrenceAt: '2026-03-28T09:00:00+01:00' })).toEqual(first);
    expect(dates(id)).toEqual(['2026-03-29T07:00:00.000Z']);
    const other = await w.call('POST', `${w.series}/${id}/skip`, {
      occurrenceAt: '2026-03-30T07:00:00.000Z',
    });
    expect(other.status).toBe(400);
    expect(other.body.issues[0].path).toBe('occurrenceAt');
  });

  it('5: skip all of three and the series has ended', async () => {
    const { id } = await w.create({ endCondition: { type: 'count', count: 3 } });
    await w.skip(id);
    await w.skip(id);
    expect(await w.skip(id, { occurrenceAt: '2026-03-30T07:00:00.000Z' })).toMatchObject({
      state: 'ended',
      stateReason: 'completed',
      nextRunAt: null,
      nextTaskId: null,
      nextOccurrenceNumber: null,
    });
    expect(dates(id)).toEqual([]);
    const fourth = await w.call('POST', `${w.series}/${id}/skip`);
    expect([fourth.status, fourth.body.error]).toEqual([400, 'BadRequestError']);
    expect((await w.skip(id, { occurrenceAt: '2026-03-30T07:00:00.000Z' })).skipped.occurrenceNumber).toBe(3);
  });

  it('6: what is skipped counts', async () => {
    const { id } = await w.create({ endCondition: { type: 'count', count: 3 } });
    await w.skip(id);
    for (let day = 28; day <= 31; day += 1) await w.at(`2026-03-${day}T12:00:00.000Z`);
    expect(numbers(id)).toEqual([2, 3]);
    expect(await w.read(id)).toMatchObject({ state: 'ended', stateReason: 'completed', nextRunAt: null });
  });

  it('7: all respects what was edited alone', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Water the cactus' });
    const edited = await w.edit(id, nextTaskId, 'all', { title: 'Water all', priority: 'high' });
    expect(edited).toMatchObject({ title: 'Water the cactus', priority: 'high' });
    expect(edited.recurrence.overridden).toEqual(['title']);
    const { nextTaskId: second } = await w.skip(id);
    expect(await w.task(second)).toMatchObject({ title: 'Water all', priority: 'high' });
  });

  it('the due day of one instance is its own, in place of the instant', async () => {
    const { id, nextTaskId } = await w.create();
    const edited = await w.edit(id, nextTaskId, 'this', { dueDay: '2026-03-29', startDay: '2026-03-28' });
    expect(edited).toMatchObject({ dueDate: null, dueDay: '2026-03-29', startDay: '2026-03-28' });
    expect(edited.recurrence.overridden).toEqual(['startDay', 'dueDate', 'dueDay']);
  });

  it('8: the due date of one instance is its own', async () => {
    const { id, nextTaskId, nextRunAt } = await w.create();
    const edited = await w.edit(id, nextTaskId, 'this', { dueDate: '2026-03-29T08:00:00.000Z' });
    expect(edited.dueDate).toBe('2026-03-29T08:00:00.000Z');
    expect(edited.recurrence).toMatchObject({ occurrenceAt: nextRunAt, overridden: ['dueDate'] });
    expect((await w.read(id)).nextRunAt).toBe(nextRunAt);
  });

  it('9: following splits, and each part has its share of the count', async () => {
    const { id } = await w.create({ endCondition: { type: 'count', count: 5 } });
    await w.at('2026-03-28T12:00:00.000Z');
    await w.at('2026-03-29T12:00:00.000Z');
    const { nextTaskId, nextOccurrenceNumber } = await w.read(id);
    expect(nextOccurrenceNumber).toBe(3);
    const task = await w.edit(id, nextTaskId, 'following', { title: 'Water more' });
    expect(task).toMatchObject({ id: nextTaskId, title: 'Water more' });
    expect(task.recurrence).toMatchObject({ occurrenceNumber: 1, overridden: [] });
    expect(await w.read(id)).toMatchObject({
      title: 'Water',
      endCondition: { type: 'count', count: 2 },
      state: 'ended',
      stateReason: 'completed',
      nextRunAt: null,
    });
    expect(numbers(id)).toEqual([1, 2]);
    const rest = await w.read(task.recurrence.recurringTaskId);
    expect(rest).toMatchObject({
      title: 'Water more',
      endCondition: { type: 'count', count: 3 },
      state: 'active',
      nextTaskId,
      nextOccurrenceNumber: 1,
      startsAt: '2026-03-30T07:00:00.000Z',
      nextRunAt: '2026-03-30T07:00:00.000Z',
      creatorId: w.owner.id,
    });
    for (const day of ['03-30', '03-31', '04-01', '04-02']) await w.at(`2026-${day}T12:00:00.000Z`);
    expect(numbers(rest.id)).toEqual([1, 2, 3]);
    expect((await w.read(rest.id)).state).toBe('ended');
    expect(numbers(id)).toEqual([1, 2]);
  });

  it('9, by skipping: the occurrences before count too', async () => {
    const { id } = await w.create({ endCondition: { type: 'count', count: 5 } });
    await w.skip(id);
    const { nextTaskId } = await w.skip(id);
    const task = await w.edit(id, nextTaskId, 'following', { priority: 'low' });
    expect((await w.read(id)).endCondition).toEqual({ type: 'count', count: 2 });
    expect((await w.read(task.recurrence.recurringTaskId)).endCondition).toEqual({ type: 'count', count: 3 });
  });

  it('10: when its time comes the next one is made, and the first stays open', async () => {
    const { id } = await w.create();
    await w.at('2026-03-28T08:00:00.000Z');
    expect(dates(id)).toEqual(['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z']);
    expect(w.instances(id)[0]?.completed_at).toBeNull();
  });

  it('11: the sweep may be repeated, also after the clock went back', async () => {
    const { id } = await w.create();
    await w.at('2026-03-28T08:00:00.000Z');
    await Promise.all([sweep(w.world.deps), sweep(w.world.deps), tick(w.world.deps)]);
    await w.at('2026-03-28T07:00:00.000Z');
    await w.at('2026-03-28T08:00:00.000Z');
    expect(dates(id)).toEqual(['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z']);
  });

  const downtime = async (catchUp?: string) => {
    const { id } = await w.create(catchUp ? { catchUp } : {});
    await w.at('2026-03-28T12:00:00.000Z');
    await w.at('2026-04-05T12:00:00.000Z');
    return id;
  };
  const days = (id: string) => dates(id).map((date) => date?.slice(5, 10));

  it('12: after a downtime the latest is made, the others are missed', async () => {
    const id = await downtime();
    expect(days(id)).toEqual(['03-28', '03-29', '04-05', '04-06']);
    expect(states(id)).toEqual([
      'generated',
      'generated',
      ...Array.from({ length: 6 }, () => 'missed'),
      'generated',
      'generated',
    ]);
    expect(numbers(id)).toEqual([1, 2, 9, 10]);
  });

  it('13: or all of them', async () => {
    const id = await downtime('all');
    expect(days(id).slice(2)).toEqual([
      '03-30',
      '03-31',
      '04-01',
      '04-02',
      '04-03',
      '04-04',
      '04-05',
      '04-06',
    ]);
    expect(states(id).filter((state) => state === 'missed')).toEqual([]);
    const places = w.instances(id).map(({ position }) => position);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('13: or none', async () => {
    const id = await downtime('none');
    expect(days(id).slice(2)).toEqual(['04-06']);
    expect(states(id).filter((state) => state === 'missed')).toHaveLength(7);
    const tasks = w.occurrences(id).map(({ task_id }) => task_id);
    expect(tasks.slice(2, 9)).toEqual(Array.from({ length: 7 }, () => null));
  });

  it('13: and one that comes at the very instant of waking is the latest', async () => {
    const { id } = await w.create();
    await w.at('2026-03-30T07:00:00.000Z');
    expect(days(id)).toEqual(['03-28', '03-30', '03-31']);
  });

  it('14: an hour of downtime over a slot loses nothing', async () => {
    const { id } = await w.create();
    await w.at('2026-03-28T07:30:00.000Z');
    await w.at('2026-03-28T08:30:00.000Z');
    expect(days(id)).toEqual(['03-28', '03-29']);
    expect(states(id)).toEqual(['generated', 'generated']);
  });

  it('15: deleting the upcoming task skips it', async () => {
    const { id, nextTaskId } = await w.create();
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    expect((await w.read(id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    expect(states(id)).toEqual(['skipped', 'generated']);
    expect((await w.skip(id, { occurrenceAt: '2026-03-28T08:00:00.000Z' })).nextOccurrenceNumber).toBe(2);
  });

  it('16: a deleted old instance is not made again, after a restart either', async () => {
    const { id, nextTaskId } = await w.create();
    await w.at('2026-03-28T12:00:00.000Z');
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    const again = await openWorld({ folder: w.world.folder, start: w.world.clock.now() });
    await tick(again.deps);
    await again.close();
    expect(days(id)).toEqual(['03-29']);
    expect(w.occurrences(id).map(({ state, task_id }) => [state, task_id === null])).toEqual([
      ['deleted', true],
      ['generated', false],
    ]);
  });

  it('17: nothing is made for a pause', async () => {
    const { id } = await w.create();
    expect(await w.ok('POST', `${w.series}/${id}/pause`)).toMatchObject({
      state: 'paused',
      nextRunAt: null,
      nextTaskId: null,
      nextOccurrenceNumber: null,
    });
    w.world.clock.advance(5 * DAY);
    await tick(w.world.deps);
    expect(days(id)).toEqual(['03-28']);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      state: 'active',
      nextRunAt: '2026-04-02T07:00:00.000Z',
      nextOccurrenceNumber: 6,
    });
    expect(days(id)).toEqual(['03-28', '04-02']);
  });

  it('18: another time of day moves the upcoming task', async () => {
    const { id, nextTaskId } = await w.create();
    const changed = await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect(changed).toMatchObject({
      nextTaskId,
      nextRunAt: '2026-03-27T14:00:00.000Z',
      nextOccurrenceNumber: 1,
    });
    const task = await w.task(nextTaskId);
    expect(task.dueDate).toBe('2026-03-27T14:00:00.000Z');
    expect(task.recurrence).toMatchObject({ occurrenceAt: '2026-03-27T14:00:00.000Z', overridden: [] });
  });

  it('19: completing the upcoming task makes the next at once, and nothing more at its time', async () => {
    const { id, nextTaskId } = await w.create();
    await w.complete(nextTaskId);
    expect((await w.read(id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    const done = await w.task(nextTaskId);
    await w.at('2026-03-28T08:00:00.000Z');
    expect(days(id)).toEqual(['03-28', '03-29']);
    expect(await w.task(nextTaskId)).toEqual(done);
    await w.reopen(nextTaskId);
    expect(days(id)).toEqual(['03-28', '03-29']);
  });

  it('20: without its assignee a series goes on unassigned', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const { id } = await w.create({ assigneeId: helper.id });
    await w.ok('DELETE', `${w.inside}/members/${helper.id}`);
    expect(await w.read(id)).toMatchObject({ assigneeId: null, state: 'active' });
    await w.at('2026-03-28T08:00:00.000Z');
    expect(w.instances(id).map(({ assignee_id }) => assignee_id)).toEqual([null, null]);
  });

  it('20: nor does it mind that the account is gone', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const { id } = await w.create({ assigneeId: helper.id });
    await w.ok('DELETE', `${w.inside}/members/${helper.id}`);
    const { id: other } = await w.create();
    await w.world.deps.write((tx) => {
      tx.run(query.updateTable('recurring_series').set({ creator_id: helper.id }).where('id', '=', other));
      tx.run(query.deleteFrom('workspaces').where('owner_id', '=', helper.id));
      tx.run(query.deleteFrom('users').where('id', '=', helper.id));
    });
    expect(await w.read(other)).toMatchObject({ creatorId: null, state: 'active' });
    await w.at('2026-03-28T08:00:00.000Z');
    expect(days(other)).toEqual(['03-28', '03-29']);
    expect(days(id)).toEqual(['03-28', '03-29']);
  });

  it('21: new zone data reschedules the upcoming occurrence, but no date that someone chose', async () => {
    const { id, nextTaskId } = await w.create();
    const chosen = await w.create({ title: 'Chosen' });
    await w.edit(chosen.id, chosen.nextTaskId, 'this', { dueDate: '2026-03-28T11:00:00.000Z' });
    await tick(w.world.deps);
    const stale = '2026-03-28T09:00:00.000Z';
    await w.world.deps.write((tx) => {
      tx.run(query.updateTable('meta').set({ value: '1999z' }).where('key', '=', 'tz_version'));
      tx.run(query.updateTable('recurring_series').set({ tz_version: '1999z', next_run_at: stale }));
      tx.run(query.updateTable('recurring_occurrences').set({ occurrence_at: stale }));
      const dates = { due_date: stale, occurrence_at: stale };
      tx.run(query.updateTable('tasks').set(dates).where('id', '=', nextTaskId));
    });
    expect((await w.read(id)).nextRunAt).toBe(stale);
    await tick(w.world.deps);
    expect((await w.read(id)).nextRunAt).toBe('2026-03-28T08:00:00.000Z');
    expect(await w.task(nextTaskId)).toMatchObject({
      dueDate: '2026-03-28T08:00:00.000Z',
      recurrence: { occurrenceAt: '2026-03-28T08:00:00.000Z', overridden: [] },
    });
    expect((await w.read(chosen.id)).nextRunAt).toBe('2026-03-28T08:00:00.000Z');
    expect((await w.task(chosen.nextTaskId)).dueDate).toBe('2026-03-28T11:00:00.000Z');
    for (const one of [id, chosen.id])
      expect(w.occurrences(one)).toMatchObject([{ occurrence_at: '2026-03-28T08:00:00.000Z' }]);
    await w.at('2026-03-28T08:00:00.000Z');
    expect(days(id)).toEqual(['03-28', '03-29']);
  });

  it('21: but no task that is done, and a series goes on whose task is gone', async () => {
    const [paused, bereft] = [await w.create(), await w.create()];
    await w.ok('POST', `${w.series}/${paused.id}/pause`);
    await w.complete(paused.nextTaskId);
    const other = await w.anotherList();
    await w.edit(bereft.id, bereft.nextTaskId, 'this', { listId: other.id });
    await w.ok('DELETE', `${w.inside}/lists/${other.id}`);
    await tick(w.world.deps);
    const stale = '2026-03-28T09:00:00.000Z';
    await w.world.deps.write((tx) => {
      tx.run(query.updateTable('meta').set({ value: '1999z' }).where('key', '=', 'tz_version'));
      tx.run(query.updateTable('recurring_series').set({ tz_version: '1999z' }));
      tx.run(query.updateTable('recurring_series').set({ next_run_at: stale }).where('id', '=', bereft.id));
      tx.run(query.updateTable('tasks').set({ due_date: stale, occurrence_at: stale }));
    });
    const done = await w.task(paused.nextTaskId);
    await tick(w.world.deps);
    expect(await w.task(paused.nextTaskId)).toEqual(done);
    expect(await w.read(bereft.id)).toMatchObject({
      state: 'active',
      nextRunAt: '2026-03-28T08:00:00.000Z',
    });
  });

  it('21: and a task that was made ahead, once its turn comes', async () => {
    const { id, nextTaskId } = await w.create();
    await w.complete(nextTaskId);
    const { nextTaskId: ahead } = await w.read(id);
    await w.reopen(nextTaskId);
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect((await w.ok('POST', `${w.series}/${id}/resume`)).nextTaskId).toBe(nextTaskId);
    const stale = '2026-03-29T08:00:00.000Z';
    await w.world.deps.write((tx) => {
      const dates = { due_date: stale, occurrence_at: stale };
      tx.run(query.updateTable('tasks').set(dates).where('id', '=', ahead));
      tx.run(
        query.updateTable('recurring_occurrences').set({ occurrence_at: stale }).where('task_id', '=', ahead),
      );
    });
    await w.complete(nextTaskId);
    const now = '2026-03-29T07:00:00.000Z';
    expect(await w.read(id)).toMatchObject({ nextTaskId: ahead, nextRunAt: now });
    expect(await w.task(ahead)).toMatchObject({ dueDate: now, recurrence: { occurrenceAt: now } });
    await w.complete(ahead);
    expect((await w.read(id)).nextRunAt).toBe('2026-03-30T07:00:00.000Z');
  });

  it('21: one that is revived stands by the zone data of today', async () => {
    const { id } = await w.create({ endCondition: { type: 'count', count: 1 } });
    await w.skip(id);
    await w.world.deps.write((tx) =>
      tx.run(query.updateTable('recurring_series').set({ tz_version: '1999z' })),
    );
    await w.patch(id, { endCondition: { type: 'never' } });
    const stored = w.world.deps.read.all(query.selectFrom('recurring_series').select('tz_version'));
    expect(stored).toEqual([{ tz_version: process.versions.tz }]);
  });

  it('22: a start a century ago costs nothing', async () => {
    const lookups = await zoneLookups(async () => {
      const { id, nextOccurrenceNumber } = await w.create({ startsAt: '1926-01-01T00:00:00.000Z' });
      const { occurrences } = await w.ok('GET', `${w.series}/${id}/occurrences`);
      expect(nextOccurrenceNumber).toBe(36_612);
      expect(occurrences).toHaveLength(10);
      expect(days(id)).toEqual(['03-28']);
    });
    expect(lookups).toBeLessThan(1_000);
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
    expect(dates(id)).toEqual(['2026-03-29T07:00:00.000Z']);
    expect(states(id)).toEqual(['deleted', 'generated']);
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
    const { id, nextTaskId } = await w.create();
    await w.at('2026-03-28T12:00:00.000Z');
    const { nextTaskId: second } = await w.read(id);
    await w.ok('DELETE', `${w.series}/${id}`);
    expect((await w.call('GET', `${w.inside}/tasks/${second}`)).status).toBe(404);
    expect((await w.task(nextTaskId)).recurrence).toEqual({
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
