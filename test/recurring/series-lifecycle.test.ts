import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../../src/db/connection.ts';
import { DAY } from '../../src/kernel/instants.ts';
import type { RecurringSeriesRow } from '../../src/storage/tables.ts';
import { tick } from '../../src/tick.ts';
import { beginRemoval } from '../../src/workspaces/removals.ts';
import { joined } from '../people.ts';
import { DAILY, dueDates, openSeriesWorld, type SeriesWorld } from '../series-world.ts';
import { zoneLookups } from '../zone-lookups.ts';

let w: SeriesWorld;
beforeEach(async () => {
  w = await openSeriesWorld();
});
afterEach(() => w.close());

const days = (id: string) => dueDates(w.instances(id)).map((date) => date?.slice(5, 10));
const numbers = (id: string) => w.instances(id).map(({ occurrence_number }) => occurrence_number);
const states = (id: string) => w.occurrences(id).map(({ state }) => state);
const NEVER = { type: 'never' };
const count = (n: number) => ({ type: 'count', count: n });
const rejectedAt = async (method: string, path: string, body?: unknown) => {
  const response = await w.call(method, path, body);
  expect(response.status).toBe(400);
  for (const { message } of response.body.issues ?? []) expect(message).toMatch(/\w/);
  return response.body.issues?.map(({ path }: { path: string }) => path) ?? response.body.error;
};
const newList = async (title = 'Other') =>
  (await w.call('POST', `${w.inside}/lists`, { spaceId: w.list.spaceId, title })).body;

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
    expect(states(id)).toEqual(['skipped', 'generated']);
    expect(days(id)).toEqual(['03-29']);
  });

  it('skips one for each call without a name', async () => {
    const { id } = await w.create();
    const responses = await Promise.all(Array.from({ length: 50 }, () => w.skip(id)));
    expect(new Set(responses.map(({ skipped }) => skipped.occurrenceNumber)).size).toBe(50);
    expect(await w.read(id)).toMatchObject({ nextOccurrenceNumber: 51 });
    expect(numbers(id)).toEqual([51]);
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
    expect(await rejectedAt('POST', `${w.series}/${id}/skip`, { occurrenceAt: 'soon' })).toEqual([
      'occurrenceAt',
    ]);
    await w.skip(id, { occurrenceAt: nextRunAt });
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect(await rejectedAt('POST', `${w.series}/${id}/skip`)).toBe('BadRequestError');
    const other = { occurrenceAt: '2026-03-29T07:00:00.000Z' };
    expect(await rejectedAt('POST', `${w.series}/${id}/skip`, other)).toBe('BadRequestError');
    expect((await w.skip(id, { occurrenceAt: nextRunAt })).state).toBe('paused');
  });
});

describe('reading', () => {
  it('shows every series as it is now, before the sweep came by', async () => {
    const { id } = await w.create({ endCondition: count(1) });
    const going = await w.create();
    w.world.clock.set(Date.parse('2026-03-28T08:00:00.000Z'));
    const { items } = await w.ok('GET', w.series);
    expect(items.map(({ state }: { state: string }) => state)).toEqual(['ended', 'active']);
    expect((await w.read(going.id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    expect((await w.read(id)).stateReason).toBe('completed');
    const { commits } = w.world.opened.writer.counts;
    await w.read(going.id);
    expect(w.world.opened.writer.counts.commits).toBe(commits);
  });

  it('filters by list and state, in the order of creation', async () => {
    const other = await newList();
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
    expect(await rejectedAt('GET', `${w.series}?state=asleep&listId=x&page=0`)).toEqual(
      expect.arrayContaining(['state', 'listId', 'page']),
    );
    const paged = await w.ok('GET', `${w.series}?page=2&limit=2`);
    expect([paged.total, paged.items.map(({ id }: { id: string }) => id)]).toEqual([3, [third.id]]);
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
    expect(await rejectedAt('GET', `${w.series}/${endless}/occurrences?limit=0`)).toEqual(['limit']);
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
      expect(await rejectedAt('POST', `${w.series}/preview`, { interval: DAILY, limit })).toEqual(['limit']);
    }
    const body = { interval: { ...DAILY, timezone: '+02:00' }, after: 'x' };
    expect(await rejectedAt('POST', `${w.series}/preview`, body)).toEqual(
      expect.arrayContaining(['interval.timezone', 'after']),
    );
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
    expect(days(id).slice(0, 4)).toEqual(['03-28', '03-29', '03-30', '03-31']);
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
    expect(days(id)).toEqual(['03-28']);
    await w.skip(id);
    expect(await rejectedAt('POST', `${w.series}/${id}/pause`)).toBe('BadRequestError');
    expect(await rejectedAt('POST', `${w.series}/${id}/resume`)).toBe('BadRequestError');
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
    expect(states(id)).toEqual(['generated', 'skipped', 'deleted', 'generated']);
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
    expect(numbers(id)).toEqual([41, 42, 43]);
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
      await w.world.deps.write((tx) =>
        tx.run(
          query
            .updateTable('recurring_occurrences')
            .set({ occurrence_at: at })
            .where('occurrence_local', '=', local),
        ),
      );
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

describe('an instance', () => {
  it('marks what a change of its own overrides, by edit-mode, by the task and by a move', async () => {
    const other = await newList();
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', {
      title: 'Mine',
      statusId: w.list.statuses[1].id,
      listId: other.id,
    });
    await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { priority: 'low' });
    await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, { listId: w.list.id });
    const { recurrence, listId, title } = await w.task(nextTaskId);
    expect(new Set(recurrence.overridden)).toEqual(new Set(['title', 'statusId', 'listId', 'priority']));
    expect([listId, title]).toEqual([w.list.id, 'Mine']);
    expect(await w.read(id)).toMatchObject({ title: 'Water', priority: 'none', listId: w.list.id });
  });

  it('rejects an edit that says nothing, something unknown or what one instance alone may have', async () => {
    const { id, nextTaskId } = await w.create();
    const path = `${w.series}/${id}/instances/${nextTaskId}/edit-mode`;
    const dueDate = '2026-03-29T08:00:00.000Z';
    const statusId = w.done;
    const unknown = '019d2e4c-7c1a-7b3e-9f00-3c5d1a2b4e6f';
    const title = 'New';
    for (const [body, paths] of [
      [{ mode: 'some', updates: { title } }, ['mode']],
      [{ updates: { title } }, ['mode']],
      [{ mode: 'this' }, ['updates']],
      [{ mode: 'this', updates: {} }, ['updates']],
      [{ mode: 'this', updates: { colour: 'red' } }, ['updates']],
      [{ mode: 'this', updates: [] }, ['updates']],
      [{ mode: 'all', updates: { dueDate } }, ['updates.dueDate']],
      [{ mode: 'all', updates: { dueDate: null } }, ['updates.dueDate']],
      [{ mode: 'all', updates: { dueDay: '2026-03-29' } }, ['updates.dueDay']],
      [{ mode: 'following', updates: { startDay: null } }, ['updates.startDay']],
      [{ mode: 'this', updates: { dueDate, dueDay: '2026-03-29' } }, ['updates.dueDay']],
      [{ mode: 'following', updates: { title, statusId, dueDate } }, ['updates.statusId', 'updates.dueDate']],
      [{ mode: 'x', updates: { title: '' } }, ['mode', 'updates.title']],
      [{ mode: 'this', updates: { listId: unknown } }, ['updates.listId']],
      [{ mode: 'this', updates: { statusId: unknown } }, ['updates.statusId']],
      [
        { mode: 'this', updates: { assigneeId: unknown, listId: unknown } },
        ['updates.listId', 'updates.assigneeId'],
      ],
      [
        { mode: 'all', updates: { assigneeId: unknown, listId: unknown } },
        ['updates.listId', 'updates.assigneeId'],
      ],
      [{ mode: 'following', updates: { listId: unknown } }, ['updates.listId']],
    ] as const) {
      expect([body, (await rejectedAt('POST', path, body)).toSorted()]).toEqual([
        body,
        [...paths].toSorted(),
      ]);
    }
    expect((await w.task(nextTaskId)).recurrence.overridden).toEqual([]);
    expect((await w.ok('GET', w.series)).total).toBe(1);
  });

  it('is of its own series only', async () => {
    const mine = await w.create();
    const other = await w.create();
    const { body: plain } = await w.call('POST', `${w.inside}/tasks`, { title: 'Plain', listId: w.list.id });
    expect(plain.recurrence).toBeNull();
    for (const taskId of [other.nextTaskId, plain.id, mine.id, 'x']) {
      const path = `${w.series}/${mine.id}/instances/${taskId}/edit-mode`;
      expect((await w.call('POST', path, { mode: 'this', updates: { title: 'x' } })).status).toBe(404);
    }
  });

  it('that a full disk cannot take is no fault of the request, and stays as it was', async () => {
    const { id, nextTaskId } = await w.create();
    const before = await w.task(nextTaskId);
    const { writing } = w.world.opened.storage;
    writing.pragma(`max_page_count = ${writing.pragma('page_count', { simple: true })}`);
    const path = `${w.series}/${id}/instances/${nextTaskId}/edit-mode`;
    const updates = { description: 'x'.repeat(9_000) };
    expect((await w.call('POST', path, { mode: 'this', updates })).status).toBe(503);
    writing.pragma('max_page_count = 1000000');
    expect(await w.task(nextTaskId)).toEqual(before);
  });

  it('done through edit-mode lets the series go on as any other completion', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { statusId: w.done });
    expect((await w.read(id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
  });

  it('completed by an edit of its status template lets the series go on as any other completion', async () => {
    const { id, nextTaskId } = await w.create({ endCondition: count(2) });
    const apart = await w.create();
    const [, started] = w.list.statuses;
    await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { statusId: started.id });
    const edit = (statuses: object[]) =>
      w.ok('PATCH', `${w.inside}/status-templates/${w.list.statusTemplateId}`, { statuses });
    await edit(w.list.statuses.map((one: object) => (one === started ? { ...one, type: 'completed' } : one)));
    expect(days(id)).toEqual(['03-28', '03-29']);
    expect(await w.read(id)).toMatchObject({
      nextRunAt: '2026-03-29T07:00:00.000Z',
      nextOccurrenceNumber: 2,
    });
    expect(await w.read(apart.id)).toEqual(apart);

    const next = { title: 'Next', type: 'unstarted' };
    await edit([next, ...w.list.statuses.map((one: object) => ({ ...one, type: 'completed' }))]);
    expect(await w.read(id)).toMatchObject({ state: 'ended', stateReason: 'completed' });
    expect(await w.read(apart.id)).toMatchObject({ nextRunAt: '2026-03-29T07:00:00.000Z' });
    expect(days(apart.id)).toEqual(['03-28', '03-29']);
  });

  it("completed by another template of its list does so too, and another list's does not", async () => {
    const other = await newList();
    const [here, there] = [await w.create(), await w.create({ listId: other.id })];
    const [started] = w.list.statuses.slice(1);
    for (const { nextTaskId } of [here, there]) {
      await w.ok('PATCH', `${w.inside}/tasks/${nextTaskId}`, { statusId: started.id });
    }
    const template = await w.ok('POST', `${w.inside}/status-templates`, {
      title: 'Brief',
      statuses: [
        { title: 'To Do', type: 'unstarted' },
        { title: started.title, type: 'completed' },
      ],
    });
    await w.ok('PATCH', `${w.inside}/lists/${w.list.id}`, { statusTemplateId: template.id });
    expect(days(here.id)).toEqual(['03-28', '03-29']);
    expect((await w.read(here.id)).nextRunAt).toBe('2026-03-29T07:00:00.000Z');
    const made = w.instances(here.id)[1];
    expect([made?.status_id, made?.completed_at]).toEqual([template.statuses[0].id, null]);
    expect((await w.read(there.id)).nextTaskId).toBe(there.nextTaskId);
  });

  it('reopened by an edit of its status template takes nothing back', async () => {
    const { id, nextTaskId } = await w.create();
    await w.complete(nextTaskId);
    const template = `${w.inside}/status-templates/${w.list.statusTemplateId}`;
    const statuses = w.list.statuses.map((one: { id: string }) =>
      one.id === w.done ? { ...one, type: 'started' } : one,
    );
    const before = await w.read(id);
    await w.ok('PATCH', template, { statuses: [...statuses, { title: 'Over', type: 'completed' }] });
    expect((await w.task(nextTaskId)).completedAt).toBeNull();
    expect(await w.read(id)).toEqual(before);
    expect(days(id)).toEqual(['03-28', '03-29']);
  });

  it('reopened does not come back when a later one is done', async () => {
    const { id, nextTaskId: first } = await w.create();
    await w.complete(first);
    const { nextTaskId: second } = await w.read(id);
    await w.reopen(first);
    await w.complete(second);
    expect((await w.read(id)).nextOccurrenceNumber).toBe(3);
  });

  it('completed last ends the series', async () => {
    const { id, nextTaskId } = await w.create({ endCondition: count(1) });
    await w.complete(nextTaskId);
    expect(await w.read(id)).toMatchObject({ state: 'ended', stateReason: 'completed', nextTaskId: null });
    expect(days(id)).toEqual(['03-28']);
  });

  it('completed when its time has come already makes nothing more than that time did', async () => {
    const { id, nextTaskId } = await w.create();
    w.world.clock.set(Date.parse('2026-03-28T08:00:10.000Z'));
    await w.complete(nextTaskId);
    await tick(w.world.deps);
    expect(days(id)).toEqual(['03-28', '03-29']);
  });

  it('deleted when its time has come already is an old one', async () => {
    const { id, nextTaskId } = await w.create();
    w.world.clock.set(Date.parse('2026-03-28T08:00:10.000Z'));
    await w.ok('DELETE', `${w.inside}/tasks/${nextTaskId}`);
    await tick(w.world.deps);
    expect(states(id)).toEqual(['deleted', 'generated']);
    expect(days(id)).toEqual(['03-29']);
  });
});

describe('all', () => {
  it('changes what is open, also the past, and leaves done tasks alone', async () => {
    const { id, nextTaskId: first } = await w.create();
    await w.at('2026-03-28T12:00:00.000Z');
    const { nextTaskId: second } = await w.read(id);
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
    expect(days(id)).toEqual(['03-29', '03-30', '03-31', '04-01', '04-02']);
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
    const { id, nextTaskId: first } = await w.create();
    await w.at('2026-03-28T12:00:00.000Z');
    const { nextTaskId: second } = await w.read(id);
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
    const { writeInSteps } = w.world.deps;
    const stepsOf = async (change: Record<string, unknown>) => {
      let steps = 0;
      w.world.deps.writeInSteps = (job) =>
        writeInSteps(function* (tx) {
          const work = job(tx);
          for (;;) {
            const { done, value } = work.next();
            if (done) return value;
            steps += 1;
            yield;
          }
        });
      expect(await w.patch(id, change)).toMatchObject(change);
      return steps;
    };
    const few = [await stepsOf({ priority: 'high' })];
    const many = [
      await stepsOf({ title: 'Fertilise' }),
      await stepsOf({ description: null }),
      await stepsOf({ description: 'y'.repeat(20_000) }),
    ];
    few.push(await stepsOf({ assigneeId: w.owner.id }));
    expect(few.every((steps) => steps >= 1 && steps < length / 10)).toBe(true);
    expect(many.every((steps) => steps > length / 3)).toBe(true);
    expect(await stepsOf({ catchUp: 'none' })).toBe(0);
  });

  it('leaves an instance where it was moved on its own', async () => {
    const [other, third] = [await newList('Other'), await newList('Third')];
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
    const other = await newList();
    const { id, nextTaskId } = await w.create();
    await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, { listId: other.id });
    await w.world.deps.write((tx) => beginRemoval(tx, { kind: 'list', id: w.list.id }, 1));
    expect(states(id)).toEqual([]);
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
    expect(days(rest.id)).toEqual(['03-30', '04-01', '04-03', '04-05']);
    expect(numbers(rest.id)).toEqual([1, 2, 3, 4]);
  });

  it('keeps what is overridden, and a pause', async () => {
    const { id } = await w.create();
    await w.at('2026-03-28T12:00:00.000Z');
    const { nextTaskId } = await w.read(id);
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
    const { id, nextTaskId: first } = await w.create();
    await w.complete(first);
    const { nextTaskId: second } = await w.read(id);
    await w.reopen(first);
    await w.ok('POST', `${w.series}/${id}/pause`);
    expect((await w.ok('POST', `${w.series}/${id}/resume`)).nextTaskId).toBe(first);
    const { recurrence } = await w.edit(id, second, 'following', { title: 'New' });
    expect(await w.read(recurrence.recurringTaskId)).toMatchObject({
      nextRunAt: '2026-03-29T07:00:00.000Z',
      nextTaskId: second,
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
    const { id } = await w.create();
    await w.at('2026-03-28T12:00:00.000Z');
    const { nextTaskId } = await w.read(id);
    await w.ok('POST', `${w.series}/${id}/pause`);
    const { recurrence } = await w.edit(id, nextTaskId, 'following', { title: 'New' });
    await w.patch(recurrence.recurringTaskId, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect((await w.task(nextTaskId)).dueDate).toBe('2026-03-29T13:00:00.000Z');
  });

  it('of a paused series, from an instance made ahead, stays paused and takes no part in the one before', async () => {
    const { id, nextTaskId: first } = await w.create();
    await w.complete(first);
    const { nextTaskId: second } = await w.read(id);
    await w.reopen(first);
    for (const verb of ['pause', 'resume', 'pause']) await w.ok('POST', `${w.series}/${id}/${verb}`);
    const { recurrence } = await w.edit(id, second, 'following', { title: 'New' });
    const rest = `${w.series}/${recurrence.recurringTaskId}`;
    expect(await w.ok('GET', rest)).toMatchObject({ state: 'paused', nextRunAt: null });
    const stored = query.selectFrom('recurring_series').select('next_task_id').where('state', '=', 'paused');
    expect(w.world.deps.read.all(stored)).toEqual([{ next_task_id: null }]);
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
    const stored = query
      .selectFrom('recurring_series')
      .select(['next_run_at', 'next_local', 'next_number', 'next_task_id'])
      .where('id', '=', recurrence.recurringTaskId);
    expect(w.world.deps.read.all(stored)).toEqual([
      { next_run_at: null, next_local: null, next_number: null, next_task_id: null },
    ]);
    expect(await w.ok('POST', `${w.series}/${recurrence.recurringTaskId}/resume`)).toMatchObject({
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
    expect([days(rest), numbers(rest)]).toEqual([
      ['03-30', '03-31'],
      [1, 2],
    ]);
  });

  it('after a century of numbers ends the old series by its date', async () => {
    const { id } = await w.create({ startsAt: '1926-01-01T00:00:00.000Z' });
    await w.at('2026-03-28T12:00:00.000Z');
    const { nextTaskId } = await w.read(id);
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
    await w.ok('POST', `${w.inside}/tasks/${nextTaskId}/move`, { listId: (await newList()).id });
    await goes('list', 1);
    expect([...states(ended.id), ...states(id)]).toEqual([]);
    const first = { state: 'active', nextOccurrenceNumber: 1 };
    expect(await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } })).toMatchObject(first);
    expect(await w.patch(ended.id, { endCondition: NEVER })).toMatchObject(first);
  });
});

describe('another rule', () => {
  it('keeps an edited upcoming instance as an exception, and makes another', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    const changed = await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    expect(changed).toMatchObject({ nextRunAt: '2026-03-27T14:00:00.000Z', nextOccurrenceNumber: 2 });
    expect(changed.nextTaskId).not.toBe(nextTaskId);
    expect(await w.task(nextTaskId)).toMatchObject({ title: 'Mine', dueDate: '2026-03-28T08:00:00.000Z' });
    await w.at('2026-03-28T23:00:00.000Z');
    expect(numbers(id)).toEqual([2, 1, 3, 4]);
    const { items } = await w.ok('GET', `${w.series}/${id}/instances`);
    expect(items.map((task: { id: string }) => task.id)).toEqual(w.instances(id).map(({ id }) => id));
    await w.patch(id, { listId: (await newList()).id });
    const positions = w.instances(id).map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted((a, b) => a - b));
  });

  it('keeps its numbers, so that a count is one of them', async () => {
    const { id } = await w.create({ endCondition: count(4) });
    await w.at('2026-03-28T12:00:00.000Z');
    await w.patch(id, { interval: { ...DAILY, timeOfDay: '15:00' } });
    for (const day of ['03-28', '03-29', '03-30', '03-31', '04-01']) await w.at(`2026-${day}T23:00:00.000Z`);
    expect(numbers(id)).toEqual([1, 2, 3, 4]);
    expect(days(id)).toEqual(['03-28', '03-28', '03-29', '03-30']);
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
      expect(await rejectedAt('PATCH', `${w.series}/${id}`, { title: 'New', endCondition })).toEqual([
        'endCondition',
      ]);
      const both = { endCondition, interval: { ...DAILY, every: 7 } };
      if (endCondition.type === 'count') {
        expect(await rejectedAt('PATCH', `${w.series}/${id}`, { ...both, endCondition: count(4) })).toEqual([
          'endCondition',
        ]);
      }
    }
    const startsAt = '9999-12-31T23:00:00.000Z';
    expect(await rejectedAt('PATCH', `${w.series}/${id}`, { startsAt })).toEqual(['endCondition']);
    expect(await w.read(id)).toEqual(before);
  });

  it('with a future revives a series that had ended, and its numbers go on', async () => {
    const { id } = await w.create({ endCondition: count(2) });
    await w.skip(id);
    await w.skip(id);
    expect(await rejectedAt('PATCH', `${w.series}/${id}`, { endCondition: count(1) })).toEqual([
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
    expect(await rejectedAt('PATCH', `${w.series}/${id}`, { interval: weekly })).toEqual(['endCondition']);
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
    expect(await rejectedAt('PATCH', `${w.series}/${id}`, { endCondition: count(2) })).toEqual([
      'endCondition',
    ]);
    expect(await w.patch(id, { endCondition: NEVER })).toMatchObject({
      nextRunAt: '2026-04-07T07:00:00.000Z',
      nextOccurrenceNumber: 11,
    });
    expect(days(id)).toEqual(['04-07']);
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
    expect(days(id)).toEqual(['03-27']);
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
    expect(numbers(id)).toEqual([2]);
  });

  it('of a paused series lets an edited instance go, whose date new zone data then leave alone', async () => {
    const { id, nextTaskId } = await w.create();
    await w.edit(id, nextTaskId, 'this', { title: 'Mine' });
    await w.ok('POST', `${w.series}/${id}/pause`);
    await w.patch(id, { interval: { ...DAILY, timezone: 'America/New_York' } });
    const before = await w.task(nextTaskId);
    await w.world.deps.write((tx) => {
      tx.run(query.updateTable('meta').set({ value: '1999z' }).where('key', '=', 'tz_version'));
      tx.run(query.updateTable('recurring_series').set({ tz_version: '1999z' }));
    });
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
    expect(days(id)).toEqual(['03-28']);
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
    const { id, nextTaskId: first } = await w.create();
    await w.complete(first);
    const { nextTaskId: ahead } = await w.read(id);
    await w.reopen(first);
    for (const verb of ['pause', 'resume']) await w.ok('POST', `${w.series}/${id}/${verb}`);
    await w.patch(id, { interval: { ...DAILY, every: 2 } });
    await w.at('2026-03-28T12:00:00.000Z');
    const before = await w.read(id);
    expect(before.nextRunAt).toBe('2026-03-30T07:00:00.000Z');
    await w.ok('DELETE', `${w.inside}/tasks/${ahead}`);
    expect(await w.read(id)).toEqual(before);
    expect(states(id)).toEqual(['generated', 'deleted', 'generated']);
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
      expect(await rejectedAt('PATCH', `${w.series}/${id}`, { [field]: null })).toEqual(
        expect.arrayContaining([expect.stringMatching(`^${field}`)]),
      );
    }
    expect(await w.patch(id, { description: null, assigneeId: null })).toMatchObject({ description: null });
  });
});

describe('beside a twin of the same rhythm, a series', () => {
  const everything = (id: string) => [
    w.world.deps.read.all(query.selectFrom('recurring_series').selectAll().where('id', '=', id)),
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
    expect(await rejectedAt('POST', `${w.series}/${id}/skip`, second)).toEqual(['occurrenceAt']);
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

describe('people', () => {
  it('who only look may read and preview', async () => {
    const viewer = await joined(w.world, w.owner, w.workspaceId, 'viewer');
    const stranger = await w.world.signUp();
    const { id, nextTaskId } = await w.create();
    const body = { title: 'x', listId: w.list.id, interval: DAILY };
    const edit = { mode: 'this', updates: { title: 'x' } };
    for (const [method, path, given, mayView] of [
      ['GET', '', undefined, 200],
      ['POST', '', body, 403],
      ['POST', '/preview', { interval: DAILY }, 200],
      ['GET', `/${id}`, undefined, 200],
      ['PATCH', `/${id}`, { title: 'x' }, 403],
      ['GET', `/${id}/instances`, undefined, 200],
      ['GET', `/${id}/occurrences`, undefined, 200],
      ['POST', `/${id}/skip`, undefined, 403],
      ['POST', `/${id}/pause`, undefined, 403],
      ['POST', `/${id}/resume`, undefined, 403],
      ['POST', `/${id}/instances/${nextTaskId}/edit-mode`, edit, 403],
      ['DELETE', `/${id}`, undefined, 403],
    ] as const) {
      expect([path, (await w.call(method, w.series + path, given, viewer.accessToken)).status]).toEqual([
        path,
        mayView,
      ]);
      expect((await w.call(method, w.series + path, given, stranger.accessToken)).status).toBe(403);
      expect((await w.call(method, w.series + path, given, 'x')).status).toBe(401);
    }
    const elsewhere = (await w.world.call('GET', '/me/workspaces', { token: stranger.accessToken })).body
      .items[0].id;
    const theirs = `/workspaces/${elsewhere}/recurring-tasks/${id}`;
    for (const [method, path, given] of [
      ['GET', '', undefined],
      ['PATCH', '', { title: 'x' }],
      ['DELETE', '', undefined],
      ['GET', '/instances', undefined],
      ['GET', '/occurrences', undefined],
      ['POST', '/skip', undefined],
      ['POST', '/pause', undefined],
      ['POST', '/resume', undefined],
      ['POST', `/instances/${nextTaskId}/edit-mode`, edit],
    ] as const) {
      expect((await w.call(method, theirs + path, given, stranger.accessToken)).status).toBe(404);
    }
    expect(days(id)).toEqual(['03-28']);
  });

  it('who become viewers or leave are unassigned from the series and its open instances, and it goes on', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const { id, nextTaskId } = await w.create({ assigneeId: helper.id });
    const done = await w.skip(id);
    await w.complete(done.nextTaskId);
    await w.ok('PATCH', `${w.inside}/members/${helper.id}`, { role: 'viewer' });
    expect(nextTaskId).not.toBe(done.nextTaskId);
    expect(await w.read(id)).toMatchObject({ assigneeId: null, state: 'active' });
    expect(w.instances(id).map(({ assignee_id }) => assignee_id)).toEqual([helper.id, null]);
  });

  it('who became viewers are no assignees of a series, also by an instance that they completed', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const { id, nextTaskId } = await w.create({ assigneeId: helper.id });
    await w.complete(nextTaskId);
    await w.ok('PATCH', `${w.inside}/members/${helper.id}`, { role: 'viewer' });
    expect((await w.task(nextTaskId)).assigneeId).toBe(helper.id);
    const path = `${w.series}/${id}/instances/${nextTaskId}/edit-mode`;
    for (const mode of ['following', 'all']) {
      const rejected = await rejectedAt('POST', path, {
        mode,
        updates: { title: ' ', assigneeId: helper.id },
      });
      expect(rejected.toSorted()).toEqual(['updates.assigneeId', 'updates.title']);
    }
  });

  it.each([
    ['removed', 403],
    ['signed out', 401],
  ])('who were %s while a series was brought to now for them see nothing of it', async (how, rejection) => {
    const { id } = await w.create();
    const helper = await joined(w.world, w.owner, w.workspaceId, 'viewer');
    for (const path of ['', `/${id}`, `/${id}/instances`, `/${id}/occurrences`]) {
      w.world.clock.advance(DAY);
      const { body: session } = await w.world.call('POST', '/auth/login', { body: helper });
      await w.ok('GET', `${w.inside}/tasks`);
      if (how === 'removed' && path !== '') {
        await w.ok('POST', `${w.inside}/invitations`, { email: helper.email, role: 'viewer' });
        const { token } = await w.world.mailTo(helper.email);
        await w.call('POST', '/invitations/accept', { token }, session.accessToken);
      }
      const { write } = w.world.deps;
      w.world.deps.write = async (settling) => {
        w.world.deps.write = write;
        const value = await write(settling);
        const ending =
          how === 'removed'
            ? w.call('DELETE', `${w.inside}/members/${helper.id}`)
            : w.call('POST', '/auth/logout', { refreshToken: session.refreshToken }, session.accessToken);
        expect((await ending).status).toBe(204);
        return value;
      };
      const reading = w.call('GET', w.series + path, undefined, session.accessToken);
      expect((await reading).status).toBe(rejection);
    }
  });

  it('are told of a task that a series gives them, but not of their own', async () => {
    const helper = await joined(w.world, w.owner, w.workspaceId, 'member');
    const told = async (token: string) => {
      const { body } = await w.call('GET', '/me/notifications', undefined, token);
      return body.items.filter(({ type }: { type: string }) => type === 'task.assigned');
    };
    const { id, nextTaskId } = await w.create({ assigneeId: helper.id });
    const [notice] = await told(helper.accessToken);
    expect(notice).toMatchObject({ body: 'Water', data: { taskId: nextTaskId, workspaceId: w.workspaceId } });
    await w.call('PATCH', `${w.inside}/tasks/${nextTaskId}`, { statusId: w.done }, helper.accessToken);
    expect(await told(helper.accessToken)).toHaveLength(1);
    await w.skip(id);
    expect(await told(helper.accessToken)).toHaveLength(2);
    await w.patch(id, { assigneeId: w.owner.id });
    await w.skip(id);
    expect(await told(w.owner.accessToken)).toEqual([]);
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
    expect(days(before.id)).toEqual(['03-28', '03-29']);
    expect(days(after.id)).toEqual(['03-28', '03-29']);
    const updatedAt = '2026-03-28T08:00:00.000Z';
    const stopped = { state: 'paused', stateReason: 'error', nextRunAt: null, updatedAt };
    expect(await w.read(bad.id)).toMatchObject(stopped);
    expect(days(bad.id)).toEqual(['03-28']);
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
    expect(days(good.id)).toEqual(['03-28', '03-29']);
    const row = w.world.deps.read.one(
      query.selectFrom('recurring_series').selectAll().where('id', '=', bad.id),
    );
    expect([row?.state, row?.state_reason]).toEqual(['paused', 'error']);
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
    expect(await rejectedAt('POST', `${w.series}/${other.id}/skip`)).toBe('BadRequestError');
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
    expect(states(id).filter((state) => state === 'missed')).toHaveLength(499 - 366);
    expect(states(none).filter((state) => state === 'missed')).toHaveLength(366);
    expect(numbers(id).slice(1)).toEqual(Array.from({ length: 367 }, (_, n) => 135 + n));
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
    const stale = { next_run_at: '2026-03-28T07:00:00.000Z' };
    for (const [now, number] of [
      ['2026-03-28T07:30:00.000Z', 1],
      ['2026-03-28T08:30:00.000Z', 2],
    ] as const) {
      w.world.clock.set(Date.parse('2026-03-27T10:00:00.000Z'));
      const { id } = await w.create();
      await w.world.deps.write((tx) =>
        tx.run(query.updateTable('recurring_series').set(stale).where('id', '=', id)),
      );
      w.world.clock.set(Date.parse(now));
      expect(await w.read(id)).toMatchObject({ state: 'active', nextOccurrenceNumber: number });
      expect(days(id)).toEqual(['03-28', '03-29'].slice(0, number));
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
    expect(states(id).filter((state) => state === 'missed')).toHaveLength(366);
    w.world.clock.set(Date.parse('2026-03-27T10:00:00.000Z'));
    await tick(w.world.deps);
    expect(w.instances(id)).toHaveLength(3);
    expect(await w.patch(id, { interval: { ...DAILY, timeOfDay: '12:00' } })).toMatchObject({
      nextRunAt: '2026-03-27T11:00:00.000Z',
    });
  });
});
