import { describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import { tick } from '../../src/tick.ts';
import { joined } from '../people.ts';
import { DAILY, DAY, useSeriesWorld, w } from '../series-world.ts';
import { openWorld } from '../world.ts';
import { zoneLookups } from '../zone-lookups.ts';

useSeriesWorld();

describe('the life-cycle check', () => {
  it('1: a new series has one task, due at its next run', async () => {
    const { id, nextRunAt } = await w.create();
    expect(nextRunAt).toBe('2026-03-28T08:00:00.000Z');
    expect(w.dates(id)).toEqual(['2026-03-28T08:00:00.000Z']);
  });

  it('2: skip takes the task and makes the next, across the change of clocks', async () => {
    const { id, nextTaskId } = await w.create();
    const skipped = await w.skip(id);
    expect(skipped.nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    expect(skipped.skipped).toEqual({ occurrenceAt: '2026-03-28T08:00:00.000Z', occurrenceNumber: 1 });
    expect(w.dates(id)).toEqual(['2026-03-29T07:00:00.000Z']);
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
    expect(w.dates(id)).toEqual(['2026-03-29T07:00:00.000Z']);
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
    expect(w.dates(id)).toEqual([]);
    const fourth = await w.call('POST', `${w.series}/${id}/skip`);
    expect([fourth.status, fourth.body.error]).toEqual([400, 'BadRequestError']);
    expect((await w.skip(id, { occurrenceAt: '2026-03-30T07:00:00.000Z' })).skipped.occurrenceNumber).toBe(3);
  });

  it('6: what is skipped counts', async () => {
    const { id } = await w.create({ endCondition: { type: 'count', count: 3 } });
    await w.skip(id);
    for (let day = 28; day <= 31; day += 1) await w.at(`2026-03-${day}T12:00:00.000Z`);
    expect(w.numbers(id)).toEqual([2, 3]);
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

  it('the start and due day of one instance are its own, in place of the instants', async () => {
    const { id, nextTaskId } = await w.create();
    const edited = await w.edit(id, nextTaskId, 'this', { dueDay: '2026-03-29', startDay: '2026-03-28' });
    expect(edited).toMatchObject({ dueDate: null, dueDay: '2026-03-29', startDay: '2026-03-28' });
    expect(edited.recurrence.overridden).toEqual(['startDay', 'dueDate', 'dueDay']);
    const startDate = '2026-03-28T08:00:00.000Z';
    const timed = await w.edit(id, nextTaskId, 'this', { startDate });
    expect(timed).toMatchObject({ startDate, startDay: null });
    expect(timed.recurrence.overridden).toContain('startDate');
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
    expect(w.numbers(id)).toEqual([1, 2]);
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
    expect(w.numbers(rest.id)).toEqual([1, 2, 3]);
    expect((await w.read(rest.id)).state).toBe('ended');
    expect(w.numbers(id)).toEqual([1, 2]);
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
    expect(w.dates(id)).toEqual(['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z']);
    expect(w.instances(id)[0]?.completed_at).toBeNull();
  });

  it('11: the sweep may be repeated, also after the clock went back', async () => {
    const { id } = await w.create();
    await w.at('2026-03-28T08:00:00.000Z');
    await Promise.all([sweep(w.world.deps), sweep(w.world.deps), tick(w.world.deps)]);
    await w.at('2026-03-28T07:00:00.000Z');
    await w.at('2026-03-28T08:00:00.000Z');
    expect(w.dates(id)).toEqual(['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z']);
  });

  const downtime = async (catchUp?: string) => {
    const { id } = await w.create(catchUp ? { catchUp } : {});
    await w.at('2026-03-28T12:00:00.000Z');
    await w.at('2026-04-05T12:00:00.000Z');
    return id;
  };

  it('12: after a downtime the latest is made, the others are missed', async () => {
    const id = await downtime();
    expect(w.days(id)).toEqual(['03-28', '03-29', '04-05', '04-06']);
    expect(w.states(id)).toEqual([
      'generated',
      'generated',
      ...Array.from({ length: 6 }, () => 'missed'),
      'generated',
      'generated',
    ]);
    expect(w.numbers(id)).toEqual([1, 2, 9, 10]);
  });

  it('13: or all of them', async () => {
    const id = await downtime('all');
    expect(w.days(id).slice(2)).toEqual([
      '03-30',
      '03-31',
      '04-01',
      '04-02',
      '04-03',
      '04-04',
      '04-05',
      '04-06',
    ]);
    expect(w.states(id).filter((state) => state === 'missed')).toEqual([]);
    const places = w.instances(id).map(({ position }) => position);
    expect(places).toEqual(places.toSorted((one, other) => one - other));
  });

  it('13: or none', async () => {
    const id = await downtime('none');
    expect(w.days(id).slice(2)).toEqual(['04-06']);
    expect(w.states(id).filter((state) => state === 'missed')).toHaveLength(7);
    const tasks = w.occurrences(id).map(({ task_id }) => task_id);
    expect(tasks.slice(2, 9)).toEqual(Array.from({ length: 7 }, () => null));
  });

  it('13: and one that comes at the very instant of waking is the latest', async () => {
    const { id } = await w.create();
    await w.at('2026-03-30T07:00:00.000Z');
    expect(w.days(id)).toEqual(['03-28', '03-30', '03-31']);
  });

  it('14: an hour of downtime over a slot loses nothing', async () => {
    const { id } = await w.create();
    await w.at('2026-03-28T07:30:00.000Z');
    await w.at('2026-03-28T08:30:00.000Z');
    expect(w.days(id)).toEqual(['03-28', '03-29']);
    expect(w.states(id)).toEqual(['generated', 'generated']);
  });

  it('15: deleting the upcoming task skips it', async () => {
    const { id, nextTaskId } = await w.create();
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    expect((await w.read(id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    expect(w.states(id)).toEqual(['skipped', 'generated']);
    expect((await w.skip(id, { occurrenceAt: '2026-03-28T08:00:00.000Z' })).nextOccurrenceNumber).toBe(2);
  });

  it('16: a deleted old instance is not made again, after a restart either', async () => {
    const { id, nextTaskId } = await w.create();
    await w.at('2026-03-28T12:00:00.000Z');
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    const again = await openWorld({ folder: w.world.folder, start: w.world.clock.now() });
    await tick(again.deps);
    await again.close();
    expect(w.days(id)).toEqual(['03-29']);
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
    expect(w.days(id)).toEqual(['03-28']);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      state: 'active',
      nextRunAt: '2026-04-02T07:00:00.000Z',
      nextOccurrenceNumber: 6,
    });
    expect(w.days(id)).toEqual(['03-28', '04-02']);
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
    expect(w.days(id)).toEqual(['03-28', '03-29']);
    expect(await w.task(nextTaskId)).toEqual(done);
    await w.reopen(nextTaskId);
    expect(w.days(id)).toEqual(['03-28', '03-29']);
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
    expect(w.days(other)).toEqual(['03-28', '03-29']);
    expect(w.days(id)).toEqual(['03-28', '03-29']);
  });

  it('21: new zone data reschedules the upcoming occurrence, but no date that someone chose', async () => {
    const { id, nextTaskId } = await w.create();
    const chosen = await w.create({ title: 'Chosen' });
    await w.edit(chosen.id, chosen.nextTaskId, 'this', { dueDate: '2026-03-28T11:00:00.000Z' });
    await tick(w.world.deps);
    const stale = '2026-03-28T09:00:00.000Z';
    await w.withOldZoneData({ next_run_at: stale });
    w.world.run('update recurring_occurrences set occurrence_at = ?', stale);
    w.world.run('update tasks set due_date = ?, occurrence_at = ? where id = ?', stale, stale, nextTaskId);
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
    expect(w.days(id)).toEqual(['03-28', '03-29']);
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
    await w.withOldZoneData();
    w.world.run('update recurring_series set next_run_at = ? where id = ?', stale, bereft.id);
    w.world.run('update tasks set due_date = ?, occurrence_at = ?', stale, stale);
    const done = await w.task(paused.nextTaskId);
    await tick(w.world.deps);
    expect(await w.task(paused.nextTaskId)).toEqual(done);
    expect(await w.read(bereft.id)).toMatchObject({
      state: 'active',
      nextRunAt: '2026-03-28T08:00:00.000Z',
    });
  });

  it('21: and a task that was made ahead, once its turn comes', async () => {
    const { id, first, ahead } = await w.createAhead();
    const stale = '2026-03-29T08:00:00.000Z';
    w.world.run('update tasks set due_date = ?, occurrence_at = ? where id = ?', stale, stale, ahead);
    w.world.run('update recurring_occurrences set occurrence_at = ? where task_id = ?', stale, ahead);
    await w.complete(first);
    const now = '2026-03-29T07:00:00.000Z';
    expect(await w.read(id)).toMatchObject({ nextTaskId: ahead, nextRunAt: now });
    expect(await w.task(ahead)).toMatchObject({ dueDate: now, recurrence: { occurrenceAt: now } });
    await w.complete(ahead);
    expect((await w.read(id)).nextRunAt).toBe('2026-03-30T07:00:00.000Z');
  });

  it('21: one that is revived stands by the zone data of today', async () => {
    const { id } = await w.create({ endCondition: { type: 'count', count: 1 } });
    await w.skip(id);
    await w.withOldZoneData();
    await w.patch(id, { endCondition: { type: 'never' } });
    expect(w.world.values('select tz_version from recurring_series')).toEqual([process.versions.tz]);
  });

  it('22: a start a century ago costs nothing', async () => {
    const lookups = await zoneLookups(async () => {
      const { id, nextOccurrenceNumber } = await w.create({ startsAt: '1926-01-01T00:00:00.000Z' });
      const { occurrences } = await w.ok('GET', `${w.series}/${id}/occurrences`);
      expect(nextOccurrenceNumber).toBe(36_612);
      expect(occurrences).toHaveLength(10);
      expect(w.days(id)).toEqual(['03-28']);
    });
    expect(lookups).toBeLessThan(1_000);
  });
});
