import { describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import type { Deps } from '../../src/deps.ts';
import { unavailable } from '../../src/kernel/errors.ts';
import { HOUR, MINUTE } from '../../src/kernel/instants.ts';
import { sweep } from '../../src/recurring/sweep.ts';
import type { RecurringSeriesRow } from '../../src/storage/tables.ts';
import { tick } from '../../src/tick.ts';
import { DAILY, openSeriesWorld, useSeriesWorld, w } from '../series-world.ts';
import { openWorld } from '../world.ts';

useSeriesWorld();

const DUE = Date.parse('2026-03-28T08:00:00.000Z');
const many = (n: number) => Promise.all(Array.from({ length: n }, () => w.create()));

/** How many instances each series has. */
const instancesEach = () =>
  w.world.values('select count(*) from tasks where recurring_task_id is not null group by recurring_task_id');

/** Whether tasks, occurrences and series agree to the last one. */
function expectConsistent(): void {
  const all = (table: string) => w.world.rows<Record<string, unknown>>(`select * from ${table}`);
  const tasks = all('tasks');
  const generated = all('recurring_occurrences').filter(({ state }) => state === 'generated');
  expect(generated.map(({ task_id }) => task_id).toSorted()).toEqual(tasks.map(({ id }) => id).toSorted());
  for (const series of all('recurring_series')) {
    const upcoming = tasks.find(({ id }) => id === series.next_task_id);
    expect(upcoming).toMatchObject({
      recurring_task_id: series.id,
      occurrence_at: series.next_run_at,
      occurrence_number: series.next_number,
    });
  }
}

describe('the sweep', () => {
  it('23: makes a thousand series due in one minute, each once', async () => {
    await many(1_000);
    w.world.clock.set(DUE);
    await sweep(w.world.deps);
    expect(instancesEach()).toEqual(Array.from({ length: 1_000 }, () => 2));
    expectConsistent();
    expect(await w.world.commitsOf(() => sweep(w.world.deps))).toBe(0);
  });

  it('may run twice at a time, in one process and in two on the same file', async () => {
    await many(300);
    const other = await openWorld({ folder: w.world.folder });
    w.world.clock.set(DUE);
    other.clock.set(DUE + 1_000);
    await Promise.all([sweep(w.world.deps), sweep(other.deps), sweep(w.world.deps), sweep(other.deps)]);
    expect(instancesEach()).toEqual(Array.from({ length: 300 }, () => 2));
    expectConsistent();
  });

  it('agrees with the requests of people: what one of them does, the other does not do again', async () => {
    const made = await many(40);
    w.world.clock.set(DUE);
    await Promise.all([
      sweep(w.world.deps),
      ...made.slice(0, 20).map(({ id }) => w.skip(id)),
      ...made.slice(20).map(({ id }) => w.read(id)),
      sweep(w.world.deps),
    ]);
    for (const [i, { id }] of made.entries()) {
      expect((await w.read(id)).nextOccurrenceNumber).toBe(i < 20 ? 3 : 2);
      expect(w.instances(id)).toHaveLength(2);
    }
    expectConsistent();
  });

  it('changes nothing when the clock goes back and forth', async () => {
    await many(20);
    for (const shift of [0, -HOUR, MINUTE, -48 * HOUR, 2 * MINUTE]) {
      w.world.clock.set(DUE + shift);
      await tick(w.world.deps);
    }
    expect(instancesEach()).toEqual(Array.from({ length: 20 }, () => 2));
    expectConsistent();
  });

  it('leaves each series as before or after when it is cut off, and goes on the next time', async () => {
    await many(250);
    await sweep(w.world.deps);
    w.world.clock.set(DUE);
    let jobs = 0;
    const failing: Deps = {
      ...w.world.deps,
      write: (job) => {
        jobs += 1;
        if (jobs <= 130) return w.world.deps.write(job);
        if (jobs > 131) return Promise.reject(unavailable('The storage is gone'));
        return w.world.deps.write((tx) => {
          job(tx);
          throw unavailable('The storage fails in the midst of it');
        });
      },
    };
    await expect(sweep(failing)).rejects.toThrow('The storage');
    const halfway = instancesEach();
    expect(halfway.filter((n) => n === 2)).toHaveLength(130);
    expect(halfway.filter((n) => n === 1)).toHaveLength(120);
    expectConsistent();
    expect(w.world.values('select distinct state from recurring_series')).toEqual(['active']);
    await sweep(w.world.deps);
    expect(instancesEach()).toEqual(Array.from({ length: 250 }, () => 2));
    expectConsistent();
  });

  it('takes a storage that failed once for no fault of the series', async () => {
    const { id } = await w.create();
    w.world.clock.set(DUE);
    let jobs = 0;
    const failing: Deps = {
      ...w.world.deps,
      write: (job) => {
        jobs += 1;
        return jobs === 2 ? Promise.reject(unavailable('The storage is gone')) : w.world.deps.write(job);
      },
    };
    await expect(sweep(failing)).rejects.toThrow('The storage');
    expect(jobs).toBe(2);
    await sweep(w.world.deps);
    expect(await w.read(id)).toMatchObject({ state: 'active', nextOccurrenceNumber: 2 });
  });

  /** Where something happens right before the write of that number. */
  const before = (number: number, act: () => Promise<unknown>): Deps => {
    let jobs = 0;
    const write: Deps['write'] = async (job) => {
      jobs += 1;
      if (jobs === number) await act();
      return w.world.deps.write(job);
    };
    return { ...w.world.deps, write };
  };

  it('pauses none that was ended or deleted since it failed', async () => {
    const [ended, deleted] = await many(2);
    await sweep(w.world.deps);
    w.world.run(`update recurring_series set interval = '{}'`);
    w.world.clock.set(DUE);
    const end = { state: 'ended', state_reason: 'completed', next_run_at: null } as const;
    const bothFailed = before(3, () =>
      w.world.deps.write((tx) => {
        tx.run(query.updateTable('recurring_series').set(end).where('id', '=', ended?.id));
        tx.run(query.deleteFrom('recurring_series').where('id', '=', deleted?.id));
      }),
    );
    await sweep(bothFailed);
    expect(w.world.rows('select * from recurring_series')).toMatchObject([{ id: ended?.id, ...end }]);
  });

  it('reschedules none that a new rule has left without an upcoming occurrence since', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.withOldZoneData();
    await sweep(before(1, () => w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } })));
    expect(await w.read(id)).toMatchObject({ state: 'paused', stateReason: null });
  });

  it('stops when the server does', async () => {
    await many(3);
    w.world.clock.set(DUE);
    const stopping = { ...w.world.deps, stopping: AbortSignal.abort() };
    await sweep(stopping);
    expect(instancesEach()).toEqual([1, 1, 1]);
  });

  it('does not run where it is switched off, and requests still meet nothing overdue', async () => {
    const off = await openSeriesWorld({ settings: { recurrence: { sweep: false } } });
    const { id } = await off.create();
    await off.at('2026-03-28T08:00:00.000Z');
    expect(off.instances(id)).toHaveLength(1);
    expect((await off.read(id)).nextOccurrenceNumber).toBe(2);
    expect(off.instances(id)).toHaveLength(2);
  });

  it('reschedules a hundred series by new zone data, once, and passes over one that it cannot', async () => {
    const [bad, paused] = await many(2);
    await many(99);
    const ended = await w.create({ endCondition: { type: 'count', count: 1 } });
    await w.ok('POST', `${w.series}/${paused?.id}/pause`);
    await w.skip(ended.id);
    await sweep(w.world.deps);
    const stale = '2026-03-28T09:00:00.000Z';
    await w.withOldZoneData({ next_run_at: stale });
    w.world.run(`update recurring_series set interval = '{}' where id = ?`, bad?.id);
    w.world.run(`update recurring_series set next_run_at = null where state <> 'active'`);
    await sweep(w.world.deps);
    for (const row of w.world.rows<RecurringSeriesRow>('select * from recurring_series')) {
      expect([row.state, row.next_run_at]).toEqual(
        {
          [bad?.id ?? '']: ['paused', null],
          [paused?.id ?? '']: ['paused', null],
          [ended.id]: ['ended', null],
        }[row.id] ?? ['active', '2026-03-28T08:00:00.000Z'],
      );
    }
    expect(await w.world.commitsOf(() => sweep(w.world.deps))).toBe(0);
  });
});
