import { beforeEach, expect } from 'vitest';
import { query } from '../src/db/connection.ts';
import type { RecurringOccurrenceRow, RecurringSeriesRow, TaskRow } from '../src/storage/tables.ts';
import { tick } from '../src/tick.ts';
import { openHome, pathsOf, signInAgain } from './people.ts';
import type { WorldOptions } from './world.ts';

export const DAY = 86_400_000;
export const HOUR = 3_600_000;

/** Every day at nine in Paris: the series of the life-cycle checks. */
export const DAILY = { frequency: 'day', every: 1, timeOfDay: '09:00', timezone: 'Europe/Paris' };

/** A world at 2026-03-27T10:00Z with someone in it who has a workspace and a list, and short words for series. */
export async function openSeriesWorld(options: WorldOptions = {}) {
  const { world, ada: owner, home: workspaceId, inside, list } = await openHome(options);
  /** As the owner, signed in again whenever the clock took the token; or with another token. */
  const call = async (method: string, path: string, body?: unknown, token?: string) => {
    const ask = () =>
      world.call(method, path, {
        token: token ?? owner.accessToken,
        ...(body !== undefined && { body }),
      });
    const response = await ask();
    if (response.status !== 401 || token !== undefined) return response;
    await signInAgain(world, owner);
    return ask();
  };
  const series = `${inside}/recurring-tasks`;

  const create = async (more: Record<string, unknown> = {}) => {
    const response = await call('POST', series, {
      title: 'Water',
      listId: list.id,
      interval: DAILY,
      ...more,
    });
    expect(response.body.issues).toBeUndefined();
    expect(response.status).toBe(201);
    return response.body;
  };
  const ok = async (method: string, path: string, body?: unknown) => {
    const response = await call(method, path, body);
    expect(response.body?.issues ?? response.body?.message).toBeUndefined();
    expect(response.status).toBeLessThan(300);
    return response.body;
  };
  /** The instances of a series, straight from the file, by occurrence. */
  const instances = (id: string) =>
    world.rows<TaskRow>('select * from tasks where recurring_task_id = ? order by occurrence_at', id);
  const dates = (id: string) => instances(id).map(({ due_date }) => due_date);
  const decided = 'select * from recurring_occurrences where series_id = ? order by occurrence_at';
  const occurrences = (id: string) => world.rows<RecurringOccurrenceRow>(decided, id);
  const read = (id: string) => ok('GET', `${series}/${id}`);
  const task = (id: string) => ok('GET', `${inside}/tasks/${id}`);
  const done: string = list.statuses.find(({ type }: { type: string }) => type === 'completed').id;
  const complete = (taskId: string) => ok('PATCH', `${inside}/tasks/${taskId}`, { statusId: done });
  const reopen = (taskId: string) =>
    ok('PATCH', `${inside}/tasks/${taskId}`, { statusId: list.statuses[0].id });
  /** Moves the clock to an instant and lets time do its work. */
  const at = async (instant: string) => {
    world.clock.set(Date.parse(instant));
    await tick(world.deps);
  };
  return {
    world,
    owner,
    workspaceId,
    inside,
    series,
    list,
    call,
    ok,
    create,
    /** One whose first occurrence has passed, with its task and the upcoming one. */
    createBegun: async (more: Record<string, unknown> = {}) => {
      const { id, nextTaskId: first } = await create(more);
      await at('2026-03-28T12:00:00.000Z');
      return { id, first, nextTaskId: (await read(id)).nextTaskId };
    },
    /** One whose upcoming instance was opened again, when the next was made ahead. */
    createAhead: async () => {
      const { id, nextTaskId: first } = await create();
      await complete(first);
      const { nextTaskId: ahead } = await read(id);
      await reopen(first);
      for (const verb of ['pause', 'resume']) await ok('POST', `${series}/${id}/${verb}`);
      expect((await read(id)).nextTaskId).toBe(first);
      return { id, first, ahead };
    },
    /** As if zone data of another version had dated the series, and with these columns. */
    withOldZoneData: (columns: Partial<RecurringSeriesRow> = {}) =>
      world.deps.write((tx) => {
        tx.run(query.updateTable('meta').set({ value: '1999z' }).where('key', '=', 'tz_version'));
        tx.run(query.updateTable('recurring_series').set({ tz_version: '1999z', ...columns }));
      }),
    /** In the same space. */
    anotherList: (more: Record<string, unknown> = {}) =>
      ok('POST', `${inside}/lists`, { spaceId: list.spaceId, title: 'Other', ...more }),
    read,
    /** The task of its next occurrence. */
    upcoming: async (id: string) => task((await read(id)).nextTaskId),
    skip: (id: string, body?: unknown) => ok('POST', `${series}/${id}/skip`, body),
    complete,
    reopen,
    patch: (id: string, body: unknown) => ok('PATCH', `${series}/${id}`, body),
    edit: (id: string, taskId: string, mode: string, updates: unknown) =>
      ok('POST', `${series}/${id}/instances/${taskId}/edit-mode`, { mode, updates }),
    instances,
    occurrences,
    /** Month and day of each instance. */
    days: (id: string) => dates(id).map((date) => date?.slice(5, 10)),
    dates,
    numbers: (id: string) => instances(id).map(({ occurrence_number }) => occurrence_number),
    states: (id: string) => occurrences(id).map(({ state }) => state),
    /** The paths of the issues of a 400, each with a message; its error where it has none. */
    rejectedAt: async (method: string, path: string, body?: unknown) => {
      const { status, body: rejected } = await call(method, path, body);
      expect(status).toBe(400);
      if (!rejected.issues) return rejected.error;
      expect(rejected.error).toBe('ValidationError');
      for (const { message } of rejected.issues) expect(message).toMatch(/\w/);
      return pathsOf(rejected);
    },
    task,
    done,
    at,
    close: world.close,
  };
}

/** Of the test under way. */
export let w: Awaited<ReturnType<typeof openSeriesWorld>>;

/** To be called by a file of tests: each has a world of its own. */
export function useSeriesWorld(): void {
  beforeEach(openSeriesInstead);
}

export async function openSeriesInstead(): Promise<void> {
  w = await openSeriesWorld();
}

export const NEVER = { type: 'never' };
export const count = (n: number) => ({ type: 'count', count: n });
