import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HOUR, MINUTE } from '../../src/kernel/instants.ts';
import { notifyDue } from '../../src/tasks/due.ts';
import { tick } from '../../src/tick.ts';
import { ada, call as asAda, at, listId, useHome, home as workspace, world } from '../ada.ts';
import { addTasks } from '../many-tasks.ts';
import { expectIssues, signInAgain } from '../people.ts';
import { randomBelow } from '../seeded-tasks.ts';

useHome();

const call = (method: string, path: string, body?: unknown) => asAda(method, at(path), body);
const create = (fields: object) => call('POST', '/tasks', { title: 'Task', listId, ...fields });
const made = async (fields: object = {}) => (await create(fields)).body;
const patch = (id: string, fields: object) => call('PATCH', `/tasks/${id}`, fields);
const datesOf = ({ startDate, startDay, dueDate, dueDay }: Record<string, unknown>) => ({
  startDate,
  startDay,
  dueDate,
  dueDay,
});
const NONE = { startDate: null, startDay: null, dueDate: null, dueDay: null };
const INSTANT = '2026-04-01T09:00:00.000Z';

describe('a day in place of an instant', () => {
  it('is kept as it was given, and told by every read', async () => {
    const response = await create({ startDay: '2026-03-29', dueDay: '2026-12-24' });
    expect(response.status).toBe(201);
    const task = response.body;
    expect(datesOf(task)).toEqual({ ...NONE, startDay: '2026-03-29', dueDay: '2026-12-24' });
    expect((await call('GET', `/tasks/${task.id}`)).body).toEqual(task);
    for (const path of ['/tasks', '/tasks/query', '/tasks/query?groupBy=dueDate', '/tasks/search?q=task'])
      expect((await call('GET', path)).body.items).toEqual([task]);
    const { items } = (await call('GET', '/changes')).body;
    expect(items.find(({ kind }: { kind: string }) => kind === 'task').value).toEqual(task);
    const exported = await world.call('GET', '/account/export', { token: ada.accessToken });
    expect(exported.body.workspaces[0].tasks).toMatchObject([task]);
  });

  it('takes the place of the instant, and an instant that of the day', async () => {
    const { id } = await made({ dueDate: INSTANT, startDate: INSTANT });
    const asDays = (await patch(id, { dueDay: '2026-04-02', startDay: '2026-04-01' })).body;
    expect(datesOf(asDays)).toEqual({ ...NONE, dueDay: '2026-04-02', startDay: '2026-04-01' });
    const back = (await patch(id, { dueDate: INSTANT })).body;
    expect(datesOf(back)).toEqual({ ...NONE, dueDate: INSTANT, startDay: '2026-04-01' });
    const both = (await patch(id, { dueDate: null, dueDay: '2026-05-01', startDay: null })).body;
    expect(datesOf(both)).toEqual({ ...NONE, dueDay: '2026-05-01' });
    const instant = (await patch(id, { dueDate: INSTANT, dueDay: null })).body;
    expect(datesOf(instant)).toEqual({ ...NONE, dueDate: INSTANT });
    expect(datesOf((await patch(id, { dueDate: null, dueDay: null })).body)).toEqual(NONE);
  });

  it('is left alone by a null of the instant, and the instant by a null of the day', async () => {
    const days = await made({ dueDay: '2026-04-02', startDay: '2026-04-01' });
    world.clock.advance(MINUTE);
    expect((await patch(days.id, { dueDate: null, startDate: null })).body).toEqual(days);
    expect((await patch(days.id, { dueDay: '2026-04-02' })).body).toEqual(days);
    const instants = await made({ dueDate: INSTANT, startDate: INSTANT });
    world.clock.advance(MINUTE);
    expect((await patch(instants.id, { dueDay: null, startDay: null })).body).toEqual(instants);
  });

  it('is rejected beside an instant, whatever else is wrong, and where it does not exist', async () => {
    const { id } = await made({ dueDay: '2026-04-02' });
    const day = '2026-04-01';
    for (const [fields, paths] of [
      [{ dueDate: INSTANT, dueDay: day }, ['dueDay']],
      [{ startDate: INSTANT, startDay: day }, ['startDay']],
      [{ startDate: INSTANT, startDay: day, dueDate: INSTANT, dueDay: day }, ['startDay', 'dueDay']],
      [{ title: '', dueDate: INSTANT, dueDay: day }, ['title', 'dueDay']],
      [{ dueDay: '2026-02-29' }, ['dueDay']],
      [{ dueDay: '2026-13-01' }, ['dueDay']],
      [{ dueDay: '2026-4-1' }, ['dueDay']],
      [{ dueDay: INSTANT }, ['dueDay']],
      [{ dueDay: '1899-12-31', startDay: '10000-01-01' }, ['startDay', 'dueDay']],
      [{ dueDay: 20_260_401, startDay: false }, ['startDay', 'dueDay']],
      [{ dueDate: day }, ['dueDate']],
    ] as const) {
      await expectIssues(create(fields), ...paths);
      await expectIssues(patch(id, fields), ...paths);
    }
    for (const dueDay of ['1900-01-01', '2024-02-29', '9999-12-31'])
      expect((await patch(id, { dueDay })).body.dueDay).toBe(dueDay);
  });
});

describe('among other tasks', () => {
  it('counts as its first instant in the zone of the caller, or in the one asked for', async () => {
    const day = await made({ dueDay: '2026-04-02' });
    const evening = await made({ dueDate: '2026-04-01T22:00:00.000Z' });
    const midnight = await made({ dueDate: '2026-04-02T00:00:00.000Z' });
    const early = await made({ dueDate: '2026-04-02T04:00:00.000Z' });
    const sorted = async (zone: string, sortOrder = 'asc') =>
      idsOf(await ask({ sortBy: 'dueDate', sortOrder, ...(zone && { timezone: zone }) }));
    expect(await sorted('')).toEqual([evening, day, midnight, early].map(({ id }) => id));
    expect(await sorted('Asia/Tokyo')).toEqual([day, evening, midnight, early].map(({ id }) => id));
    expect(await sorted('America/New_York')).toEqual([evening, midnight, day, early].map(({ id }) => id));
    expect(await sorted('Etc/GMT+5')).toEqual([evening, midnight, early, day].map(({ id }) => id));
    expect(await sorted('Asia/Tokyo', 'desc')).toEqual([early, midnight, evening, day].map(({ id }) => id));
    const setting = { token: ada.accessToken, body: { timezone: 'America/New_York' } };
    expect((await world.call('PATCH', '/me', setting)).status).toBe(200);
    expect(await sorted('')).toEqual([evening, midnight, day, early].map(({ id }) => id));
    expect(idsOf(await ask({ dueAfter: '2026-04-02' })).sort()).toEqual([day.id, early.id].sort());
    expect(idsOf(await ask({ dueBefore: '2026-04-02' })).sort()).toEqual([evening.id, midnight.id].sort());
    const groups = async (timezone: string) =>
      (await ask({ groupBy: 'dueDate', timezone })).groups.map(
        ({ key, label, taskIds }: { key: string; label: string; taskIds: string[] }) => [
          key,
          label,
          taskIds.length,
        ],
      );
    expect(await groups('America/New_York')).toEqual([
      ['2026-04-01', '2026-04-01', 2],
      ['2026-04-02', '2026-04-02', 2],
    ]);
    expect(await groups('Asia/Tokyo')).toEqual([['2026-04-02', '2026-04-02', 4]]);
  });

  it('is not asked for in a zone that does not exist', async () => {
    for (const [asked, path] of [
      ['timezone=Europe/Nowhere', 'timezone'],
      ['timezone=', 'timezone'],
      ['timezone=%2B02:00', 'timezone'],
      ['dueAfter=2026-02-30', 'dueAfter'],
      ['dueBefore=2026-04-01T00:00:00', 'dueBefore'],
    ] as const) {
      for (const of of ['', '/query']) await expectIssues(call('GET', `/tasks${of}?${asked}`), path);
    }
  });

  it('is found on the same pages, in the same order and groups as by looking at every task', async () => {
    const { opened } = world;
    await addTasks(world, workspace, 400, {});
    const roll = randomBelow(3);
    const zones = [
      'UTC',
      'Asia/Tokyo',
      'America/New_York',
      'America/Sao_Paulo',
      'Pacific/Kiritimati',
      'Pacific/Apia',
      'Etc/GMT+12',
      'Asia/Kathmandu',
      'Europe/Paris',
    ];
    // Around changes of clocks: Paris, São Paulo (midnight is skipped), Apia (a day is skipped).
    for (const [first, span] of [
      ['2026-03-27', 4],
      ['2018-11-02', 4],
      ['2011-12-28', 5],
    ] as const) {
      const set = opened.storage.writing.prepare('update tasks set due_date = ?, priority = ? where seq = ?');
      const tasks: Due[] = [];
      const rows = world.rows<{ seq: number; id: string }>('select seq, id from tasks order by seq');
      const starts = zones.flatMap((zone) =>
        Array.from({ length: span }, (_, i) => midnight(shift(first, i), zone)),
      );
      for (const { seq, id } of rows) {
        const kind = roll(5);
        const near = starts[roll(starts.length)] ?? 0;
        const due =
          kind === 0
            ? null
            : kind <= 2
              ? shift(first, roll(span))
              : new Date(near + (kind === 3 ? 0 : (roll(48) - 24) * HOUR + roll(2))).toISOString();
        const priority = roll(3);
        set.run(due, priority, seq);
        tasks.push({ seq, id, due, priority });
      }
      await fc.assert(
        fc.asyncProperty(
          fc.record({
            timezone: fc.constantFrom(...zones),
            sortBy: fc.constantFrom('dueDate', 'dueDate', 'createdAt', 'priority'),
            sortOrder: fc.constantFrom('asc', 'desc'),
            groupBy: fc.constantFrom(undefined, 'dueDate', 'priority'),
            dueAfter: fc.constantFrom(
              undefined,
              first,
              shift(first, 1),
              new Date(starts[1] ?? 0).toISOString(),
              // In the east the day has begun by then, though its text is later.
              new Date((starts[1] ?? 0) - 90 * MINUTE).toISOString(),
            ),
            dueBefore: fc.constantFrom(
              undefined,
              shift(first, 2),
              new Date(starts.at(-2) ?? 0).toISOString(),
            ),
            priority: fc.constantFrom(undefined, 'none', 'low,medium'),
            limit: fc.constantFrom(1, 7, 20, 100),
            page: fc.nat(12),
          }),
          async ({ page, limit, ...asked }) => {
            const given = Object.fromEntries(
              Object.entries({ ...asked, limit: String(limit), page: String(page + 1) }).filter(
                (entry): entry is [string, string] => entry[1] !== undefined,
              ),
            );
            const response = await ask(given);
            const all = expected(tasks, asked);
            const shown = all.slice(page * limit, (page + 1) * limit);
            expect([response.total, idsOf(response)]).toEqual([all.length, shown.map(({ id }) => id)]);
            if (asked.groupBy !== 'dueDate') return;
            const groupOf = ({ due }: Due) => (due === null ? null : localDay(due, asked.timezone));
            expect(response.groups).toEqual(
              [...Map.groupBy(shown, groupOf)].map(([key, some]) => ({
                key,
                label: key ?? 'No due date',
                total: all.filter((task) => groupOf(task) === key).length,
                taskIds: some.map(({ id }) => id),
              })),
            );
          },
        ),
        { numRuns: 120 },
      );
    }
  });
});

describe('a due day is told', () => {
  const notices = async (person = ada) =>
    (await world.call('GET', '/me/notifications', { token: person.accessToken })).body.items.flatMap(
      ({ type, data }: { type: string; data: { taskId: string } }) =>
        type === 'task.due' ? [data.taskId] : [],
    );
  const to = async (instant: string, deps = world.deps) => {
    world.clock.advance(Date.parse(instant) - world.clock.now());
    await tick(deps);
    await signInAgain(world, ada);
  };
  const live = (timezone: string) =>
    world.call('PATCH', '/me', { token: ada.accessToken, body: { timezone } });
  const mine = (fields: object) => made({ assigneeId: ada.id, ...fields });

  it('at nine where the assignee is, once, and not before', async () => {
    await live('America/New_York');
    await tick(world.deps);
    const { id } = await mine({ dueDay: '2026-03-28' });
    await made({ dueDay: '2026-03-28' });
    const done = (await call('GET', '/lists')).body.items[0].statuses.find(
      ({ type }: { type: string }) => type === 'completed',
    );
    await mine({ dueDay: '2026-03-28', statusId: done.id });
    await mine({ dueDay: '2026-03-26' });
    for (const early of [
      '2026-03-28T00:00:00.000Z',
      '2026-03-28T09:00:00.000Z',
      '2026-03-28T12:59:59.999Z',
    ]) {
      await to(early);
      expect(await notices()).toEqual([]);
    }
    await to('2026-03-28T13:00:00.000Z');
    expect(await notices()).toEqual([id]);
    for (const zone of ['Asia/Tokyo', 'Pacific/Honolulu', 'UTC', 'America/New_York']) {
      await live(zone);
      for (let i = 0; i < 3; i += 1) {
        world.clock.advance(4 * HOUR);
        await tick(world.deps);
      }
    }
    await to('2026-03-30T13:00:00.000Z');
    expect(await notices()).toEqual([id]);
  });

  it('after a downtime too, and each new day again', async () => {
    await live('Asia/Tokyo');
    await tick(world.deps);
    const { id } = await mine({ dueDay: '2026-03-29' });
    const { id: other } = await mine({ dueDay: '2026-04-02' });
    await to('2026-04-20T10:00:00.000Z');
    expect((await notices()).sort()).toEqual([id, other].sort());
    await patch(id, { dueDay: '2026-04-22' });
    await to('2026-04-21T23:59:00.000Z');
    expect((await notices()).length).toBe(2);
    await to('2026-04-22T00:00:00.000Z');
    expect((await notices()).length).toBe(3);
    await patch(id, { dueDate: '2026-04-22T03:00:00.000Z' });
    await to('2026-04-22T03:00:00.000Z');
    expect((await notices()).length).toBe(4);
  });

  it('no more once the server stops, and when it is back', async () => {
    await tick(world.deps);
    await mine({ dueDay: '2026-03-29' });
    await mine({ dueDate: '2026-03-29T10:00:00.000Z' });
    await to('2026-03-29T12:00:00.000Z', { ...world.deps, stopping: AbortSignal.abort() });
    expect(await notices()).toEqual([]);
    await to('2026-03-29T12:01:00.000Z');
    expect((await notices()).length).toBe(2);
  });

  it('when someone goes to where it is past nine already, and once alone', async () => {
    await live('America/New_York');
    await to('2026-03-28T05:00:00.000Z');
    const { id } = await mine({ dueDay: '2026-03-28' });
    await live('Asia/Tokyo');
    expect(await notices()).toEqual([id]);
    await live('America/New_York');
    await to('2026-03-28T14:00:00.000Z');
    await to('2026-03-29T01:00:00.000Z');
    expect(await notices()).toEqual([id]);
  });

  it('when someone goes to where it is nine just now, while others are told', async () => {
    await live('America/New_York');
    await to('2026-03-27T23:59:00.000Z');
    const { id } = await mine({ dueDay: '2026-03-28' });
    world.clock.advance(MINUTE);
    const { write } = world.deps;
    world.deps.write = async (job) => {
      world.deps.write = write;
      await live('Asia/Tokyo');
      return write(job);
    };
    await notifyDue(world.deps);
    await to('2026-03-28T00:01:00.000Z');
    expect(await notices()).toEqual([id]);
  });

  it.each([
    ['very many', 250, null],
    ['those with long texts', 30, 'あ'.repeat(50_000)],
  ])('some at a time when someone goes elsewhere: %s', async (_, count, description) => {
    await live('Etc/GMT+12');
    await tick(world.deps);
    await addTasks(world, workspace, count, { assigneeId: ada.id, isOpen: true });
    world.run(`update tasks set due_date = '2026-03-27', description = ?`, description);
    const [steps, told] = [world.watchSteps(), () => world.count(`notifications where type = 'task.due'`)];
    expect((await live('Pacific/Kiritimati')).status).toBe(200);
    expect(steps[0]).toBeGreaterThan(2);
    expect(told()).toBe(count);
    await live('Etc/GMT+12');
    await live('Pacific/Kiritimati');
    expect(told()).toBe(count);
  });

  it('to each of very many', async () => {
    await tick(world.deps);
    await addTasks(world, workspace, 250, { assigneeId: ada.id });
    world.run(`update tasks set due_date = '2026-03-28'`);
    await to('2026-03-28T09:00:00.000Z');
    const open = `select tasks.id from tasks join statuses on statuses.id = status_id
      where type in ('unstarted', 'started') order by 1`;
    const told = `select json_extract(data, '$.taskId') from notifications where type = 'task.due' order by 1`;
    const all = world.values(open);
    expect(all.length).toBeGreaterThan(100);
    expect(world.values(told)).toEqual(all);
  });
});

type Due = { seq: number; id: string; due: string | null; priority: number };
type Asked = Record<'timezone' | 'sortBy' | 'sortOrder', string> &
  Record<'groupBy' | 'dueAfter' | 'dueBefore' | 'priority', string | undefined>;

const ask = async (asked: Record<string, string>) => {
  const { status, body } = await call('GET', `/tasks/query?${new URLSearchParams(asked)}`);
  expect(status).toBe(200);
  return body;
};
const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);

const shift = (day: string, days: number) => Temporal.PlainDate.from(day).add({ days }).toString();

/** Without a look at the code: a day that a zone skips ends just before the next one. */
function midnight(day: string, zone: string): number {
  const start = Temporal.PlainDate.from(day).toZonedDateTime(zone);
  return start.epochMilliseconds - (start.toPlainDate().toString() === day ? 0 : 1);
}
const instantOf = (due: string, zone: string) => (due.length === 10 ? midnight(due, zone) : Date.parse(due));

function localDay(due: string, zone: string): string {
  if (due.length === 10) return due;
  const day = Temporal.Instant.from(due).toZonedDateTimeISO(zone).toPlainDate();
  // The millisecond that a skipped day has.
  const next = day.add({ days: 1 }).toString();
  return midnight(next, zone) <= Date.parse(due) ? next : day.toString();
}

function expected(tasks: Due[], asked: Asked): Due[] {
  const { timezone: zone, sortBy, sortOrder, groupBy, dueAfter, dueBefore, priority } = asked;
  const descending = sortOrder === 'desc';
  const ranks = priority?.split(',').map((name) => ['none', 'low', 'medium'].indexOf(name));
  const at = ({ due }: Due) => (due === null ? null : instantOf(due, zone));
  const nulls = (a: unknown, b: unknown) => Number(a === null) - Number(b === null);
  const value = (task: Due) => (sortBy === 'priority' ? task.priority : sortBy === 'dueDate' ? at(task) : 0);
  const rank = (task: Due): number | null => {
    if (groupBy === 'priority') return sortBy === 'priority' && !descending ? task.priority : -task.priority;
    if (groupBy !== 'dueDate' || task.due === null) return groupBy === 'dueDate' ? null : 0;
    const day = Date.parse(localDay(task.due, zone));
    return sortBy === 'dueDate' && descending ? -day : day;
  };
  const by = (a: number | null, b: number | null) => nulls(a, b) || (a ?? 0) - (b ?? 0);
  return tasks
    .filter(
      (task) =>
        (ranks === undefined || ranks.includes(task.priority)) &&
        (dueAfter === undefined || (at(task) ?? -Infinity) >= instantOf(dueAfter, zone)) &&
        (dueBefore === undefined || (at(task) ?? Infinity) < instantOf(dueBefore, zone)),
    )
    .sort((a, b) => {
      const forward = (value(a) ?? 0) - (value(b) ?? 0) || a.seq - b.seq;
      return by(rank(a), rank(b)) || nulls(value(a), value(b)) || (descending ? -forward : forward);
    });
}
