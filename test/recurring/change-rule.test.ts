import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { tick } from '../../src/tick.ts';
import { count, DAILY, NEVER, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();

describe('another rule', () => {
  it('keeps an edited upcoming instance as an exception, and makes another', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    const changed = await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect(changed).toMatchObject({ nextRunAt: '2026-03-27T14:00:00.000Z', nextOccurrenceNumber: 2 });
    expect(changed.nextTaskId).not.toBe(nextTaskId);
    expect(await w.task(nextTaskId)).toMatchObject({ title: 'Mine', dueDate: '2026-03-28T08:00:00.000Z' });
    await w.at('2026-03-28T23:00:00.000Z');
    expect(w.numbers(id)).toEqual([2, 1, 3, 4]);
    const { items } = await w.ok('GET', `${w.series}/${id}/instances`);
    expect(items.map((task: { id: string }) => task.id)).toEqual(w.instances(id).map(({ id }) => id));
    await w.patch(id, { listId: (await w.anotherList()).id });
    const positions = w.instances(id).map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('keeps its numbers, so that a count is one of them', async () => {
    const { id } = await w.create({ endCondition: count(4) });
    await w.at('2026-03-28T12:00:00.000Z');
    await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    for (const day of ['03-28', '03-29', '03-30', '03-31', '04-01']) await w.at(`2026-${day}T23:00:00.000Z`);
    expect(w.numbers(id)).toEqual([1, 2, 3, 4]);
    expect(w.days(id)).toEqual(['03-28', '03-28', '03-29', '03-30']);
    expect((await w.read(id)).state).toBe('ended');
  });

  it('is counted from now, or from the start asked for', async () => {
    const { id } = await w.create();
    const interval = { ...DAILY, every: 3 };
    expect(await w.patch(id, { interval })).toMatchObject({
      nextRunAt: '2026-03-28T08:00:00.000Z',
      startsAt: '2026-03-27T10:00:00.000Z',
    });
    const startsAt = '2026-03-26T00:00:00.000Z';
    expect(await w.patch(id, { startsAt })).toMatchObject({
      nextRunAt: '2026-03-29T07:00:00.000Z',
      startsAt,
    });
    expect(await w.patch(id, { startsAt: '2026-05-01T00:00:00.000Z' })).toMatchObject({
      nextRunAt: '2026-05-01T07:00:00.000Z',
      nextOccurrenceNumber: 1,
    });
    expect(await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } })).toMatchObject({
      nextRunAt: '2026-05-01T13:00:00.000Z',
      startsAt: '2026-05-01T00:00:00.000Z',
    });
  });

  it('with another end alone keeps its rhythm and its instance', async () => {
    const { id, nextTaskId } = await w.create({ interval: { ...DAILY, every: 2 } });
    await w.skip(id);
    const before = await w.read(id);
    await w.edit(id, before.nextTaskId, 'this', { title: 'Mine' });
    const after = await w.patch(id, { endCondition: count(3) });
    expect(after).toEqual({ ...before, endCondition: count(3), updatedAt: after.updatedAt, version: 4 });
    expect(before.nextTaskId).not.toBe(nextTaskId);
    expect((await w.ok('GET', `${w.series}/${id}/occurrences`)).occurrences).toHaveLength(2);
    await w.patch(id, { endCondition: count(2) });
    expect((await w.ok('GET', `${w.series}/${id}/occurrences`)).occurrences).toHaveLength(1);
  });

  it('without a future is rejected, and nothing else of the patch happens', async () => {
    const { id } = await w.create();
    for (let n = 0; n < 4; n += 1) await w.skip(id);
    const before = await w.read(id);
    for (const endCondition of [count(4), { type: 'date', endDate: '2026-03-31' }]) {
      expect(await w.rejectedAt('PATCH', `${w.series}/${id}`, { title: 'New', endCondition })).toEqual([
        'endCondition',
      ]);
      const both = { endCondition, interval: { ...DAILY, every: 7 } };
      if (endCondition.type === 'count') {
        expect(await w.rejectedAt('PATCH', `${w.series}/${id}`, { ...both, endCondition: count(4) })).toEqual(
          ['endCondition'],
        );
      }
    }
    const startsAt = '9999-12-31T23:00:00.000Z';
    expect(await w.rejectedAt('PATCH', `${w.series}/${id}`, { startsAt })).toEqual(['endCondition']);
    expect(await w.read(id)).toEqual(before);
  });

  it('with a future revives a series that had ended, and its numbers go on', async () => {
    const { id } = await w.create({ endCondition: count(2) });
    await w.skip(id);
    await w.skip(id);
    expect(await w.rejectedAt('PATCH', `${w.series}/${id}`, { endCondition: count(1) })).toEqual([
      'endCondition',
    ]);
    expect(await w.patch(id, { title: 'Still ended' })).toMatchObject({ state: 'ended' });
    expect(await w.patch(id, { endCondition: count(3) })).toMatchObject({
      state: 'active',
      stateReason: null,
      nextRunAt: '2026-03-30T07:00:00.000Z',
      nextOccurrenceNumber: 3,
    });
    await w.skip(id);
    const weekly = { ...DAILY, frequency: 'week', daysOfWeek: ['monday'] };
    expect(await w.rejectedAt('PATCH', `${w.series}/${id}`, { interval: weekly })).toEqual(['endCondition']);
    expect(await w.patch(id, { interval: weekly, endCondition: NEVER })).toMatchObject({
      state: 'active',
      nextRunAt: '2026-03-30T07:00:00.000Z',
      nextOccurrenceNumber: 4,
    });
  });

  it('revives a series that ended long ago with nothing of the past', async () => {
    const { id } = await w.create({ endCondition: count(1) });
    await w.skip(id);
    w.world.clock.advance(10 * DAY);
    expect(await w.rejectedAt('PATCH', `${w.series}/${id}`, { endCondition: count(2) })).toEqual([
      'endCondition',
    ]);
    expect(await w.patch(id, { endCondition: NEVER })).toMatchObject({
      nextRunAt: '2026-04-07T07:00:00.000Z',
      nextOccurrenceNumber: 11,
    });
    expect(w.days(id)).toEqual(['04-07']);
  });

  it('of a paused series waits for it to be resumed', async () => {
    const { id, nextTaskId } = await w.create();
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.patch(id, { endCondition: count(9) });
    const changed = await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect(changed).toMatchObject({ state: 'paused', nextRunAt: null });
    expect((await w.task(nextTaskId)).dueDate).toBe('2026-03-27T14:00:00.000Z');
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      nextTaskId,
      nextOccurrenceNumber: 1,
    });
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.patch(id, { interval: { ...DAILY, timeOfDay: '16:00' } });
    expect(w.days(id)).toEqual(['03-27']);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      nextRunAt: '2026-03-27T15:00:00.000Z',
      nextOccurrenceNumber: 2,
    });
  });

  it('of a paused series without its task makes another', async () => {
    const { id, nextTaskId } = await w.create();
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      nextRunAt: '2026-03-27T14:00:00.000Z',
      nextOccurrenceNumber: 2,
    });
    expect(w.numbers(id)).toEqual([2]);
  });

  it('of a paused series lets an edited instance go, whose date new zone data then leave alone', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.patch(id, { interval: { ...DAILY, timezone: 'America/New_York' } });
    const before = await w.task(nextTaskId);
    await w.withOldZoneData();
    await tick(w.world.deps);
    expect(await w.task(nextTaskId)).toEqual(before);
  });

  it('with the first instant of the present one keeps its instance, edited or not', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    expect(await w.patch(id, { interval: { ...DAILY, every: 2 } })).toMatchObject({
      nextTaskId,
      nextOccurrenceNumber: 1,
    });
    expect(w.days(id)).toEqual(['03-28']);
  });

  it.each([
    ['2026-03-28T08:00:00.000Z', '2026-03-28T14:00:00.000Z'],
    ['2026-03-29T10:00:00.000Z', '2026-03-29T13:00:00.000Z'],
  ])(
    'leaves an instance alone whose time came while the series was paused: at %s',
    async (now, nextRunAt) => {
      const { id, nextTaskId } = await w.create();
      await w.ok('POST', `${w.series}/${id}/pause`);
      w.world.clock.set(Date.parse(now));
      const before = await w.task(nextTaskId);
      await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
      expect(await w.task(nextTaskId)).toEqual(before);
      expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
        nextRunAt,
        nextOccurrenceNumber: 2,
      });
    },
  );

  it('from a start long ago does not use up a count', async () => {
    const { id } = await w.create({ endCondition: count(4) });
    expect(await w.patch(id, { startsAt: '2026-01-01T00:00:00.000Z' })).toMatchObject({
      nextRunAt: '2026-03-28T08:00:00.000Z',
      nextOccurrenceNumber: 1,
    });
  });

  it('is not hurried by an instance that was made ahead under the one before', async () => {
    const { id, ahead } = await w.createAhead();
    await w.patch(id, { interval: { ...DAILY, every: 2 } });
    await w.at('2026-03-28T12:00:00.000Z');
    const before = await w.read(id);
    expect(before.nextRunAt).toBe('2026-03-30T07:00:00.000Z');
    await w.ok('DELETE', `${w.inside}/tasks/${ahead}`);
    expect(await w.read(id)).toEqual(before);
    expect(w.states(id)).toEqual(['generated', 'deleted', 'generated']);
  });

  it('dates what is skipped after it', async () => {
    const { id } = await w.create();
    const { nextRunAt: occurrenceAt } = await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    const skipped = await w.skip(id, { occurrenceAt });
    expect(await w.skip(id, { occurrenceAt })).toEqual(skipped);
  });

  it('that comes back knows nothing of what was skipped under the first', async () => {
    const { id, nextRunAt: occurrenceAt } = await w.create();
    await w.skip(id);
    await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect((await w.patch(id, { interval: DAILY })).nextRunAt).toBe(occurrenceAt);
    expect(await w.skip(id, { occurrenceAt })).toMatchObject({
      nextRunAt: '2026-03-29T07:00:00.000Z',
      skipped: { occurrenceAt, occurrenceNumber: 2 },
    });
    expect((await w.skip(id, { occurrenceAt })).skipped).toEqual({ occurrenceAt, occurrenceNumber: 2 });
  });

  it('that comes back knows nothing of what was done under the first', async () => {
    const { id, nextTaskId } = await w.create();
    await w.complete(nextTaskId);
    await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    const back = await w.patch(id, { interval: DAILY });
    expect(back).toMatchObject({ nextRunAt: '2026-03-28T08:00:00.000Z', nextOccurrenceNumber: 2 });
    await w.reopen(nextTaskId);
    await w.complete(nextTaskId);
    expect(await w.read(id)).toEqual(back);
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect((await w.ok('POST', `${w.series}/${id}/resume`)).nextTaskId).toBe(back.nextTaskId);
    expect(w.occurrences(id).map(({ number, state }) => [number, state])).toEqual([
      [1, 'generated'],
      [2, 'generated'],
    ]);
    await w.ok('DELETE', `${w.inside}/tasks/${back.nextTaskId}`);
    expect(w.occurrences(id).map(({ number, state }) => [number, state])).toEqual([
      [1, 'generated'],
      [2, 'skipped'],
      [3, 'generated'],
    ]);
  });

  it('is none when a patch says what is so already', async () => {
    for (const endCondition of [NEVER, count(9), { type: 'date', endDate: '2026-04-09' }]) {
      const series = await w.create({ interval: { ...DAILY, every: 2 }, endCondition });
      await w.edit(series.id, series.nextTaskId, 'this', { title: 'Mine' });
      w.world.clock.advance(60_000);
      expect(await w.patch(series.id, {})).toEqual(series);
      expect(await w.patch(series.id, series)).toEqual(series);
      expect(await w.patch(series.id, { interval: series.interval })).toEqual(series);
    }
  });

  it('rejects null for what cannot be cleared', async () => {
    const { id } = await w.create();
    for (const field of ['title', 'listId', 'priority', 'interval', 'endCondition', 'startsAt', 'catchUp']) {
      expect(await w.rejectedAt('PATCH', `${w.series}/${id}`, { [field]: null })).toEqual(
        expect.arrayContaining([expect.stringMatching(`^${field}`)]),
      );
    }
    expect(await w.patch(id, { description: null, assigneeId: null })).toMatchObject({ description: null });
  });
});
