import { describe, expect, it } from 'vitest';
import { beginRemoval } from '../../src/workspaces/removals.ts';
import { joined } from '../people.ts';
import { count, DAILY, NEVER, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();

describe('all', () => {
  it('changes what is open, also the past, and leaves done tasks alone', async () => {
    const { id, first, nextTaskId: second } = await w.createBegun();
    await w.complete(first);
    await w.at('2026-03-29T12:00:00.000Z');
    const { nextTaskId: third } = await w.read(id);
    await w.edit(id, second, 'all', { title: 'New', description: 'text', priority: 'urgent' });
    const titles = await Promise.all(
      [first, second, third].map(async (taskId) => (await w.task(taskId)).title),
    );
    expect(titles).toEqual(['Water', 'New', 'New']);
    expect(await w.read(id)).toMatchObject({ title: 'New', description: 'text', priority: 'urgent' });
    expect((await w.task(third)).recurrence.overridden).toEqual([]);
  });

  it('changes who does it, and how the series catches up', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const { id, nextTaskId } = await w.create();
    const changes = { assigneeId: helper.id, catchUp: 'all' };
    expect(await w.patch(id, changes)).toMatchObject(changes);
    expect((await w.task(nextTaskId)).assigneeId).toBe(helper.id);
    const skipped = await w.skip(id);
    expect((await w.task(skipped.nextTaskId)).assigneeId).toBe(helper.id);
    await w.at('2026-04-01T12:00:00.000Z');
    expect(w.days(id)).toEqual(['03-29', '03-30', '03-31', '04-01', '04-02']);
  });

  it('keeps them findable by what they became', async () => {
    const { id, nextTaskId } = await w.create();
    await w.patch(id, { title: 'Fertilise' });
    const found = await w.ok('GET', `${w.inside}/tasks/search?q=fertil`);
    expect(found.items.map((task: { id: string }) => task.id)).toEqual([nextTaskId]);
  });

  it('moves open instances with their statuses, and the rest is made in the new list', async () => {
    const { body: template } = await w.call('POST', `${w.inside}/status-templates`, {
      title: 'Other',
      statuses: [
        { title: 'New', type: 'unstarted' },
        { title: 'In Progress', type: 'started' },
        { title: 'Gone', type: 'completed' },
      ],
    });
    const other = await w.anotherList({ statusTemplateId: template.id });
    const { id, first, nextTaskId: second } = await w.createBegun();
    await w.ok('PATCH', `${w.inside}/tasks/${first}`, { statusId: w.list.statuses[1].id });
    expect(await w.patch(id, { listId: other.id })).toMatchObject({ listId: other.id });
    expect(await w.task(first)).toMatchObject({ listId: other.id, statusId: template.statuses[1].id });
    expect(await w.task(second)).toMatchObject({ listId: other.id, statusId: template.statuses[0].id });
    const { nextTaskId: third } = await w.skip(id);
    expect(await w.task(third)).toMatchObject({ listId: other.id, statusId: template.statuses[0].id });
  });

  it('is done in steps, the more the longer the texts to index again, or in none', async () => {
    const { id } = await w.create({ catchUp: 'all', description: 'x'.repeat(20_000) });
    await w.at('2026-05-06T12:00:00.000Z');
    const { length } = w.instances(id);
    const steps = w.world.watchSteps();
    /** How often others may read while it is done. */
    const pausesOf = async (change: Record<string, unknown>) => {
      steps.length = 0;
      expect(await w.patch(id, change)).toMatchObject(change);
      return steps.reduce((sum, count) => sum + count - 1, 0);
    };
    const few = [await pausesOf({ priority: 'high' })];
    const many = [
      await pausesOf({ title: 'Fertilise' }),
      await pausesOf({ description: null }),
      await pausesOf({ description: 'y'.repeat(20_000) }),
    ];
    few.push(await pausesOf({ assigneeId: w.owner.id }));
    expect(few.every((pauses) => pauses >= 1 && pauses < length / 10)).toBe(true);
    expect(many.every((pauses) => pauses > length / 3)).toBe(true);
    expect(await pausesOf({ catchUp: 'none' })).toBe(0);
  });

  it('leaves an instance where it was moved on its own', async () => {
    const [other, third] = [await w.anotherList({ title: 'Other' }), await w.anotherList({ title: 'Third' })];
    const { id, nextTaskId } = await w.create();
    await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, { listId: other.id });
    await w.patch(id, { listId: third.id });
    expect((await w.task(nextTaskId)).listId).toBe(other.id);
  });
});

describe('following', () => {
  it('is the same as all on the first occurrence', async () => {
    const { id, nextTaskId } = await w.create({ endCondition: count(5) });
    const task = await w.edit(id, nextTaskId, 'following', { title: 'New' });
    expect(task.recurrence.recurringTaskId).toBe(id);
    expect(await w.read(id)).toMatchObject({ title: 'New', endCondition: count(5), nextTaskId });
    expect((await w.ok('GET', w.series)).total).toBe(1);
  });

  it('is so too once the occurrences are gone, with a list on its way out', async () => {
    const other = await w.anotherList();
    const { id, nextTaskId } = await w.create();
    await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, { listId: other.id });
    await w.world.deps.write((tx) => beginRemoval(tx, { kind: 'list', id: w.list.id }, 1));
    expect(w.states(id)).toEqual([]);
    const { recurrence } = await w.edit(id, nextTaskId, 'following', { title: 'New' });
    expect(recurrence.recurringTaskId).toBe(id);
  });

  it('from an older instance takes what came since with it', async () => {
    const { id } = await w.create({ interval: { ...DAILY, every: 2 } });
    for (const day of ['03-28', '03-30', '04-01']) await w.at(`2026-${day}T12:00:00.000Z`);
    const [first, second, third, fourth] = w.instances(id);
    const task = await w.edit(id, second?.id ?? '', 'following', { title: 'New' });
    const rest = await w.read(task.recurrence.recurringTaskId);
    expect(rest).toMatchObject({ nextTaskId: fourth?.id, nextOccurrenceNumber: 3, endCondition: NEVER });
    expect(await w.read(id)).toMatchObject({ state: 'ended', endCondition: count(1) });
    expect(w.instances(id).map(({ id }) => id)).toEqual([first?.id]);
    expect(w.instances(rest.id).map(({ id, title }) => [id, title])).toEqual(
      [second, third, fourth].map((row) => [row?.id, 'New']),
    );
    await w.at('2026-04-03T12:00:00.000Z');
    expect(w.days(rest.id)).toEqual(['03-30', '04-01', '04-03', '04-05']);
    expect(w.numbers(rest.id)).toEqual([1, 2, 3, 4]);
  });

  it('keeps what is overridden, and a pause', async () => {
    const { id, nextTaskId } = await w.createBegun();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await w.ok('POST', `${w.series}/${id}/pause`);
    const task = await w.edit(id, nextTaskId, 'following', { title: 'New', priority: 'low' });
    expect(task).toMatchObject({ title: 'Mine', priority: 'low' });
    const rest = task.recurrence.recurringTaskId;
    expect(await w.read(rest)).toMatchObject({ state: 'paused', title: 'New', nextRunAt: null });
    expect(await w.ok('POST', `${w.series}/${rest}/resume`)).toMatchObject({
      nextTaskId,
      nextOccurrenceNumber: 1,
    });
    await w.skip(rest, { occurrenceAt: '2026-03-29T07:00:00.000Z' });
    expect((await w.read(rest)).nextOccurrenceNumber).toBe(2);
  });

  it('from an instance made ahead of one that was reopened takes no part in that one', async () => {
    const { id, first, ahead } = await w.createAhead();
    const { recurrence } = await w.edit(id, ahead, 'following', { title: 'New' });
    expect(await w.read(recurrence.recurringTaskId)).toMatchObject({
      nextRunAt: '2026-03-29T07:00:00.000Z',
      nextTaskId: ahead,
      nextOccurrenceNumber: 1,
    });
    await w.ok('DELETE', `${w.series}/${recurrence.recurringTaskId}`);
    expect(w.instances(id).map(({ id, title }) => [id, title])).toEqual([[first, 'Water']]);
  });

  it('from an instance that was reopened stands where the old series stood', async () => {
    const { id, nextTaskId: first } = await w.create();
    await w.complete(first);
    const { nextTaskId: second } = await w.read(id);
    await w.complete(second);
    const { nextTaskId } = await w.read(id);
    await w.reopen(second);
    const { recurrence } = await w.edit(id, second, 'following', { title: 'New' });
    expect(await w.read(recurrence.recurringTaskId)).toMatchObject({ nextTaskId, nextOccurrenceNumber: 2 });
  });

  it('of a paused series waits with the same instance, which a new rule reschedules', async () => {
    const { id, nextTaskId } = await w.createBegun();
    await w.ok('POST', `${w.series}/${id}/pause`);
    const { recurrence } = await w.edit(id, nextTaskId, 'following', { title: 'New' });
    await w.patch(recurrence.recurringTaskId, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect((await w.task(nextTaskId)).dueDate).toBe('2026-03-29T13:00:00.000Z');
  });

  it('of a paused series, from an instance made ahead, stays paused and takes no part in the one before', async () => {
    const { id, first, ahead } = await w.createAhead();
    await w.ok('POST', `${w.series}/${id}/pause`);
    const { recurrence } = await w.edit(id, ahead, 'following', { title: 'New' });
    const rest = `${w.series}/${recurrence.recurringTaskId}`;
    expect(await w.ok('GET', rest)).toMatchObject({ state: 'paused', nextRunAt: null });
    const paused = `select next_task_id from recurring_series where state = 'paused'`;
    expect(w.world.values(paused)).toEqual([null]);
    await w.ok('DELETE', rest);
    expect(w.instances(id).map(({ id, title }) => [id, title])).toEqual([[first, 'Water']]);
  });

  it('of a series without an upcoming occurrence stands nowhere either', async () => {
    const { id } = await w.create();
    const { nextTaskId } = await w.skip(id);
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    const { recurrence } = await w.edit(id, nextTaskId, 'following', { priority: 'low' });
    const isNowhere = 'coalesce(next_run_at, next_local, next_number, next_task_id) is null';
    const { recurringTaskId } = recurrence;
    expect(w.world.count(`recurring_series where id = ? and ${isNowhere}`, recurringTaskId)).toBe(1);
    expect(await w.ok('POST', `${w.series}/${recurringTaskId}/resume`)).toMatchObject({
      nextRunAt: '2026-03-27T14:00:00.000Z',
      nextOccurrenceNumber: 2,
    });
  });

  it('begins no earlier when it is resumed, however far ahead it was split', async () => {
    const { id } = await w.create({ endCondition: count(4) });
    await w.skip(id);
    const { nextTaskId } = await w.skip(id);
    const { recurrence } = await w.edit(id, nextTaskId, 'following', { title: 'New' });
    const rest = recurrence.recurringTaskId;
    const before = await w.read(rest);
    await w.ok('POST', `${w.series}/${rest}/pause`);
    const version = before.version + 2;
    expect(await w.ok('POST', `${w.series}/${rest}/resume`)).toEqual({ ...before, version });
    await w.at('2026-04-02T12:00:00.000Z');
    expect([w.days(rest), w.numbers(rest)]).toEqual([
      ['03-30', '03-31'],
      [1, 2],
    ]);
  });

  it('after a century of numbers ends the old series by its date', async () => {
    const { id, nextTaskId } = await w.createBegun({ startsAt: '1926-01-01T00:00:00.000Z' });
    const task = await w.edit(id, nextTaskId, 'following', { title: 'New' });
    expect(await w.read(id)).toMatchObject({
      state: 'ended',
      endCondition: { type: 'date', endDate: '2026-03-28' },
    });
    expect(task.recurrence.occurrenceNumber).toBe(1);
  });

  it.each([
    ['2023-07-04', count(999)],
    ['2023-07-03', { type: 'date', endDate: '2026-03-28' }],
  ])('ends it by the highest count there is, but no higher: begun on %s', async (day, endCondition) => {
    const { id } = await w.create({ startsAt: `${day}T00:00:00.000Z` });
    const { nextTaskId } = await w.skip(id);
    await w.edit(id, nextTaskId, 'following', { title: 'New' });
    expect((await w.read(id)).endCondition).toEqual(endCondition);
  });

  it.each([
    ['America/New_York', '22:00', '2026-03-28'],
    ['Pacific/Auckland', '09:00', '2026-03-29'],
  ])('names that date by the calendar of the zone, in %s too', async (timezone, timeOfDay, endDate) => {
    const { id } = await w.create({
      startsAt: '1926-01-01T00:00:00.000Z',
      interval: { ...DAILY, timezone, timeOfDay },
    });
    await w.skip(id);
    const { nextTaskId } = await w.skip(id);
    await w.edit(id, nextTaskId, 'following', { title: 'New' });
    expect((await w.read(id)).endCondition).toEqual({ type: 'date', endDate });
  });
});

describe('while its list is being deleted, a series', () => {
  /** At most so many tasks go at once, and ten times as many occurrences. */
  const goes = (kind: 'list' | 'space', most: number) =>
    w.world.deps.write((tx) =>
      beginRemoval(tx, { kind, id: kind === 'list' ? w.list.id : w.list.spaceId }, most),
    );

  it.each(['list', 'space'] as const)('cannot be taken out of the %s, but be changed', async (kind) => {
    const { lists } = await w.ok('POST', `${w.inside}/spaces`, { title: 'Elsewhere' });
    const { id, nextTaskId } = await w.create();
    await goes(kind, 0);
    const updates = { listId: lists[0].id };
    const path = `${w.series}/${id}`;
    expect((await w.call('PATCH', path, updates)).status).toBe(404);
    const edit = `${path}/instances/${nextTaskId}/edit-mode`;
    expect((await w.call('POST', edit, { mode: 'all', updates })).status).toBe(404);
    expect(await w.patch(id, { title: 'New' })).toMatchObject({ title: 'New', listId: w.list.id });
    expect(await w.task(nextTaskId)).toMatchObject({ title: 'New', listId: w.list.id });
  });

  it('takes another rule though its occurrences are gone', async () => {
    const ended = await w.create({ endCondition: count(1) });
    const { id, nextTaskId } = await w.create();
    await w.skip(ended.id);
    await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, { listId: (await w.anotherList()).id });
    await goes('list', 1);
    expect([...w.states(ended.id), ...w.states(id)]).toEqual([]);
    const first = { state: 'active', nextOccurrenceNumber: 1 };
    expect(await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } })).toMatchObject(first);
    expect(await w.patch(ended.id, { endCondition: NEVER })).toMatchObject(first);
  });
});

it('a change of what follows leaves what was decided before to its series, in the trash too', async () => {
  const { id, nextTaskId } = await w.create();
  await w.complete(nextTaskId);
  await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
  await w.skip(id);
  const decided = () => [
    w.occurrences(id).slice(0, 2),
    w.world.rows('select * from trash_rows where series_id = ?', id),
  ];
  const before = decided();
  expect(before.map(({ length }) => length)).toEqual([2, 1]);
  await w.edit(id, (await w.read(id)).nextTaskId, 'following', { title: 'Later' });
  expect(decided()).toEqual(before);
});
