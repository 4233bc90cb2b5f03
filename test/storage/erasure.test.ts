import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { statement } from '../../src/db/connection.ts';
import type { Deps } from '../../src/deps.ts';
import { eraseDeletedContent } from '../../src/storage/erasure.ts';
import { finishRemovals } from '../../src/workspaces/removals.ts';
import { call, home, useHome, world } from '../ada.ts';
import { expectIntegrity } from '../integrity.ts';
import { addTasks } from '../many-tasks.ts';

useHome();
afterEach(() => expectIntegrity(world));

/** A list with so many tasks of that title. */
async function listOf(title: string, tasks = 1): Promise<string> {
  const { spaceId } = (await call('GET', `/workspaces/${home}/lists`)).body.items[0];
  const { id } = (await call('POST', `/workspaces/${home}/lists`, { title: 'L', spaceId })).body;
  await addTasks(world, home, tasks, { title, listId: id });
  return id;
}
const removeList = async (id: string) =>
  expect((await call('DELETE', `/workspaces/${home}/lists/${id}?permanent=true`)).status).toBe(204);
const inAMinute = () => finishRemovals(world.deps);
/** An erasure in which something happens between the last merge of the search index and what is noted then. */
function eraseBut(meanwhile: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const { database } = world.deps;
  const runOnThread: typeof database.runOnThread = async (sql) => {
    const changes = await database.runOnThread(sql);
    if (changes === 1 && !isOver) {
      isOver = true;
      await meanwhile();
    }
    return changes;
  };
  return eraseDeletedContent({ ...world.deps, database: { ...database, runOnThread } });
}
/** The state of the search index: it is another after each merge. */
const searchIndex = () =>
  world.deps.read.one(statement<{ ids: string }>('select group_concat(id) as ids from task_search_data', []))
    ?.ids;
/** As they lie on the disk, the log too. */
const inFiles = (word: string): boolean =>
  ['errand.db', 'errand.db-wal'].some((name) => {
    const path = join(world.folder, name);
    return existsSync(path) && readFileSync(path, 'latin1').includes(word);
  });

it('an erasure ends, whatever is put into the search index beside it', async () => {
  await listOf('Stays', 300);
  const removed = await listOf('Zebra');
  let merges = 0;
  const { database } = world.deps;
  const runOnThread: typeof database.runOnThread = (sql) => {
    merges += 1;
    expect(merges).toBeLessThan(100);
    void addTasks(world, home, 1, { title: `Beside ${merges}` });
    return database.runOnThread(sql);
  };
  await removeList(removed);
  await eraseDeletedContent({ ...world.deps, database: { ...database, runOnThread } });
  expect(merges).toBeGreaterThan(1);
  expect(inFiles('zebra')).toBe(false);
});

describe('an erasure merges the search index', () => {
  const seen: boolean[] = [];
  /** With a note of whether each transaction beside it left the search index as it was. */
  async function erase(database = world.deps.database): Promise<void> {
    seen.length = 0;
    const write: Deps['write'] = (change, from) =>
      world.deps.write((tx) => {
        const stateOf = () =>
          tx.one(statement<{ n: number }>('select sum(id) as n from task_search_data', []));
        const before = stateOf()?.n;
        const result = change(tx);
        seen.push(stateOf()?.n === before);
        return result;
      }, from);
    await eraseDeletedContent({ ...world.deps, write, database });
  }
  beforeEach(async () => {
    await listOf('Stays', 300);
    await removeList(await listOf('Zebra', 20));
  });

  it('on a thread, as nobody knows how much of it goes at once', async () => {
    await erase();
    expect(seen).toEqual(seen.map(() => true));
    expect(inFiles('zebra')).toBe(false);
  });

  it('by itself where there is none', async () => {
    await erase({ ...world.deps.database, runOnThread: async () => undefined });
    expect(seen).toContain(false);
    expect(inFiles('zebra')).toBe(false);
  });
});

it('a list of very many tasks leaves only some of them to be erased at once from the search index', async () => {
  const tasks = 8_064;
  const id = await listOf('Zebra', tasks);
  const pages = () =>
    world.deps.read.one(statement<{ n: number }>('select count(*) as n from task_search_data', []))?.n ?? 0;
  expect(pages()).toBeGreaterThan(80);
  expect((await call('DELETE', `/workspaces/${home}/lists/${id}`)).status).toBe(204);
  expect(pages()).toBeLessThan(20);
});

it('a list that goes into the trash leaves the search index within a minute', async () => {
  const id = await listOf('Zebra', 3);
  await inAMinute();
  expect((await call('DELETE', `/workspaces/${home}/lists/${id}`)).status).toBe(204);
  const before = searchIndex();
  await inAMinute();
  expect(searchIndex()).not.toBe(before);
});

it('an empty list leaves nothing to be erased', async () => {
  const kept = await listOf('Stays', 300);
  await inAMinute();
  const before = searchIndex();
  await removeList(await listOf('None', 0));
  await inAMinute();
  expect(searchIndex()).toBe(before);
  await addTasks(world, home, 1, { listId: kept });
  const grown = searchIndex();
  await removeList(await listOf('None', 0));
  await inAMinute();
  expect(searchIndex()).toBe(grown);
});

describe('what is deleted is gone from the files in a minute', () => {
  it('when an erasure came to its end meanwhile', async () => {
    await listOf('Stays', 300);
    const [first, second] = [await listOf('Zebra'), await listOf('Quagga')];
    await eraseDeletedContent(world.deps);
    await removeList(first);
    await eraseBut(() => removeList(second));
    await inAMinute();
    expect([inFiles('zebra'), inFiles('quagga')]).toEqual([false, false]);
  });

  it('when two erasures came to their end meanwhile', async () => {
    await listOf('Stays', 300);
    const [first, second] = [await listOf('Zebra'), await listOf('Quagga')];
    await eraseDeletedContent(world.deps);
    await removeList(first);
    await eraseBut(async () => {
      await eraseDeletedContent(world.deps);
      await removeList(second);
    });
    await inAMinute();
    expect([inFiles('zebra'), inFiles('quagga')]).toEqual([false, false]);
  });

  it('when it is deleted from the trash', async () => {
    const id = await listOf('Zebra');
    expect((await call('DELETE', `/workspaces/${home}/lists/${id}`)).status).toBe(204);
    await inAMinute();
    expect(inFiles('Zebra')).toBe(true);
    expect((await call('DELETE', `/workspaces/${home}/trash/${id}`)).status).toBe(204);
    await inAMinute();
    expect(inFiles('Zebra')).toBe(false);
  });

  it('when the search index had been empty once', async () => {
    const all = await listOf('Zebra', 300);
    await eraseDeletedContent(world.deps);
    await removeList(all);
    await inAMinute();
    await listOf('Stays');
    await removeList(await listOf('Quagga'));
    await inAMinute();
    expect([inFiles('zebra'), inFiles('quagga'), inFiles('stays')]).toEqual([false, false, true]);
  });
});
