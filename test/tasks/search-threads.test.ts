import SqliteDatabase from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { indexTask } from '../../src/storage/searchable.ts';
import { createMatchFinder, type Search } from '../../src/storage/task-query/search-matches.ts';
import { matchTerms } from '../../src/storage/words.ts';
import { createSearches, type Searches } from '../../src/tasks/searches.ts';
import { addTasks } from '../many-tasks.ts';
import { openHome } from '../people.ts';
import type { World } from '../world.ts';

const TASKS = 300;
const PHRASE = '東京都大阪府北海';

let world: World;
let workspaceKey: number;
let path: string;

beforeAll(async () => {
  let workspace: string;
  ({ world, home: workspace } = await openHome());
  ({ path } = world.opened.storage);
  // Every third has the phrase.
  for (let n = 0; n < 3; n += 1)
    await addTasks(world, workspace, TASKS / 3, { title: n === 0 ? PHRASE : `${PHRASE.slice(0, 3)} ${n}` });
  workspaceKey = world.values<number>('select code from workspaces where id = ?', workspace)[0] ?? 0;
});
afterAll(() => world.close());

const searchFor = (q: string, more: Partial<Search> = {}): Search => ({
  workspaceKey,
  terms: matchTerms(workspaceKey, q),
  filter: undefined,
  offset: 0,
  limit: 10,
  ...more,
});

describe('a phrase in a script without spaces', () => {
  const finding = async (search: Search, millisecondsOf: () => number, rowidsAtFirst = 16) => {
    const connection = new SqliteDatabase(path, { readonly: true });
    let now = 0;
    const spy = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += millisecondsOf();
      return now;
    });
    let turns = 0;
    try {
      const turn = async () => {
        turns += 1;
      };
      const found = await createMatchFinder(connection, { turn, rowidsAtFirst })(search);
      return { found, turns };
    } finally {
      spy.mockRestore();
      connection.close();
    }
  };

  it('is sought in ranges of tasks, with a turn between, which are the shorter the longer one takes', async () => {
    const search = searchFor(PHRASE);
    const quick = await finding(search, () => 0);
    const slow = await finding(search, () => 50);
    expect(quick.found.total).toBe(TASKS / 3);
    expect(slow.turns).toBeGreaterThan(quick.turns + 3);
    expect(slow.found).toEqual(quick.found);
  });

  it('is sought in few ranges, however slow the machine is', async () => {
    const { turns } = await finding(searchFor(PHRASE), () => 1_000, TASKS / 2);
    expect(turns).toBeLessThan(TASKS / 10);
  });

  it('is found the same, whatever its ranges are', async () => {
    const search = searchFor(PHRASE);
    const { found } = await finding(search, () => 0);
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.constantFrom(0, 1, 10, 50)), async (times) => {
        const other = await finding(search, () => times.next().value ?? 0);
        expect(other.found).toEqual(found);
      }),
      { numRuns: 20 },
    );
  });
});

describe('searches on threads', () => {
  let searches: Searches;
  beforeEach(() => {
    searches = createSearches(path);
    return () => searches.stop();
  });

  it('see whatever was committed before', async () => {
    for (let seq = 900_001; seq < 900_020; seq += 1) {
      await world.deps.write((tx) =>
        indexTask(tx, seq, { workspace_code: workspaceKey, title: `fresh${seq}`, description: null }),
      );
      expect((await searches.find('ada', searchFor(`fresh${seq}`))).total).toBe(1);
    }
  });

  it('go one by one for a user, so that others need not wait for all of theirs', async () => {
    const ended: string[] = [];
    const find = (user: string) => searches.find(user, searchFor(PHRASE)).then(() => ended.push(user));
    await find('bob');
    const all = [...Array.from({ length: 40 }, () => find('ada')), find('bob')];
    await Promise.all(all);
    expect(ended.slice(1).indexOf('bob')).toBeLessThan(10);
    expect(ended).toHaveLength(42);
  });

  it('are rejected for a user who has too many waiting, and for nobody else', async () => {
    const find = (user: string) => searches.find(user, searchFor(PHRASE));
    const asked = await Promise.allSettled([...Array.from({ length: 60 }, () => find('ada')), find('bob')]);
    const rejected = asked.filter(({ status }) => status === 'rejected');
    expect(rejected).toHaveLength(9);
    expect(rejected[0]).toMatchObject({ reason: { name: 'TooManyRequestsError' } });
    expect(asked.at(-1)?.status).toBe('fulfilled');
    expect((await find('ada')).total).toBe(TASKS / 3);
  });

  it('fail by themselves: with the code that SQLite gave, and the next is served', async () => {
    const broken = searches.find('ada', searchFor('x', { terms: ['"'] }));
    await expect(broken).rejects.toMatchObject({ code: 'SQLITE_ERROR' });
    expect((await searches.find('ada', searchFor(PHRASE))).total).toBe(TASKS / 3);
  });

  it('fail where the database cannot be opened, each time', async () => {
    const elsewhere = createSearches(`${path}.missing`);
    for (let n = 0; n < 2; n += 1) await expect(elsewhere.find('ada', searchFor(PHRASE))).rejects.toThrow();
    await elsewhere.stop();
  });

  it('untilIdle when they are stopped meanwhile', async () => {
    const stopped = createSearches(path);
    const under = Promise.allSettled([1, 2, 3].map(() => stopped.find('ada', searchFor(PHRASE))));
    await stopped.stop();
    expect(await under).toHaveLength(3);
  });
});
