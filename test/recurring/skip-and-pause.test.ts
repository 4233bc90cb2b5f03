import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/kernel/instants.ts';
import { count, DAILY, useSeriesWorld, w } from '../series-world.ts';

useSeriesWorld();

describe('skip', () => {
  it('skips once however often a named one is asked for at the same time', async () => {
    const { id, nextRunAt } = await w.create();
    const responses = await Promise.all(
      Array.from({ length: 50 }, () => w.skip(id, { occurrenceAt: nextRunAt })),
    );
    expect(new Set(responses.map(({ nextRunAt }) => nextRunAt))).toEqual(
      new Set(['2026-03-29T07:00:00.000Z']),
    );
    expect(responses.every(({ skipped }) => skipped.occurrenceNumber === 1)).toBe(true);
    expect(w.states(id)).toEqual(['skipped', 'generated']);
    expect(w.days(id)).toEqual(['03-29']);
  });

  it('skips one for each call without a name', async () => {
    const { id } = await w.create();
    const responses = await Promise.all(Array.from({ length: 50 }, () => w.skip(id)));
    expect(new Set(responses.map(({ skipped }) => skipped.occurrenceNumber)).size).toBe(50);
    expect(await w.read(id)).toMatchObject({ nextOccurrenceNumber: 51 });
    expect(w.numbers(id)).toEqual([51]);
  });

  it('takes a task that was edited', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await w.skip(id);
    expect((await w.call('GET', `${w.inside}/tasks/${nextTaskId}`)).status).toBe(404);
  });

  it('never meets an overdue occurrence: what has begun is not the next one', async () => {
    const { id, nextTaskId } = await w.create();
    w.world.clock.set(Date.parse('2026-03-28T08:00:30.000Z'));
    const skipped = await w.skip(id);
    expect(skipped.skipped).toEqual({ occurrenceAt: '2026-03-29T07:00:00.000Z', occurrenceNumber: 2 });
    expect(skipped.nextRunAt).toBe('2026-03-30T07:00:00.000Z');
    expect((await w.task(nextTaskId)).dueDate).toBe('2026-03-28T08:00:00.000Z');
  });

  it('rejects a series that is paused or has ended, and what is no instant', async () => {
    const { id, nextRunAt } = await w.create();
    expect(await w.rejectedAt('POST', `${w.series}/${id}/skip`, { occurrenceAt: 'soon' })).toEqual([
      'occurrenceAt',
    ]);
    await w.skip(id, { occurrenceAt: nextRunAt });
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect(await w.rejectedAt('POST', `${w.series}/${id}/skip`)).toBe('BadRequestError');
    const other = { occurrenceAt: '2026-03-29T07:00:00.000Z' };
    expect(await w.rejectedAt('POST', `${w.series}/${id}/skip`, other)).toBe('BadRequestError');
    expect((await w.skip(id, { occurrenceAt: nextRunAt })).state).toBe('paused');
  });
});

describe('pause and resume', () => {
  it('revive a series that stands far ahead, since the clock was', async () => {
    const { id } = await w.create();
    await w.at('2027-03-27T10:00:00.000Z');
    w.world.clock.set(Date.parse('2026-03-27T10:00:00.000Z'));
    expect(await w.read(id)).toMatchObject({ nextRunAt: '2027-03-28T07:00:00.000Z' });
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.ok('POST', `${w.series}/${id}/resume`);
    for (const day of ['03-28', '03-29', '03-30']) await w.at(`2026-${day}T12:00:00.000Z`);
    expect(w.days(id).slice(0, 4)).toEqual(['03-28', '03-29', '03-30', '03-31']);
  });

  it('are done once, and rejected at the end', async () => {
    const { id } = await w.create({ endCondition: count(1) });
    const paused = await w.ok('POST', `${w.series}/${id}/pause`);
    w.world.clock.advance(60_000);
    expect(await w.ok('POST', `${w.series}/${id}/pause`)).toEqual(paused);
    const resumed = await w.ok('POST', `${w.series}/${id}/resume`);
    expect(resumed).toMatchObject({ state: 'active', nextRunAt: '2026-03-28T08:00:00.000Z' });
    w.world.clock.advance(60_000);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toEqual(resumed);
    expect(w.days(id)).toEqual(['03-28']);
    await w.skip(id);
    for (const verb of ['pause', 'resume', 'skip']) {
      const { status, body } = await w.call('POST', `${w.series}/${id}/${verb}`);
      expect([status, body.error, body.message]).toEqual([400, 'BadRequestError', 'The series has ended']);
    }
  });

  it('reuse the instance that waits already', async () => {
    const { id, nextTaskId } = await w.create();
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect((await w.ok('POST', `${w.series}/${id}/resume`)).nextTaskId).toBe(nextTaskId);
  });

  it('bring back nothing that was skipped, done or deleted before its time', async () => {
    const { id, nextTaskId } = await w.create();
    await w.complete(nextTaskId);
    const { nextTaskId: third } = await w.skip(id);
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.ok('DELETE', `${w.inside}/tasks/${third}`);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      nextRunAt: '2026-03-31T07:00:00.000Z',
      nextOccurrenceNumber: 4,
    });
    expect(w.states(id)).toEqual(['generated', 'skipped', 'deleted', 'generated']);
  });

  it('pass over however much was decided ahead, and stop at the first that waits', async () => {
    const [twin, sparse] = [await w.create(), await w.create({ interval: { ...DAILY, every: 30 } })];
    const { id } = await w.create();
    for (let i = 0; i < 40; i += 1) await w.skip(id);
    for (let i = 0; i < 42; i += 1) await w.skip(twin.id);
    for (let i = 0; i < 3; i += 1) await w.skip(sparse.id);
    const ahead = await w.read(id);
    expect(ahead.nextOccurrenceNumber).toBe(41);
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      nextRunAt: ahead.nextRunAt,
      nextTaskId: ahead.nextTaskId,
      nextOccurrenceNumber: 41,
    });
    const reopened = await w.task(ahead.nextTaskId);
    await w.complete(reopened.id);
    const { nextTaskId: last } = await w.read(id);
    await w.complete(last);
    expect((await w.read(id)).nextOccurrenceNumber).toBe(43);
    await w.ok('PATCH', `${w.inside}/tasks/${reopened.id}`, { statusId: reopened.statusId });
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      nextTaskId: reopened.id,
      nextOccurrenceNumber: 41,
    });
    await w.complete(reopened.id);
    expect((await w.read(id)).nextOccurrenceNumber).toBe(43);
    expect(w.numbers(id)).toEqual([41, 42, 43]);
  });

  it('pass over what zone data of another version dated', async () => {
    const { id } = await w.create();
    for (let i = 0; i < 3; i += 1) await w.skip(id);
    const { nextTaskId } = await w.read(id);
    for (const [local, at] of [
      ['2026-03-28T09:00', '2026-03-28T07:00:00.000Z'],
      ['2026-03-29T09:00', '2026-03-29T06:00:00.000Z'],
      ['2026-03-30T09:00', '2026-03-30T06:00:00.000Z'],
    ] as const) {
      w.world.run('update recurring_occurrences set occurrence_at = ? where occurrence_local = ?', at, local);
    }
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({ nextTaskId });
  });

  it('pass over what was decided under this rule, not under the one before', async () => {
    const { id, nextTaskId: first } = await w.create({ interval: { ...DAILY, every: 30 } });
    await w.complete(first);
    const { nextTaskId: third } = await w.skip(id);
    await w.complete(third);
    await w.skip(id);
    for (const taskId of [first, third]) await w.reopen(taskId);
    for (const verb of ['pause', 'resume']) await w.ok('POST', `${w.series}/${id}/${verb}`);
    expect((await w.patch(id, { interval: DAILY })).nextTaskId).toBe(first);
    for (let i = 0; i < 3; i += 1) await w.skip(id);
    const before = await w.read(id);
    expect(before).toMatchObject({ nextRunAt: '2026-03-31T07:00:00.000Z', nextOccurrenceNumber: 4 });
    await w.ok('POST', `${w.series}/${id}/pause`);
    const version = before.version + 2;
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toEqual({ ...before, version });
  });

  it('end a series whose end came meanwhile', async () => {
    const { id } = await w.create({ endCondition: { type: 'date', endDate: '2026-03-29' } });
    await w.ok('POST', `${w.series}/${id}/pause`);
    w.world.clock.advance(5 * DAY);
    expect(await w.ok('POST', `${w.series}/${id}/resume`)).toMatchObject({
      state: 'ended',
      stateReason: 'completed',
      nextRunAt: null,
    });
  });
});

describe('beside a twin of the same rhythm, a series', () => {
  const everything = (id: string) => [
    w.world.rows('select * from recurring_series where id = ?', id),
    w.occurrences(id),
    w.instances(id),
  ];

  it('is no different for whatever the twin goes through', async () => {
    const [before, { id }, after] = [await w.create(), await w.create(), await w.create()];
    const others = [before.id, after.id];
    for (const other of others) for (let i = 0; i < 3; i += 1) await w.skip(other);
    const untouched = others.map(everything);
    await w.skip(id);
    const { nextTaskId: third } = await w.skip(id);
    expect(others.map(everything)).toEqual(untouched);
    const { recurrence } = await w.edit(id, third, 'following', { title: 'New', priority: 'high' });
    expect(others.map(everything)).toEqual(untouched);
    const rest = recurrence.recurringTaskId;
    const counted = (one: string) => w.occurrences(one).map(({ number }) => number);
    expect([counted(id), counted(rest)]).toEqual([[1, 2], [1]]);
    await w.patch(rest, { interval: { ...DAILY, timeOfDay: '15:00' }, description: 'Twice' });
    await w.ok('POST', `${w.series}/${rest}/pause`);
    await w.ok('POST', `${w.series}/${rest}/resume`);
    await w.ok('DELETE', `${w.inside}/tasks/${(await w.read(rest)).nextTaskId}`);
    await w.ok('DELETE', `${w.series}/${rest}`);
    await w.ok('DELETE', `${w.series}/${id}`);
    expect(others.map(everything)).toEqual(untouched);
  });

  it('finds its own skips, numbers and tasks, not those of the twin', async () => {
    const twin = await w.create();
    for (let i = 0; i < 5; i += 1) await w.skip(twin.id);
    const { id, nextTaskId } = await w.create();
    const second = { occurrenceAt: '2026-03-29T07:00:00.000Z' };
    expect(await w.rejectedAt('POST', `${w.series}/${id}/skip`, second)).toEqual(['occurrenceAt']);
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect((await w.ok('POST', `${w.series}/${id}/resume`)).nextTaskId).toBe(nextTaskId);
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    const changed = await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect(changed.nextOccurrenceNumber).toBe(2);
    const old = await w.create({ startsAt: '1926-01-01T00:00:00.000Z' });
    await w.edit(old.id, old.nextTaskId, 'following', { title: 'New' });
    expect(await w.read(old.id)).toMatchObject({ state: 'active', nextTaskId: old.nextTaskId });
  });
});

describe('the time of the last change', () => {
  it('is that of each verb', async () => {
    const { id } = await w.create();
    await w.skip(id);
    const timed = async (act: () => Promise<{ updatedAt: string }>) => {
      w.world.clock.advance(60_000);
      expect((await act()).updatedAt).toBe(new Date(w.world.clock.now()).toISOString());
    };
    await timed(() => w.skip(id));
    await timed(() => w.ok('POST', `${w.series}/${id}/pause`));
    await timed(() => w.ok('POST', `${w.series}/${id}/resume`));
    await timed(() => w.patch(id, { title: 'New' }));
    await timed(() => w.patch(id, { endCondition: count(9) }));
    await timed(() => w.patch(id, { interval: { ...DAILY, every: 2 } }));
    const { nextTaskId } = await w.read(id);
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await timed(() => w.edit(id, nextTaskId, 'following', { title: 'New' }));
    const { recurrence } = await w.task(nextTaskId);
    const [old, rest] = [await w.read(id), await w.read(recurrence.recurringTaskId)];
    expect([old.updatedAt, rest.updatedAt, rest.createdAt]).toEqual(
      Array.from({ length: 3 }, () => new Date(w.world.clock.now()).toISOString()),
    );
  });
});
