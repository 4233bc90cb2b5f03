import { beforeEach, describe, expect, it } from 'vitest';
import type { Steps } from '../../src/db/tx.ts';
import { remakeSearch } from '../../src/storage/rebuild-search.ts';
import { at, call, home, listId, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';

const MANY = 1_000;

useHome();
beforeEach(async () => {
  await addTasks(world, home, MANY, { title: 'Milk' });
});

const found = async (q: string): Promise<number> =>
  (await call('GET', at(`/tasks/search?q=${q}&limit=1`))).body.total;
const remade = () => world.deps.writeInSteps(remakeSearch);
const spoil = () =>
  world.opened.storage.writing.unsafeMode(true).exec('delete from task_search_data where id > 10');

describe('a damaged search index', () => {
  it('is rebuilt from the tasks, with the settings that it had', async () => {
    const before = world.rows('select * from task_search_config');
    spoil();
    await remade();
    expect(await found('milk')).toBe(MANY);
    expect(world.rows('select * from task_search_config')).toEqual(before);
    expectIntegrity(world);
  });

  it('is rebuilt from the comments too', async () => {
    const [task] = (await call('GET', at('/tasks?limit=1'))).body.items;
    await call('POST', at(`/tasks/${task.id}/comments`), { body: 'Oat, please' });
    spoil();
    await remade();
    expect(await found('oat')).toBe(1);
    expectIntegrity(world);
  });

  it('knows what is written afterwards, and no words that are gone', async () => {
    spoil();
    await remade();
    await call('POST', at('/tasks'), { listId, title: 'Bread' });
    expect([await found('bread'), await found('milk')]).toEqual([1, MANY]);
    await call('DELETE', at(`/lists/${listId}`));
    expect(await found('milk')).toBe(0);
    expectIntegrity(world);
  });

  it('is rebuilt in the more steps the longer the texts are', async () => {
    const stepsOf = () => {
      let steps = 0;
      return world.deps.writeInSteps(function* (tx): Steps<number> {
        for (const _ of remakeSearch(tx)) {
          steps += 1;
          yield;
        }
        return steps;
      });
    };
    const before = await stepsOf();
    for (let i = 0; i < 20; i += 1) {
      await call('POST', at('/tasks'), { listId, title: 'Long', description: 'Milk '.repeat(10_000) });
    }
    expect(await stepsOf()).toBeGreaterThanOrEqual(before + 3);
  });

  it('is searched as it was until the new one is there', async () => {
    // Has the thread of searches started, so that it returns meanwhile.
    expect(await found('milk')).toBe(MANY);
    const searches: Promise<number>[] = [];
    let isDone = false;
    const remaking = remade().finally(() => {
      isDone = true;
    });
    while (!isDone) {
      if (searches.length < 40) searches.push(found('milk'));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    const counts = await Promise.all(searches);
    await remaking;
    expect(counts.length).toBeGreaterThan(2);
    expect(new Set(counts)).toEqual(new Set([MANY]));
    expect(await found('milk')).toBe(MANY);
  });
});
