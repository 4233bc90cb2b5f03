import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Db, statement } from '../../src/db/connection.ts';
import type { Tx } from '../../src/db/tx.ts';
import { expectSound } from '../integrity.ts';
import { as, homeOf } from '../people.ts';
import { openWorld, type World } from '../world.ts';

const TASKS = 80;
const ITEMS = 100;
const MAX_ITEMS_IN_STEP = 1_500;

let world: World;
let call: ReturnType<typeof as>;
let list: string;
beforeEach(async () => {
  world = await openWorld();
  const ada = await world.signUp();
  call = as(world, ada);
  const home = `/workspaces/${await homeOf(world, ada)}`;
  const [{ id }] = (await call('GET', `${home}/lists`)).body.items;
  list = `${home}/lists/${id}`;
  const checklist = Array.from({ length: ITEMS }, (_, i) => ({ title: `Item ${i}` }));
  const operations = Array.from({ length: TASKS }, () => ({
    ...{ op: 'create', id: crypto.randomUUID(), title: 'Many', listId: id, checklist },
  }));
  const { body } = await call('POST', `${home}/tasks/batch`, { operations });
  expect(body.results.every(({ status }: { status: number }) => status === 201)).toBe(true);
});
afterEach(async () => {
  expectSound(world);
  await world.close();
});

/** Watches how many items each step and each transaction takes from a table, or adds to it. */
function watchItems(table: 'task_items' | 'trash_items'): { steps: number[] } {
  const steps: number[] = [];
  const count = (db: Db) =>
    db.one(statement<{ n: number }>(`select count(*) as n from ${table}`, []))?.n ?? 0;
  const watched = <T>(tx: Tx, act: () => T): T => {
    const before = count(tx);
    const result = act();
    steps.push(Math.abs(count(tx) - before));
    return result;
  };
  const { write, writeInSteps } = world.deps;
  world.deps.write = (job, from) => write((tx) => watched(tx, () => job(tx)), from);
  world.deps.writeInSteps = (job, from) =>
    writeInSteps(function* (tx) {
      const running = job(tx);
      for (;;) {
        const next = watched(tx, () => running.next());
        if (next.done) return next.value;
        yield;
      }
    }, from);
  return { steps };
}

describe('a list whose tasks have very many items', () => {
  it('goes to the trash, comes back and is purged with few of them in each step', async () => {
    const trashed = list.replace('/lists/', '/trash/');
    const { steps } = watchItems('trash_items');
    for (const [method, path] of [
      ['DELETE', list],
      ['POST', `${trashed}/restore`],
      ['DELETE', list],
      ['DELETE', trashed],
    ] as const) {
      steps.length = 0;
      expect([200, 204]).toContain((await call(method, path)).status);
      expect(steps.reduce((sum, items) => sum + items, 0)).toBe(TASKS * ITEMS);
      expect(Math.max(...steps), `${method} ${path}`).toBeLessThanOrEqual(MAX_ITEMS_IN_STEP);
    }
  });
});
