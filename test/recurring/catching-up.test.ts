import { describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { DAY } from '../../src/kernel/instants.ts';
import type { RecurringSeriesRow } from '../../src/storage/tables.ts';
import { tick } from '../../src/tick.ts';
import { count, DAILY, useSeriesWorld, w } from '../series-world.ts';
import { zoneLookups } from '../zone-lookups.ts';

useSeriesWorld();

describe('a series that cannot go on', () => {
  const MARS = { interval: JSON.stringify({ ...DAILY, timezone: 'Mars/Phobos' }) };
  const poison = (id: string, columns: Partial<RecurringSeriesRow> = MARS) =>
    w.world.deps.write((tx) =>
      tx.run(query.updateTable('recurring_series').set(columns).where('id', '=', id)),
    );

  it('is paused, and does not stop the others', async () => {
    const [before, bad, after] = [await w.create(), await w.create(), await w.create()];
    await poison(bad.id);
    await w.at('2026-03-28T08:00:00.000Z');
    expect(w.days(before.id)).toEqual(['03-28', '03-29']);
    expect(w.days(after.id)).toEqual(['03-28', '03-29']);
    const updatedAt = '2026-03-28T08:00:00.000Z';
    const stopped = { state: 'paused', stateReason: 'error', nextRunAt: null, updatedAt };
    expect(await w.read(bad.id)).toMatchObject(stopped);
    expect(w.days(bad.id)).toEqual(['03-28']);
    const told = w.world.log.filter((line) => line.includes('a series failed and was paused'));
    expect(told.map((line) => JSON.parse(line).seriesId)).toEqual([bad.id]);
    await w.at('2026-03-28T08:01:00.000Z');
    await w.patch(bad.id, { interval: DAILY });
    expect(await w.ok('POST', `${w.series}/${bad.id}/resume`)).toMatchObject({
      state: 'active',
      stateReason: null,
      nextRunAt: '2026-03-29T07:00:00.000Z',
    });
  });

  it.each([
    MARS,
    { interval: '{}' },
    { interval: 'null' },
    { interval: 'x' },
    { end_condition: 'x' },
    { anchor_date: 'x' },
    { anchor_date: '' },
  ])('whatever is wrong with it: %o', async (columns) => {
    const [bad, good] = [await w.create({ endCondition: count(9) }), await w.create()];
    await poison(bad.id, columns);
    await w.at('2026-03-28T08:00:00.000Z');
    expect(w.days(good.id)).toEqual(['03-28', '03-29']);
    const paused = `recurring_series where id = ? and state = 'paused' and state_reason = 'error'`;
    expect(w.world.count(paused, bad.id)).toBe(1);
    await w.complete(bad.nextTaskId);
  });

  it('is paused by the first who meets it, and keeps nobody from their task', async () => {
    const bad = await w.create();
    await poison(bad.id);
    await w.complete(bad.nextTaskId);
    expect(await w.read(bad.id)).toMatchObject({ state: 'paused', stateReason: 'error' });
    const other = await w.create();
    await poison(other.id);
    w.world.clock.set(Date.parse('2026-03-28T08:00:00.000Z'));
    expect(await w.rejectedAt('POST', `${w.series}/${other.id}/skip`)).toBe('BadRequestError');
  });

  it('is not what a storage that cannot is: then the task stays as it was, too', async () => {
    const { id, nextTaskId } = await w.create();
    const before = [await w.read(id), await w.task(nextTaskId)];
    w.world.opened.storage.writing.exec(
      `create trigger full before insert on recurring_occurrences begin select raise(abort, 'full'); end`,
    );
    const path = `${w.inside}/tasks/${nextTaskId}`;
    expect((await w.call('PATCH', path, { statusId: w.done })).status).toBeGreaterThanOrEqual(500);
    w.world.opened.storage.writing.exec('drop trigger full');
    expect([await w.read(id), await w.task(nextTaskId)]).toEqual(before);
  });
});

describe('catching up', () => {
  it('makes the last 366 of a long downtime at most, and records no more as missed', async () => {
    const { id } = await w.create({ catchUp: 'all' });
    const { id: none } = await w.create({ catchUp: 'none' });
    w.world.clock.advance(500 * DAY);
    await tick(w.world.deps);
    expect(w.instances(id)).toHaveLength(1 + 366 + 1);
    const { nextRunAt, nextOccurrenceNumber } = await w.read(id);
    expect([nextRunAt, nextOccurrenceNumber]).toEqual(['2027-08-10T07:00:00.000Z', 501]);
    expect(w.states(id).filter((state) => state === 'missed')).toHaveLength(499 - 366);
    expect(w.states(none).filter((state) => state === 'missed')).toHaveLength(366);
    expect(w.numbers(id).slice(1)).toEqual(Array.from({ length: 367 }, (_, n) => 135 + n));
    await tick(w.world.deps);
    expect(w.instances(id)).toHaveLength(368);
  });

  it('comes before a change of the series, and before one of all its instances', async () => {
    for (const change of [
      (id: string) => w.patch(id, { title: 'New' }),
      (id: string, task: string) => w.edit(id, task, 'all', { title: 'New' }),
    ]) {
      const { id, nextTaskId } = await w.create();
      w.world.clock.advance(2 * DAY);
      await w.ok('GET', `${w.inside}/tasks`);
      await change(id, nextTaskId);
      expect(w.instances(id).map(({ title }) => title)).toEqual(['New', 'New', 'New']);
    }
  });

  it('makes many in commits of some, the fewer the longer their text', async () => {
    const commits: number[] = [];
    for (const description of [null, 'x'.repeat(20_000)]) {
      const { id } = await w.create({ catchUp: 'all', description });
      w.world.clock.advance(100 * DAY);
      await w.ok('GET', `${w.inside}/tasks`);
      const before = w.world.opened.writer.counts.jobs;
      await w.read(id);
      commits.push(w.world.opened.writer.counts.jobs - before);
      expect(w.instances(id)).toHaveLength(101);
      await w.ok('DELETE', `${w.series}/${id}`);
    }
    const [short = 0, long = 0] = commits;
    expect([short >= 3, long >= 50]).toEqual([true, true]);
  });

  it('goes on where zone data of another version dated the first occurrence too early', async () => {
    const stale = '2026-03-28T07:00:00.000Z';
    for (const [now, number] of [
      ['2026-03-28T07:30:00.000Z', 1],
      ['2026-03-28T08:30:00.000Z', 2],
    ] as const) {
      w.world.clock.set(Date.parse('2026-03-27T10:00:00.000Z'));
      const { id } = await w.create();
      w.world.run('update recurring_series set next_run_at = ? where id = ?', stale, id);
      w.world.clock.set(Date.parse(now));
      expect(await w.read(id)).toMatchObject({ state: 'active', nextOccurrenceNumber: number });
      expect(w.days(id)).toEqual(['03-28', '03-29'].slice(0, number));
    }
  });

  it('catches up with what had ended long before the downtime was over, by its rule', async () => {
    const endCondition = { type: 'date', endDate: '2031-07-10' };
    const made: Record<string, number> = { latest: 1, all: 366, none: 0 };
    const ids: Record<string, string> = {};
    for (const catchUp of Object.keys(made)) ids[catchUp] = (await w.create({ catchUp, endCondition })).id;
    w.world.clock.set(Date.parse('2058-07-01T10:00:00.000Z'));
    expect(await zoneLookups(() => tick(w.world.deps))).toBeLessThan(15_000);
    for (const [catchUp, id] of Object.entries(ids)) {
      const [, ...caughtUp] = w.instances(id);
      expect([catchUp, caughtUp.length]).toEqual([catchUp, made[catchUp]]);
      if (caughtUp.length > 0) expect(caughtUp.at(-1)?.occurrence_at).toBe('2031-07-10T07:00:00.000Z');
      expect(await w.read(id)).toMatchObject({ state: 'ended', nextRunAt: null });
    }
  });

  it('takes a clock that jumped a century in its stride', async () => {
    const { id } = await w.create();
    w.world.clock.set(Date.parse('2126-03-27T10:00:00.000Z'));
    expect(await zoneLookups(() => tick(w.world.deps))).toBeLessThan(5_000);
    expect(w.instances(id)).toHaveLength(3);
    expect(w.states(id).filter((state) => state === 'missed')).toHaveLength(366);
    w.world.clock.set(Date.parse('2026-03-27T10:00:00.000Z'));
    await tick(w.world.deps);
    expect(w.instances(id)).toHaveLength(3);
    expect(await w.patch(id, { interval: { ...DAILY, timeOfDay: '12:00' } })).toMatchObject({
      nextRunAt: '2026-03-27T11:00:00.000Z',
    });
  });
});
