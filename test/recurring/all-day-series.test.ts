import { afterEach, describe, expect, it } from 'vitest';
import { expectIntegrity } from '../integrity.ts';
import { DAILY, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();
afterEach(() => expectIntegrity(w.world));

const ALL_DAY = { ...DAILY, timeOfDay: null };

describe('a series without a time of day', () => {
  it('makes tasks that are due on a day, whose occurrence is the first instant of it in the zone', async () => {
    const series = await w.create({ interval: ALL_DAY });
    expect(series.interval.timeOfDay).toBeNull();
    expect(series.nextRunAt).toBe('2026-03-27T23:00:00.000Z');
    expect(await w.upcoming(series.id)).toMatchObject({
      dueDay: '2026-03-28',
      dueDate: null,
      recurrence: { occurrenceAt: '2026-03-27T23:00:00.000Z', overridden: [] },
    });
    const { occurrences } = await w.ok('GET', `${w.series}/${series.id}/occurrences?limit=3`);
    expect(occurrences).toMatchObject([
      { local: '2026-03-28', at: '2026-03-27T23:00:00.000Z', number: 1, note: null },
      { local: '2026-03-29', at: '2026-03-28T23:00:00.000Z', number: 2, note: null },
      { local: '2026-03-30', at: '2026-03-29T22:00:00.000Z', number: 3, note: null },
    ]);
    const skipped = await w.skip(series.id, { occurrenceAt: series.nextRunAt });
    expect(skipped.skipped.occurrenceAt).toBe('2026-03-27T23:00:00.000Z');
    await w.at('2026-03-29T12:00:00Z');
    expect(w.dates(series.id)).toEqual(['2026-03-29', '2026-03-30']);
    const back = await w.ok('POST', `${w.series}/${(await w.create({ interval: ALL_DAY })).id}/skip`);
    const again = await w.ok('POST', `${w.series}/${back.id}/step-back`, { occurrenceAt: back.nextRunAt });
    expect((await w.upcoming(again.id)).dueDay).toBe('2026-03-30');
  });

  it('begins its days where clocks skip midnight', async () => {
    const interval = { ...ALL_DAY, timezone: 'Africa/Cairo' };
    const body = { interval, startsAt: '2026-04-22T00:00:00Z', after: '2026-04-23T00:00:00Z', limit: 2 };
    expect(await w.ok('POST', `${w.series}/preview`, body)).toMatchObject({
      occurrences: [
        { local: '2026-04-24', at: '2026-04-23T22:00:00.000Z', note: null },
        { local: '2026-04-25', at: '2026-04-24T21:00:00.000Z', note: null },
      ],
    });
  });

  it('gets a time and loses it again, and no day has two', async () => {
    const series = await w.create();
    const { nextTaskId } = series;
    await w.patch(series.id, { interval: ALL_DAY });
    expect(await w.upcoming(series.id)).toMatchObject({
      id: nextTaskId,
      dueDay: '2026-03-28',
      dueDate: null,
    });
    await w.at('2026-03-28T05:00:00Z');
    expect(w.dates(series.id)).toEqual(['2026-03-28', '2026-03-29']);
    await w.patch(series.id, { interval: DAILY });
    expect(w.dates(series.id)).toEqual(['2026-03-28', '2026-03-29T07:00:00.000Z']);
    await w.patch(series.id, { interval: ALL_DAY });
    expect(w.dates(series.id)).toEqual(['2026-03-28', '2026-03-29']);
  });

  it('is made of a task too, which is due on the day then', async () => {
    const task = await w.ok('POST', `${w.inside}/tasks`, { title: 'x', listId: w.list.id });
    await w.ok('POST', w.series, { taskId: task.id, interval: ALL_DAY });
    expect(await w.task(task.id)).toMatchObject({ dueDay: '2026-03-28', dueDate: null });
  });

  const repeatDueOn = async (dueDay: string, more: object = {}) => {
    const task = await w.ok('POST', `${w.inside}/tasks`, { title: 'x', listId: w.list.id, dueDay });
    const startsAt = new Date(`${dueDay}T00:00:00+01:00`).toISOString();
    const body = { taskId: task.id, interval: ALL_DAY, startsAt, ...more };
    return { task, series: await w.ok('POST', w.series, body) };
  };

  it('is made of a task that is due today, which stays so as the first instance, and the next one follows', async () => {
    const { task, series } = await repeatDueOn('2026-03-27');
    expect(await w.task(task.id)).toMatchObject({
      dueDay: '2026-03-27',
      recurrence: { recurringTaskId: series.id, occurrenceNumber: 1, overridden: [] },
    });
    expect(series).toMatchObject({ nextOccurrenceNumber: 2, nextRunAt: '2026-03-27T23:00:00.000Z' });
    expect(w.dates(series.id)).toEqual(['2026-03-27', '2026-03-28']);
    expect(await w.upcoming(series.id)).toMatchObject({ dueDay: '2026-03-28' });
    await w.at('2026-03-28T05:00:00Z');
    expect(w.dates(series.id)).toEqual(['2026-03-27', '2026-03-28', '2026-03-29']);
    const last = await repeatDueOn('2026-03-28', { endCondition: { type: 'count', count: 1 } });
    expect(last.series).toMatchObject({ state: 'ended', nextRunAt: null });
    expect(w.dates(last.series.id)).toEqual(['2026-03-28']);
  });

  it('begins with the day of a task that is due today, where no start is given', async () => {
    const { task, series } = await repeatDueOn('2026-03-27', { startsAt: undefined });
    expect(series.startsAt).toBe('2026-03-26T23:00:00.000Z');
    expect((await w.task(task.id)).dueDay).toBe('2026-03-27');
    expect(w.dates(series.id)).toEqual(['2026-03-27', '2026-03-28']);
    for (const dueDay of ['2026-03-26', '2026-03-28']) {
      const other = await repeatDueOn(dueDay, { startsAt: undefined });
      expect(other.series.startsAt).toBe('2026-03-27T10:00:00.000Z');
      expect(w.dates(other.series.id)).toEqual(['2026-03-28']);
    }
  });

  it('is made of a task whose day is over, or none of the rule, which is due on the next one then', async () => {
    const over = await repeatDueOn('2026-03-26');
    expect(await w.task(over.task.id)).toMatchObject({ dueDay: '2026-03-28' });
    const { timeOfDay, timezone } = ALL_DAY;
    const weekly = { frequency: 'week', every: 1, daysOfWeek: ['monday'], timeOfDay, timezone };
    const other = await repeatDueOn('2026-03-27', { interval: weekly });
    expect(await w.task(other.task.id)).toMatchObject({ dueDay: '2026-03-30' });
  });

  it('says null: a time that is left out is missing', async () => {
    const { timeOfDay: _, ...interval } = DAILY;
    const response = await w.call('POST', w.series, { title: 'x', listId: w.list.id, interval });
    expect(response.body.issues).toMatchObject([{ path: 'interval.timeOfDay' }]);
  });
});
