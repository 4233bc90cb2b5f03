import { describe, expect, it } from 'vitest';
import { DAILY, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();

const coming = (from: string, to: string) =>
  w.ok('GET', `${w.inside}/occurrences?${new URLSearchParams({ from, to })}`);
const issueOf = async (from: string, to: string) =>
  (await w.call('GET', `${w.inside}/occurrences?${new URLSearchParams({ from, to })}`)).body.issues?.[0]
    ?.path;

describe('the coming occurrences of a workspace', () => {
  it('are those of all active series, in order of time, from inclusive and to exclusive', async () => {
    const plants = await w.create();
    const bins = await w.create({ title: 'Bins', interval: { ...DAILY, timeOfDay: '08:00', every: 2 } });
    const paused = await w.create({ title: 'Paused' });
    await w.ok('POST', `${w.series}/${paused.id}/pause`);
    const { items, hasMore } = await coming('2026-03-28T08:00:00.000Z', '2026-03-30T07:00:00.000Z');
    expect(hasMore).toBe(false);
    expect(items.map(({ title, at }: { title: string; at: string }) => `${title} ${at}`)).toEqual([
      'Water 2026-03-28T08:00:00.000Z',
      'Water 2026-03-29T07:00:00.000Z',
      'Bins 2026-03-30T06:00:00.000Z',
    ]);
    expect(items[0]).toEqual({
      recurringTaskId: plants.id,
      title: 'Water',
      listId: w.list.id,
      at: plants.nextRunAt,
      local: '2026-03-28T09:00',
      number: 1,
      note: null,
      taskId: plants.nextTaskId,
    });
    expect(items.slice(1)).toMatchObject([
      { recurringTaskId: plants.id, number: 2, taskId: null },
      { recurringTaskId: bins.id, taskId: null },
    ]);
  });

  it('take days in the time zone of the caller', async () => {
    await w.ok('PATCH', '/me', { timezone: 'Pacific/Kiritimati' });
    await w.create({ interval: { ...DAILY, timezone: 'Pacific/Kiritimati', timeOfDay: '00:00' } });
    const { items } = await coming('2026-04-02', '2026-04-04');
    expect(items.map(({ local }: { local: string }) => local)).toEqual([
      '2026-04-02T00:00',
      '2026-04-03T00:00',
    ]);
  });

  it('are between instants at most 62 days apart', async () => {
    expect(await issueOf('2026-04-01', '2026-06-02')).toBeUndefined();
    expect(await issueOf('2026-04-01', '2026-06-03')).toBe('to');
    const [from, to] = ['2026-09-01T22:00:00.000Z', '2026-11-02T22:00:00.000Z'];
    expect(await issueOf(from, to)).toBeUndefined();
    expect(await issueOf(from, '2026-11-02T22:00:00.001Z')).toBe('to');
    expect(await issueOf('2026-04-01', '2026-04-01')).toBe('to');
    expect(await issueOf('2026-04-02', '2026-04-01')).toBe('to');
    expect(await issueOf('soon', '2026-04-01')).toBe('from');
  });

  it('are within 62 days of the caller, however long those are', async () => {
    await w.ok('PATCH', '/me', { timezone: 'Europe/Paris' });
    expect(await issueOf('2026-10-01', '2026-12-02')).toBeUndefined();
    expect(await issueOf('2026-10-01', '2026-12-03')).toBe('to');
    expect(await issueOf('2026-03-01', '2026-05-02')).toBeUndefined();
    expect(await issueOf('2026-03-01', '2026-05-03')).toBe('to');
  });

  it('are the first 1,000 of them, and it says that more follow', async () => {
    const titles = Array.from({ length: 45 }, (_, index) => `Series ${index}`);
    for (const [index, title] of titles.entries())
      await w.create({ title, interval: { ...DAILY, timeOfDay: `09:${String(index).padStart(2, '0')}` } });
    const { items, hasMore } = await coming('2026-03-27', '2026-05-20');
    expect([items.length, hasMore]).toEqual([1_000, true]);
    const instants = items.map(({ at }: { at: string }) => at);
    expect(instants).toEqual([...instants].sort());
    expect(instants.at(-1)).toBe('2026-04-19T07:09:00.000Z');
  });
});
