import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Db, statement } from '../../src/db/connection.ts';
import type { Tx } from '../../src/db/tx.ts';
import { ada, call, home, inside, listId, spaceId, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { joined } from '../people.ts';
import { DAILY } from '../series-world.ts';

const TASKS = 80;
const ITEMS = 100;
const MAX_ITEMS_IN_STEP = 1_500;

const LONG = 20;
const TEXT = Array.from({ length: 5_000 }, (_, i) => `w${((i * 7_919) % 104_729).toString(36)}`).join(' ');
/** Tasks, and as much of comments. */
const MAX_BYTES_IN_STEP = 2 * 150_000;
/** The longest description. */
const LONGEST = '水を やる '.repeat(10_000).slice(0, 50_000).trim();
const MAX_REWRITTEN_IN_STEP = 1_600_000;
/** A step adds one to the search index, and at 16 SQLite merges all at once. */
const MAX_SEGMENTS = 12;

useHome();
afterEach(() => expectIntegrity(world));

/** Watches how much the value of an expression changes in each step and each transaction. */
function watchSteps(expression: string): number[] {
  const steps: number[] = [];
  const valueIn = (db: Db) =>
    db.one(statement<{ n: number | null }>(`select ${expression} as n`, []))?.n ?? 0;
  const watched = <T>(tx: Tx, act: () => T): T => {
    const before = valueIn(tx);
    const result = act();
    steps.push(Math.abs(valueIn(tx) - before));
    return result;
  };
  const { write, writeInSteps } = world.deps;
  world.deps.write = (change, from) => write((tx) => watched(tx, () => change(tx)), from);
  world.deps.writeInSteps = (change, from) =>
    writeInSteps(function* (tx) {
      const running = change(tx);
      for (;;) {
        const next = watched(tx, () => running.next());
        if (next.done) return next.value;
        yield;
      }
    }, from);
  return steps;
}

const sumOf = (steps: number[]) => steps.reduce((sum, n) => sum + n, 0);

/** Through the trash and back, and out of it for good; or at once. */
const waysOf = (isPermanent: boolean): [method: string, path: string][] => {
  const [list, trashed] = [`${inside}/lists/${listId}`, `${inside}/trash/${listId}`];
  if (isPermanent) return [['DELETE', `${list}?permanent=true`]];
  return [
    ['DELETE', list],
    ['POST', `${trashed}/restore`],
    ['DELETE', list],
    ['DELETE', trashed],
  ];
};

async function walk(isPermanent: boolean, onEach: (way: string) => void) {
  for (const [method, path] of waysOf(isPermanent)) {
    expect([200, 204]).toContain((await call(method, path)).status);
    onEach(`${method} ${path}`);
  }
}

describe('a list whose tasks have very many items', () => {
  it('goes to the trash, comes back and is purged with few of them in each step', async () => {
    const checklist = Array.from({ length: ITEMS }, (_, i) => ({ title: `Item ${i}` }));
    const operations = Array.from({ length: TASKS }, () => ({
      ...{ op: 'create', id: crypto.randomUUID(), title: 'Many', listId, checklist },
    }));
    const { body } = await call('POST', `${inside}/tasks/batch`, { operations });
    expect(body.results.every(({ status }: { status: number }) => status === 201)).toBe(true);
    const steps = watchSteps('(select count(*) from trash_items)');
    await walk(false, (way) => {
      expect(sumOf(steps)).toBe(TASKS * ITEMS);
      expect(Math.max(...steps), way).toBeLessThanOrEqual(MAX_ITEMS_IN_STEP);
      steps.length = 0;
    });
  });
});

describe.each([false, true])('a list of long texts goes, permanently: %s,', (isPermanent) => {
  /** One with many comments. */
  let taskId: string;
  beforeEach(async () => {
    const say = (taskId: string) =>
      call('POST', `${inside}/tasks/${taskId}/comments`, { body: TEXT.slice(0, 20_000) });
    for (let i = 0; i < LONG; i += 1) {
      const made = { title: `Long ${i}`, listId, description: TEXT };
      const series = { ...made, interval: DAILY, startsAt: '2030-01-01T00:00:00Z' };
      expect((await call('POST', `${inside}/recurring-tasks`, series)).status).toBe(201);
      const task = await call('POST', `${inside}/tasks`, made);
      const isFirst = i === 0;
      if (isFirst) taskId = task.body.id;
      for (let n = 0; n < (isFirst ? LONG : 1); n += 1) expect((await say(task.body.id)).status).toBe(201);
    }
  });

  it.each([
    `(select sum(octet_length(description)) from recurring_series)`,
    `(select sum(octet_length(description)) from tasks)`,
    `(select sum(octet_length(body)) from comments)`,
    `(select sum(octet_length(content)) from trash_rows)`,
  ])('with little in each step of %s', async (bytes) => {
    const steps = watchSteps(bytes);
    await walk(isPermanent, (way) => {
      expect(Math.max(...steps), way).toBeLessThanOrEqual(MAX_BYTES_IN_STEP);
      steps.length = 0;
    });
  });

  it('and before it a task of long comments, with few in each step', async () => {
    const steps = watchSteps('(select sum(octet_length(body)) from comments)');
    expect((await call('DELETE', `${inside}/tasks/${taskId}?permanent=${isPermanent}`)).status).toBe(204);
    expect(Math.max(...steps)).toBeLessThanOrEqual(MAX_BYTES_IN_STEP);
  });

  it('and the search index is merged with each step', async () => {
    const { write } = world.deps;
    let most = 0;
    world.deps.write = async (change, from) => {
      const result = await write(change, from);
      most = Math.max(most, world.count('(select distinct segid from task_search_idx)'));
      return result;
    };
    await walk(isPermanent, () => {});
    expect(most).toBeLessThanOrEqual(MAX_SEGMENTS);
  });
});

describe.each([false, true])(
  'a list whose series has long instances in another one goes, permanently: %s,',
  (isPermanent) => {
    it('and few of those are written again in each step', async () => {
      const { body: other } = await call('POST', `${inside}/lists`, { title: 'Other', spaceId });
      const done = other.statuses.find(({ type }: { type: string }) => type === 'completed').id;
      const { body: series } = await call('POST', `${inside}/recurring-tasks`, {
        ...{
          title: 'Water',
          listId,
          description: LONGEST,
          interval: DAILY,
          startsAt: '2020-01-01T00:00:00Z',
        },
      });
      let taskId = series.nextTaskId;
      for (let i = 0; i < LONG; i += 1) {
        await call('POST', `${inside}/tasks/${taskId}/move`, { listId: other.id });
        await call('PATCH', `${inside}/tasks/${taskId}`, { statusId: done });
        taskId = (await call('GET', `${inside}/recurring-tasks/${series.id}`)).body.nextTaskId;
      }
      const isReleased = `(select sum(octet_length(description) * (recurring_task_id is null)) from tasks where list_id = '${other.id}')`;
      const steps = watchSteps(isReleased);
      const all = LONG * Buffer.byteLength(LONGEST);
      for (const [method, path] of waysOf(isPermanent).slice(0, 2)) {
        expect([200, 204]).toContain((await call(method, path)).status);
        expect(sumOf(steps), method).toBe(all);
        expect(Math.max(...steps), method).toBeLessThanOrEqual(MAX_REWRITTEN_IN_STEP);
        steps.length = 0;
      }
    });
  },
);

it('a batch over tasks of long texts has the search index written out between its steps', async () => {
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    const description = Array.from({ length: 30_000 }, (_, n) =>
      String.fromCharCode(0x4e00 + (n % 500)),
    ).join('');
    const { body } = await call('POST', `${inside}/tasks`, { title: `Long ${i}`, listId, description });
    ids.push(body.id);
  }
  const steps = watchSteps('(select sum(octet_length(block)) from task_search_data)');
  for (const given of [{ op: 'update', title: 'Again' }, { op: 'delete' }, { op: 'restore' }]) {
    const operations = ids.map((id) => ({ ...given, id }));
    const { body } = await call('POST', `${inside}/tasks/batch`, { operations });
    expect(body.results.every(({ status }: { status: number }) => status < 300)).toBe(true);
    expect(steps.length).toBeGreaterThan(ids.length);
    expect(steps, given.op).toEqual(steps.map(() => 0));
    steps.length = 0;
  }
});

it('a batch over tasks of long texts changes, deletes and restores few of them in each step', async () => {
  const ids: string[] = [];
  for (let i = 0; i < LONG; i += 1) {
    const { body } = await call('POST', `${inside}/tasks`, { title: `Long ${i}`, listId, description: TEXT });
    ids.push(body.id);
  }
  const steps = watchSteps('(select sum(version * octet_length(description)) from tasks)');
  for (const given of [{ op: 'update', title: 'Again' }, { op: 'delete' }, { op: 'restore' }]) {
    const operations = ids.map((id) => ({ ...given, id }));
    const { body } = await call('POST', `${inside}/tasks/batch`, { operations });
    expect(body.results.every(({ status }: { status: number }) => status < 300)).toBe(true);
    expect(sumOf(steps)).toBeGreaterThanOrEqual(LONG * TEXT.length);
    expect(Math.max(...steps), given.op).toBeLessThanOrEqual(MAX_BYTES_IN_STEP);
    steps.length = 0;
  }
});

it('a label, or a member, goes from long series with few of them written again in each step', async () => {
  const { body: label } = await call('POST', `${inside}/labels`, { title: 'Home' });
  const { id: assigneeId } = await joined(world, ada, home, 'member');
  const made = {
    ...{ listId, description: LONGEST, labelIds: [label.id], startsAt: '2030-01-01T00:00:00Z' },
    interval: DAILY,
  };
  for (let i = 0; i < LONG; i += 1) {
    const series = { ...made, title: `Long ${i}`, assigneeId };
    expect((await call('POST', `${inside}/recurring-tasks`, series)).status).toBe(201);
  }
  const steps = watchSteps('(select sum(version * octet_length(description)) from recurring_series)');
  for (const path of [`labels/${label.id}`, `members/${assigneeId}`]) {
    expect((await call('DELETE', `${inside}/${path}`)).status, path).toBe(204);
    expect(sumOf(steps), path).toBe(LONG * Buffer.byteLength(LONGEST));
    expect(Math.max(...steps), path).toBeLessThanOrEqual(MAX_REWRITTEN_IN_STEP);
    steps.length = 0;
  }
});
