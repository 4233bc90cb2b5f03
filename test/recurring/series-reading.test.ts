import { describe, expect, it } from 'vitest';
import { count, DAILY, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();

describe('reading', () => {
  it('shows every series as it is now, before the sweep came by', async () => {
    const { id } = await w.create({ endCondition: count(1) });
    const going = await w.create();
    w.world.clock.set(Date.parse('2026-03-28T08:00:00.000Z'));
    const { items } = await w.ok('GET', w.series);
    expect(items.map(({ state }: { state: string }) => state)).toEqual(['ended', 'active']);
    expect((await w.read(going.id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    expect((await w.read(id)).stateReason).toBe('completed');
    expect(await w.world.commitsOf(() => w.read(going.id))).toBe(0);
  });

  it('filters by list and state, in the order of creation', async () => {
    const other = await w.anotherList();
    const first = await w.create();
    const second = await w.create({ listId: other.id });
    const third = await w.create();
    await w.ok('POST', `${w.series}/${third.id}/pause`);
    const found = async (filter: string) => {
      const page = await w.ok('GET', `${w.series}?${filter}`);
      expect(page.total).toBe(page.items.length);
      return page.items.map(({ id }: { id: string }) => id);
    };
    expect(await found('')).toEqual([first.id, second.id, third.id]);
    expect(await found(`listId=${other.id}`)).toEqual([second.id]);
    expect(await found('state=paused')).toEqual([third.id]);
    expect(await found(`state=active&listId=${w.list.id}`)).toEqual([first.id]);
    expect(await found('listId=019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f')).toEqual([]);
    expect(await w.rejectedAt('GET', `${w.series}?state=asleep&listId=x&page=0`)).toEqual(
      expect.arrayContaining(['state', 'listId', 'page']),
    );
    const paged = await w.ok('GET', `${w.series}?page=2&limit=2`);
    expect([paged.total, paged.items.map(({ id }: { id: string }) => id)]).toEqual([3, [third.id]]);
  });

  it('shows the long texts of each, in a page and to those who follow', async () => {
    const checklist = Array.from({ length: 100 }, (_, i) => ({ title: `${i} `.padEnd(200, 'x') }));
    const made = [
      await w.create({ description: 'あ'.repeat(5_000) }),
      await w.create(),
      await w.create({ checklist }),
    ];
    expect((await w.ok('GET', w.series)).items).toEqual(made);
    const { items } = await w.ok('GET', `${w.inside}/changes`);
    const told = items.filter(({ kind }: { kind: string }) => kind === 'recurringTask');
    expect(told.map(({ value }: { value: object }) => value)).toEqual(made);
  });

  it('lists the instances by occurrence, page by page', async () => {
    const { id } = await w.create();
    for (const day of ['28', '29', '30']) await w.at(`2026-03-${day}T12:00:00.000Z`);
    const page = await w.ok('GET', `${w.series}/${id}/instances?limit=3`);
    expect(page).toMatchObject({ page: 1, limit: 3, total: 4 });
    const numbersOf = ({ items }: { items: { recurrence: { occurrenceNumber: number } }[] }) =>
      items.map(({ recurrence }) => recurrence.occurrenceNumber);
    expect(numbersOf(page)).toEqual([1, 2, 3]);
    expect(numbersOf(await w.ok('GET', `${w.series}/${id}/instances?page=2&limit=3`))).toEqual([4]);
  });

  it('names the coming occurrences, the first with its task', async () => {
    const { id } = await w.create({ endCondition: count(3) });
    const { nextTaskId } = await w.skip(id);
    expect(await w.ok('GET', `${w.series}/${id}/occurrences`)).toEqual({
      occurrences: [
        {
          at: '2026-03-29T07:00:00.000Z',
          local: '2026-03-29T09:00',
          number: 2,
          note: null,
          taskId: nextTaskId,
        },
        { at: '2026-03-30T07:00:00.000Z', local: '2026-03-30T09:00', number: 3, note: null, taskId: null },
      ],
      exhausted: true,
    });
    const one = await w.ok('GET', `${w.series}/${id}/occurrences?limit=1`);
    expect([one.occurrences.length, one.exhausted]).toEqual([1, false]);
    const { id: endless } = await w.create();
    const most = await w.ok('GET', `${w.series}/${endless}/occurrences?limit=500`);
    expect([most.occurrences.length, most.exhausted]).toEqual([100, false]);
    expect(await w.rejectedAt('GET', `${w.series}/${endless}/occurrences?limit=0`)).toEqual(['limit']);
    await w.ok('POST', `${w.series}/${endless}/pause`);
    expect(await w.ok('GET', `${w.series}/${endless}/occurrences`)).toEqual({
      occurrences: [],
      exhausted: true,
    });
  });
});

describe('preview', () => {
  const preview = (body: unknown) => w.ok('POST', `${w.series}/preview`, body);

  it('says why an occurrence is where it is, and stores nothing', async () => {
    const interval = { ...DAILY, timeOfDay: '02:30' };
    const { occurrences, exhausted } = await preview({
      interval,
      startsAt: '2026-03-28T00:00:00.000Z',
      limit: 2,
    });
    expect(occurrences).toEqual([
      { at: '2026-03-28T01:30:00.000Z', local: '2026-03-28T02:30', number: 1, note: null },
      { at: '2026-03-29T01:30:00.000Z', local: '2026-03-29T02:30', number: 2, note: 'shifted' },
    ]);
    expect(exhausted).toBe(false);
    expect((await w.ok('GET', w.series)).total).toBe(0);
  });

  it('starts at now or at the start, and shows what is after another instant', async () => {
    const bare = await preview({ interval: DAILY });
    expect(bare.occurrences).toHaveLength(10);
    expect(bare.occurrences[0]).toMatchObject({ at: '2026-03-28T08:00:00.000Z', number: 1 });
    const after = { startsAt: '2026-03-01T00:00:00.000Z', after: '2026-03-03T08:00:00.000Z' };
    const later = await preview({ interval: DAILY, endCondition: count(4), ...after });
    expect(later).toMatchObject({
      occurrences: [{ at: '2026-03-04T08:00:00.000Z', number: 4 }],
      exhausted: true,
    });
  });

  it('gives none for a rule without occurrences', async () => {
    const body = { interval: DAILY, endCondition: { type: 'date', endDate: '2020-01-01' } };
    expect(await preview(body)).toEqual({ occurrences: [], exhausted: true });
  });

  it('rejects what a series rejects, and a limit out of bounds', async () => {
    for (const limit of [0, 101, 1.5, '3']) {
      expect(await w.rejectedAt('POST', `${w.series}/preview`, { interval: DAILY, limit })).toEqual([
        'limit',
      ]);
    }
    const body = { interval: { ...DAILY, timezone: '+02:00' }, after: 'x' };
    expect(await w.rejectedAt('POST', `${w.series}/preview`, body)).toEqual(
      expect.arrayContaining(['interval.timezone', 'after']),
    );
  });
});
