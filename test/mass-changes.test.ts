import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { query } from '../src/db/connection.ts';
import { DAY, toInstant } from '../src/kernel/instants.ts';
import { purgeNotifications } from '../src/notifications/notifications.ts';
import { notify } from '../src/notifications/notify.ts';
import { addTasks } from './many-tasks.ts';
import { as, type Call, homeOf, joined } from './people.ts';
import { expectSound } from './soundness.ts';
import { openWorld, type Person, type World } from './world.ts';

const MANY = 1_000;
const STEPS_AT_LEAST = 3;

let world: World;
let ada: Person;
let bob: Person;
let call: Call;
let home: string;
let list: { id: string; spaceId: string; statusTemplateId: string; statuses: Record<string, unknown>[] };

beforeEach(async () => {
  world = await openWorld();
  ada = await world.signUp();
  call = as(world, ada);
  home = `/workspaces/${await homeOf(world, ada)}`;
  bob = await joined(world, ada, await homeOf(world, ada), 'member');
  list = (await call('GET', `${home}/lists`)).body.items[0];
  await addTasks(world, await homeOf(world, ada), MANY, { listId: list.id, assigneeId: bob.id });
});
afterEach(() => world.close());

const total = async (filter: string): Promise<number> =>
  (await call('GET', `${home}/tasks?limit=1&${filter}`)).body.total;

/** Asks for a total while a change is under way; answers what was found meanwhile, and how the change was answered. */
async function meanwhile(filter: string, change: Promise<{ status: number }>) {
  const found: number[] = [];
  let status: number | undefined;
  const done = change.then((answer) => {
    status = answer.status;
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
  const interval = { frequency: 'day', timeOfDay: '09:00', timezone: 'UTC' };
  const body = { title: 'Water', listId: list.id, interval, catchUp: 'all' };
  const { id } = (await call('POST', `${home}/recurring-tasks`, body)).body;
  for (let left = days; left > 0; left -= 366) {
    world.clock.advance(Math.min(left, 366) * DAY);
    ada.accessToken = (await world.call('POST', '/auth/login', { body: ada })).body.accessToken;
    expect((await call('GET', `${home}/recurring-tasks/${id}`)).status).toBe(200);
  }
  return id;
}

describe('a change of very many tasks is one commit, during which others are answered as before it', () => {
  const changes: Record<
    string,
    () => Promise<{ filter: string; change: [string, string, unknown?]; after: number }>
  > = {
    'the removal of a status': async () => {
      const [first, , ...others] = list.statuses;
      const body = { statuses: [first, ...others] };
      return {
        filter: `statusId=${first?.id}`,
        change: ['PATCH', `${home}/status-templates/${list.statusTemplateId}`, body],
        after: (await total(`statusId=${first?.id}`)) + (await total(`statusId=${list.statuses[1]?.id}`)),
      };
    },
    'another type of a status': async () => {
      const [first, second, ...others] = list.statuses;
      const body = { statuses: [first, { ...second, type: 'completed' }, ...others] };
      return {
        filter: 'completed=true',
        change: ['PATCH', `${home}/status-templates/${list.statusTemplateId}`, body],
        after: (await total('completed=true')) + (await total(`statusId=${second?.id}`)),
      };
    },
    'another status template of a list': async () => {
      const { body: template } = await call('POST', `${home}/status-templates`, { title: 'Other' });
      return {
        filter: `statusId=${template.statuses[0].id}`,
        change: ['PATCH', `${home}/lists/${list.id}`, { statusTemplateId: template.id }],
        after: await total(`statusId=${list.statuses[0]?.id}`),
      };
    },
    'another space of a list': async () => {
      const { body: space } = await call('POST', `${home}/spaces`, { title: 'Other' });
      return {
        filter: `spaceId=${space.id}`,
        change: ['PATCH', `${home}/lists/${list.id}`, { spaceId: space.id }],
        after: MANY,
      };
    },
    'the role viewer': async () => ({
      filter: 'assigneeId=none',
      change: ['PATCH', `${home}/members/${bob.id}`, { role: 'viewer' }],
      after: await total('statusType=unstarted,started'),
    }),
    'the removal of a member': async () => ({
      filter: 'assigneeId=none',
      change: ['DELETE', `${home}/members/${bob.id}`],
      after: await total('statusType=unstarted,started'),
    }),
    'another assignee of a series that nobody ticked off for long': async () => {
      const id = await longSeries(200);
      return {
        filter: `recurringTaskId=${id}&assigneeId=${bob.id}`,
        change: ['PATCH', `${home}/recurring-tasks/${id}`, { assigneeId: bob.id }],
        after: await total(`recurringTaskId=${id}`),
      };
    },
    'a split of a series of years': async () => {
      const id = await longSeries(3 * 366);
      const [, second] = (await call('GET', `${home}/recurring-tasks/${id}/instances`)).body.items;
      const body = { mode: 'following', updates: { title: 'Feed' } };
      return {
        filter: `recurringTaskId=${id}`,
        change: ['POST', `${home}/recurring-tasks/${id}/instances/${second.id}/edit-mode`, body],
        after: 1,
      };
    },
    'the deletion of a series of years': async () => {
      const id = await longSeries(3 * 366);
      return {
        filter: `recurringTaskId=${id}`,
        change: ['DELETE', `${home}/recurring-tasks/${id}`],
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
      expectSound(world);
    });
  }
});

describe('very many notifications', () => {
  const NOTICES = 1_200;
  const commitsOf = async (act: () => Promise<unknown>): Promise<number> => {
    const before = world.opened.writer.counts.commits;
    await act();
    return world.opened.writer.counts.commits - before;
  };

  it('are read, and purged, in commits of some', async () => {
    const at = toInstant(world.clock.now());
    const workspaceId = await homeOf(world, ada);
    const notice = {
      type: 'task.due',
      actorId: null,
      workspaceId,
      title: 'Due',
      body: 'B',
      data: {},
    } as const;
    await world.deps.write((tx) => notify(tx, Array(NOTICES).fill(bob.id), notice, at));
    const theirs = as(world, bob);
    expect(await commitsOf(() => theirs('POST', '/me/notifications/read-all'))).toBe(3);
    expect((await theirs('GET', '/me/notifications?unread=true')).body.total).toBe(0);
    world.clock.advance(91 * DAY);
    expect(await commitsOf(() => purgeNotifications(world.deps))).toBe(3);
    const bobs = query.selectFrom('notifications').select('id').where('user_id', '=', bob.id);
    expect(world.deps.read.all(bobs)).toEqual([]);
  });
});
