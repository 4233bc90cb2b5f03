import { beforeEach, describe, expect, it } from 'vitest';
import type { Steps, Tx } from '../../src/db/tx.ts';
import { DAY, toInstant } from '../../src/kernel/instants.ts';
import { notify } from '../../src/notifications/notify.ts';
import { changeTasks, changeTasksOfList } from '../../src/storage/many-tasks.ts';
import { purgeExpired } from '../../src/storage/purge.ts';
import { ada, call, home, inside, list, openHomeInstead, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';
import { as, joined, signInAgain } from '../people.ts';
import { DAILY } from '../series-world.ts';
import type { Person } from '../world.ts';

const MANY = 1_000;
const STEPS_AT_LEAST = 3;

let bob: Person;

beforeEach(async () => {
  // While a sync goes on beside the event loop others read what is committed.
  await openHomeInstead({ settings: { database: { sync: 'commit' } } });
  bob = await joined(world, ada, home, 'member');
  await addTasks(world, home, MANY, { listId: list.id, assigneeId: bob.id });
});

const total = async (filter: string): Promise<number> =>
  (await call('GET', `${inside}/tasks?limit=1&${filter}`)).body.total;

/** Asks for a total while a change is under way; returns what was found meanwhile, and the response to the change. */
async function meanwhile(filter: string, change: Promise<{ status: number }>) {
  const found: number[] = [];
  let status: number | undefined;
  const done = change.then((response) => {
    status = response.status;
  });
  while (status === undefined) {
    const n = await total(filter);
    if (status === undefined) found.push(n);
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
  await done;
  return { found, status };
}

/** A series whose instance of each day was made, in one sweep for each year. */
async function longSeries(days: number): Promise<string> {
  const body = { title: 'Water', listId: list.id, interval: DAILY, catchUp: 'all' };
  const { id } = (await call('POST', `${inside}/recurring-tasks`, body)).body;
  for (let left = days; left > 0; left -= 366) {
    world.clock.advance(Math.min(left, 366) * DAY);
    for (const person of [ada, bob]) await signInAgain(world, person);
    expect((await call('GET', `${inside}/recurring-tasks/${id}`)).status).toBe(200);
  }
  return id;
}

/** A transaction that tells of the rows that each of its statements reads. */
const watched = (tx: Tx, onRows: (rows: unknown[]) => void): Tx => ({
  ...tx,
  all: (asked) => {
    const rows = tx.all(asked);
    onRows(rows);
    return rows;
  },
});

const firstWorkspace = (): number => world.values<number>('select code from workspaces')[0] ?? 0;

/** How many rows each statement read by which a change of the first workspace found its tasks. */
async function readBy(change: (tx: Tx, workspaceKey: number) => Steps<void>): Promise<number[]> {
  const read: number[] = [];
  await world.deps.write((tx) => {
    const noting = watched(tx, (rows) => read.push(rows.length));
    for (const _ of change(noting, firstWorkspace()));
  });
  return read;
}

describe('a step of a mass change', () => {
  it('holds the fewer tasks the longer their texts are', async () => {
    const description = 'あ'.repeat(50_000);
    for (let i = 0; i < 24; i += 1) {
      expect(
        (await call('POST', `${inside}/tasks`, { title: 'Long', listId: list.id, description })).status,
      ).toBe(201);
    }
    const stepsOver = (isLong: boolean) =>
      world.deps.write((tx) => {
        const areSo: Parameters<typeof changeTasks>[2] = ({ eb }) => eb('title', isLong ? '=' : '<>', 'Long');
        const steps = changeTasks(tx, firstWorkspace(), areSo, { priority: 1 });
        let count = 1;
        while (!steps.next().done) count += 1;
        return count;
      });
    expect(await stepsOver(true)).toBe(3);
    expect(await stepsOver(false)).toBe(3);
    expect(await total('priority=low')).toBe(MANY + 24);
  });

  it('reads no more of a list, each task once, though many have one position', async () => {
    for (let i = 0; i < 2; i += 1) await addTasks(world, home, 200, { listId: list.id });
    const read = await readBy((tx, key) =>
      changeTasksOfList(tx, key, list.id, ({ eb }) => eb('priority', '<', 4), { priority: 4 }),
    );
    const versions = world.rows('select version, count(*) as n from tasks group by 1 order by 1');
    expect(versions).toEqual([
      { version: 1, n: 280 },
      { version: 2, n: 1_120 },
    ]);
    expect(Math.max(...read)).toBeLessThanOrEqual(500);
  });

  it('reads no more tasks than a few steps change', async () => {
    const read = await readBy((tx, key) =>
      changeTasks(tx, key, ({ eb }) => eb('title', '<>', 'Long'), { priority: 1 }),
    );
    expect(read.reduce((sum, n) => sum + n, 0)).toBeGreaterThanOrEqual(MANY);
    expect(Math.max(...read)).toBeLessThanOrEqual(500);
  });
});

it('a change of statuses that completes instances of series reads none of their long texts', async () => {
  const body = { title: 'Water', listId: list.id, interval: DAILY };
  const ids: string[] = [];
  for (let i = 0; i < 10; i += 1) {
    const { nextTaskId } = (await call('POST', `${inside}/recurring-tasks`, body)).body;
    await call('PATCH', `${inside}/tasks/${nextTaskId}`, { description: 'x'.repeat(50_000) });
    ids.push(nextTaskId);
  }
  const read: string[] = [];
  const { writeInSteps } = world.deps;
  world.deps.writeInSteps = (job, from) =>
    writeInSteps((tx) => job(watched(tx, (rows) => read.push(JSON.stringify(rows)))), from);
  const [first, ...others] = list.statuses;
  const statuses = [
    { ...first, type: 'completed' },
    ...others,
    { title: 'New', type: 'unstarted', color: '#000000' },
  ];
  const path = `${inside}/status-templates/${list.statusTemplateId}`;
  expect((await call('PATCH', path, { statuses })).status).toBe(200);
  for (const id of ids) {
    const { completedAt, recurrence } = (await call('GET', `${inside}/tasks/${id}`)).body;
    expect(completedAt).not.toBeNull();
    const { body: series } = await call('GET', `${inside}/recurring-tasks/${recurrence.recurringTaskId}`);
    expect(series.nextTaskId).not.toBe(id);
  }
  expect(read.length).toBeGreaterThan(0);
  for (const rows of read) expect(rows).not.toContain('x'.repeat(1_000));
  expectIntegrity(world);
});

describe('a change of very many tasks is one commit, during which others are served as before it', () => {
  const changes: Record<
    string,
    () => Promise<{ filter: string; change: [string, string, unknown?]; after: number }>
  > = {
    'the removal of a status': async () => {
      const [first, , ...others] = list.statuses;
      const body = { statuses: [first, ...others] };
      return {
        filter: `statusId=${first?.id}`,
        change: ['PATCH', `${inside}/status-templates/${list.statusTemplateId}`, body],
        after: (await total(`statusId=${first?.id}`)) + (await total(`statusId=${list.statuses[1]?.id}`)),
      };
    },
    'another type of a status': async () => {
      const [first, second, ...others] = list.statuses;
      const body = { statuses: [first, { ...second, type: 'completed' }, ...others] };
      return {
        filter: 'completed=true',
        change: ['PATCH', `${inside}/status-templates/${list.statusTemplateId}`, body],
        after: (await total('completed=true')) + (await total(`statusId=${second?.id}`)),
      };
    },
    'another status template of a list': async () => {
      const { body: template } = await call('POST', `${inside}/status-templates`, { title: 'Other' });
      return {
        filter: `statusId=${template.statuses[0].id}`,
        change: ['PATCH', `${inside}/lists/${list.id}`, { statusTemplateId: template.id }],
        after: await total(`statusId=${list.statuses[0]?.id}`),
      };
    },
    'another space of a list': async () => {
      const { body: space } = await call('POST', `${inside}/spaces`, { title: 'Other' });
      return {
        filter: `spaceId=${space.id}`,
        change: ['PATCH', `${inside}/lists/${list.id}`, { spaceId: space.id }],
        after: MANY,
      };
    },
    'the role viewer': async () => ({
      filter: 'assigneeId=none',
      change: ['PATCH', `${inside}/members/${bob.id}`, { role: 'viewer' }],
      after: await total('statusType=unstarted,started'),
    }),
    'the removal of a member': async () => ({
      filter: 'assigneeId=none',
      change: ['DELETE', `${inside}/members/${bob.id}`],
      after: await total('statusType=unstarted,started'),
    }),
    'another assignee of a series that nobody ticked off for long': async () => {
      const id = await longSeries(200);
      return {
        filter: `recurringTaskId=${id}&assigneeId=${bob.id}`,
        change: ['PATCH', `${inside}/recurring-tasks/${id}`, { assigneeId: bob.id }],
        after: await total(`recurringTaskId=${id}`),
      };
    },
    'a split of a series of years': async () => {
      const id = await longSeries(3 * 366);
      const [, second] = (await call('GET', `${inside}/recurring-tasks/${id}/instances`)).body.items;
      const body = { mode: 'following', updates: { title: 'Feed' } };
      return {
        filter: `recurringTaskId=${id}`,
        change: ['POST', `${inside}/recurring-tasks/${id}/instances/${second.id}/edit-mode`, body],
        after: 1,
      };
    },
    'the deletion of a series of years': async () => {
      const id = await longSeries(3 * 366);
      return {
        filter: `recurringTaskId=${id}`,
        change: ['DELETE', `${inside}/recurring-tasks/${id}`],
        after: 0,
      };
    },
  };
  for (const [what, prepare] of Object.entries(changes)) {
    it(what, async () => {
      const { filter, change, after } = await prepare();
      const before = await total(filter);
      const { found, status } = await meanwhile(filter, call(...change));
      expect(status).toBeLessThan(300);
      expect(found.length).toBeGreaterThanOrEqual(STEPS_AT_LEAST);
      expect(new Set(found)).toEqual(new Set([before]));
      expect(await total(filter)).toBe(after);
      expectIntegrity(world);
    });
  }
});

describe('mass changes', () => {
  const others = async (): Promise<string[]> => {
    const ids = [];
    for (const title of ['One', 'Other'])
      ids.push((await call('POST', `${inside}/status-templates`, { title })).body.id);
    return ids;
  };
  const beyond = async () => addTasks(world, home, 100, { listId: list.id });

  it('go one at a time for each user, others are rejected with 429; less than that is never rejected', async () => {
    await beyond();
    const [one, other] = await others();
    const patch = (body: unknown) => call('PATCH', `${inside}/lists/${list.id}`, body);
    const responses = await Promise.all([
      patch({ statusTemplateId: one }),
      patch({ statusTemplateId: other }),
      patch({ spaceId: list.spaceId }),
      call('DELETE', `${inside}/members/${bob.id}`),
      patch({ title: 'A' }),
      patch({ title: 'B', position: 1 }),
      call('PATCH', `${inside}/recurring-tasks/${await longSeries(3)}`, { title: 'Feed' }),
    ]);
    expect(responses.map(({ status }) => status)).toEqual([200, 429, 429, 204, 200, 200, 200]);
    expect(responses[1]?.headers.get('Retry-After')).toBe('1');
    expect((await patch({ statusTemplateId: other })).status).toBe(200);
    expectIntegrity(world);
  });

  it('of one user let others write after one of them at most, and be ready all the while', async () => {
    await beyond();
    const [one] = await others();
    const change = call('PATCH', `${inside}/lists/${list.id}`, { statusTemplateId: one });
    const done: string[] = [];
    const noting = (what: string) => (response: { status: number }) =>
      done.push(`${what} ${response.status}`);
    await Promise.all([
      change.then(noting('change')),
      as(world, bob)('POST', `${inside}/tasks`, { title: 'T', listId: list.id }).then(noting('task')),
      world.call('GET', '//readyz').then(noting('ready')),
    ]);
    expect(done.toSorted()).toEqual(['change 200', 'ready 200', 'task 201']);
  });

  it('of a series with long texts take several commits, others write between them, and the last of two holds', async () => {
    const id = await longSeries(100);
    const description = 'x'.repeat(50_000);
    const { commits } = world.opened.writer.counts;
    const patch = call('PATCH', `${inside}/recurring-tasks/${id}`, { description });
    const other = as(world, bob)('PATCH', `${inside}/recurring-tasks/${id}`, {
      description: 'short',
      priority: 'high',
    });
    expect([(await patch).status, (await other).status]).toEqual([200, 200]);
    expect(world.opened.writer.counts.commits - commits).toBeGreaterThan(2);
    const { body: page } = await call('GET', `${inside}/tasks?recurringTaskId=${id}&limit=100`);
    const { body: series } = await call('GET', `${inside}/recurring-tasks/${id}`);
    expect(new Set(page.items.map((task: { description: string }) => task.description))).toEqual(
      new Set([series.description]),
    );
    expectIntegrity(world);
  });

  it('of a series reach the instances that a split hands to another one meanwhile', async () => {
    const id = await longSeries(100);
    const { items } = (await call('GET', `${inside}/recurring-tasks/${id}/instances?limit=100`)).body;
    const patch = call('PATCH', `${inside}/recurring-tasks/${id}`, { description: 'x'.repeat(50_000) });
    while (!world.deps.database.isInSteps()) await new Promise<void>((resolve) => setImmediate(resolve));
    const path = `${inside}/recurring-tasks/${id}/instances/${items[90].id}/edit-mode`;
    const split = as(world, bob)('POST', path, { mode: 'following', updates: { priority: 'high' } });
    expect([(await patch).status, (await split).status]).toEqual([200, 200]);
    const lengths = 'select distinct length(description) from tasks where recurring_task_id is not null';
    expect(world.values(lengths)).toEqual([50_000]);
  });

  it('of a series go on to their end though their caller is gone meanwhile', async () => {
    const id = await longSeries(100);
    const theirs = as(world, bob)('PATCH', `${inside}/recurring-tasks/${id}`, {
      description: 'x'.repeat(50_000),
    });
    while (!world.deps.database.isInSteps()) await new Promise<void>((resolve) => setImmediate(resolve));
    const gone = call('DELETE', `${inside}/members/${bob.id}`);
    expect([(await theirs).status, (await gone).status]).toEqual([200, 204]);
    const { body } = await call('GET', `${inside}/tasks?recurringTaskId=${id}&limit=100`);
    expect(new Set(body.items.map((task: { description: string }) => task.description?.length))).toEqual(
      new Set([50_000]),
    );
  });
});

describe('very many notifications', () => {
  const NOTICES = 1_200;

  it('are read, and purged, in commits of some', async () => {
    const at = toInstant(world.clock.now());
    const about = { workspaceId: home, title: 'Due', body: 'B', data: {} };
    const notice = { type: 'task.due', actorId: null, ...about } as const;
    await world.deps.write((tx) => notify(tx, Array(NOTICES).fill(bob.id), notice, at));
    const theirs = as(world, bob);
    expect(await world.commitsOf(() => theirs('POST', '/me/notifications/read-all'))).toBe(3);
    expect((await theirs('GET', '/me/notifications?unread=true')).body.total).toBe(0);
    world.clock.advance(89 * DAY);
    await purgeExpired(world.deps);
    world.clock.advance(2 * DAY);
    const commits = await world.commitsOf(() => purgeExpired(world.deps));
    expect(commits - (await world.commitsOf(() => purgeExpired(world.deps)))).toBe(2);
    expect(world.count('notifications where user_id = ?', bob.id)).toBe(0);
  });
});
