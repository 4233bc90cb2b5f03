import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { logOf } from '../../src/db/checkpoints.ts';
import { statement } from '../../src/db/connection.ts';
import type { Tx } from '../../src/db/tx.ts';
import { newId } from '../../src/kernel/ids.ts';
import { indexTask, reindexTask } from '../../src/storage/searchable.ts';
import { matchTerms } from '../../src/storage/words.ts';
import { addTasks } from '../many-tasks.ts';
import { as, type Call, homeOf, joined, openHome } from '../people.ts';
import { openWorld, type Person, START, type World } from '../world.ts';

let world: World;
let ada: Person;
let call: Call;
let workspace: string;
let list: { id: string; spaceId: string; statuses: { id: string }[] };

beforeAll(async () => {
  ({ world, ada, call } = await openHome());
});
afterAll(() => world.close());

/** A workspace of its own, with a task for each of these, the oldest first. */
async function withTasks(...tasks: (string | { title: string; [field: string]: unknown })[]): Promise<void> {
  workspace = (await call('POST', '/workspaces', { title: 'Search' })).body.id;
  list = (await call('GET', `/workspaces/${workspace}/lists`)).body.items[0];
  for (const task of tasks) await create(typeof task === 'string' ? { title: task } : task);
}

async function create(task: object): Promise<string> {
  const { status, body } = await call('POST', `/workspaces/${workspace}/tasks`, { listId: list.id, ...task });
  expect(status).toBe(201);
  world.clock.advance(1);
  return body.id;
}

const search = (q: string, more: Record<string, string> = {}) =>
  call('GET', `/workspaces/${workspace}/tasks/search?${new URLSearchParams({ q, ...more })}`);

async function titles(q: string, more: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await search(q, more);
  expect(status).toBe(200);
  return body.items.map(({ title }: { title: string }) => title);
}

describe('a search of many words', () => {
  const LETTERS = [...'bcdfghjklm'];
  beforeEach(() => withTasks(...LETTERS.map((letter) => `${letter} ${LETTERS.join('x ')}`)));

  it('has none of its statements run where requests are served', async () => {
    const spy = vi.spyOn(world.opened.storage.reading, 'prepare');
    expect((await search(`${LETTERS.join(' ')} nothing`)).body.total).toBe(0);
    const { calls } = spy.mock;
    spy.mockRestore();
    expect(calls.filter(([sql]) => sql.includes('task_search'))).toEqual([]);
  });

  it('goes on for whom is demoted meanwhile, and may still read', async () => {
    const bob = await joined(world, ada, workspace, 'admin');
    const demoting = call('PATCH', `/workspaces/${workspace}/members/${bob.id}`, { role: 'viewer' });
    const path = `/workspaces/${workspace}/tasks/search?q=${LETTERS.join('+')}`;
    const searching = as(world, bob)('GET', path);
    expect([(await demoting).status, (await searching).status]).toEqual([200, 200]);
  });

  it('shows nothing to whom is removed meanwhile', async () => {
    const bob = await joined(world, ada, workspace, 'viewer');
    const path = `/workspaces/${workspace}/tasks/search?q=${LETTERS.join('+')}`;
    expect((await as(world, bob)('GET', path)).status).toBe(200);
    const { searches } = world.deps;
    world.deps.searches = {
      ...searches,
      find: async (...asked) => {
        const found = await searches.find(...asked);
        const removing = await call('DELETE', `/workspaces/${workspace}/members/${bob.id}`);
        expect(removing.status).toBe(204);
        return found;
      },
    };
    const searching = await as(world, bob)('GET', path);
    world.deps.searches = searches;
    expect(searching.status).toBe(403);
  });
});

describe('a search', () => {
  it('finds tasks in which every word begins a word of title or description', async () => {
    await withTasks(
      { title: 'Buy milk', description: 'at the corner shop' },
      { title: 'Buy bread' },
      { title: 'Milkshake', description: 'buy the powder' },
    );
    expect(await titles('buy')).toHaveLength(3);
    expect(await titles('milk')).toEqual(['Milkshake', 'Buy milk']);
    expect(await titles('mi bu')).toEqual(['Buy milk', 'Milkshake']);
    expect(await titles('buy corner')).toEqual(['Buy milk']);
    expect(await titles('ilk')).toEqual([]);
    expect(await titles('milk bread')).toEqual([]);
  });

  it('ignores case and accents, of the question and of the task', async () => {
    await withTasks('Crème BRÛLÉE', 'Straße nach Łódź');
    for (const q of ['creme brulee', 'CRÈME', 'Brûl', 'cre\u0300me'])
      expect(await titles(q)).toEqual(['Crème BRÛLÉE']);
    for (const q of ['strasse', 'STRASSE', 'lodz', 'łódź'])
      expect(await titles(q)).toEqual(['Straße nach Łódź']);
  });

  it('finds any part of a text whose script has no spaces', async () => {
    await withTasks('東京都庁で会議', 'ประชุมทีมพรุ่งนี้', 'カタカナのタスク', '回议 🎉party');
    for (const q of ['東京', '京都', '都', '会議', '庁で会'])
      expect(await titles(q)).toEqual(['東京都庁で会議']);
    for (const q of ['ประชุม', 'ทีม', 'พรุ่งนี้']) expect(await titles(q)).toEqual(['ประชุมทีมพรุ่งนี้']);
    for (const q of ['タスク', 'カナ', 'ｶﾀｶﾅ']) expect(await titles(q)).toEqual(['カタカナのタスク']);
    for (const q of ['🎉', 'party 🎉', '议']) expect(await titles(q)).toEqual(['回议 🎉party']);
    expect(await titles('京東')).toEqual([]);
    const long = Array.from({ length: 60 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('');
    await withTasks(`序${long}尾`);
    expect(await titles(long)).toHaveLength(1);
    expect(await titles(long.replace('\u4e1e', '東'))).toEqual([]);
    expect(await titles('議会')).toEqual([]);
  });

  it('finds a task once where there are comments too', async () => {
    await withTasks('東京都庁で会議');
    const id = await create({ title: 'Talk' });
    await call('POST', `/workspaces/${workspace}/tasks/${id}/comments`, { body: 'Noted' });
    expect((await search('東京')).body).toMatchObject({ items: [{ title: '東京都庁で会議' }], total: 1 });
  });

  it('puts titles before descriptions, and the newest first within', async () => {
    await withTasks(
      { title: 'one', description: 'report' },
      { title: 'Report two' },
      { title: 'three', description: 'a report' },
      { title: 'Report four' },
      { title: 'Annual', description: 'report' },
    );
    const all = ['Report four', 'Report two', 'Annual', 'three', 'one'];
    expect(await titles('report')).toEqual(all);
    for (const limit of [1, 2, 3]) {
      const paged: string[] = [];
      for (let page = 1; page <= Math.ceil(5 / limit); page += 1) {
        paged.push(...(await titles('report', { page: String(page), limit: String(limit) })));
      }
      expect(paged).toEqual(all);
    }
    expect((await search('report', { page: '9' })).body).toMatchObject({ items: [], page: 9, total: 5 });
  });

  it('sees a task as it is: changed, moved, deleted', async () => {
    await withTasks();
    const id = await create({ title: 'First', description: 'inside' });
    await call('PATCH', `/workspaces/${workspace}/tasks/${id}`, { title: 'Second' });
    expect([await titles('first'), await titles('second'), await titles('inside')]).toEqual([
      [],
      ['Second'],
      ['Second'],
    ]);
    await call('PATCH', `/workspaces/${workspace}/tasks/${id}`, { description: null });
    expect(await titles('inside')).toEqual([]);
    await call('DELETE', `/workspaces/${workspace}/tasks/${id}`);
    expect((await search('second')).body).toMatchObject({ items: [], total: 0 });
  });

  it('filters by list, status and assignee', async () => {
    await withTasks('Milk one', 'Milk two');
    const other = (
      await call('POST', `/workspaces/${workspace}/lists`, { spaceId: list.spaceId, title: 'Other' })
    ).body;
    await create({ title: 'Milk three', listId: other.id, assigneeId: ada.id });
    await create({ title: 'Milk four', statusId: list.statuses[1]?.id });
    expect(await titles('milk', { listId: other.id })).toEqual(['Milk three']);
    expect(await titles('milk', { listId: `${other.id},${list.id}` })).toHaveLength(4);
    expect(await titles('milk', { statusId: list.statuses[1]?.id ?? '' })).toEqual(['Milk four']);
    expect(await titles('milk', { assigneeId: 'me' })).toEqual(['Milk three']);
    expect(await titles('milk', { assigneeId: 'none', listId: list.id })).toHaveLength(3);
    expect(await titles('milk', { assigneeId: 'me,none' })).toHaveLength(4);
    expect((await search('milk', { listId: newId(START) })).body).toMatchObject({ items: [], total: 0 });
    expect((await search('milk', { listId: 'x' })).body.issues).toMatchObject([{ path: 'listId' }]);
  });

  it('wants 1 to 200 characters after trimming', async () => {
    await withTasks('x'.repeat(200));
    expect(await titles(` ${'x'.repeat(200)} `)).toHaveLength(1);
    for (const q of ['', '   ', 'x'.repeat(201), '🐚'.repeat(101)]) {
      const { status, body } = await search(q);
      expect(status).toBe(400);
      expect(body.issues).toMatchObject([{ path: 'q' }]);
    }
    expect((await call('GET', `/workspaces/${workspace}/tasks/search`)).body.issues).toMatchObject([
      { path: 'q' },
    ]);
  });
});

describe('nothing in a search is an operator', () => {
  it.each([
    'milk OR secret',
    'milk AND NOT secret',
    'NOT milk',
    'milk NEAR secret',
    'NEAR(milk secret, 5)',
    'title : milk',
    'title:secret',
    '{title description} : milk',
    '- title : milk',
    '^ milk NOT',
    'milk + secret',
    '"milk" OR "secret"',
    'rowid:1',
    'task_search',
    "milk' OR '1'='1",
    'milk%',
    'm_lk',
    'm*k',
    '1_milk',
    '2_secret',
  ])('%s', async (q) => {
    await withTasks('milk', 'secret');
    // No task has all of these words; signs are no words.
    const words = q.toLowerCase().match(/[a-z0-9]+/g) ?? [];
    const expected = ['secret', 'milk'].filter((title) => words.every((word) => title.startsWith(word)));
    expect(await titles(q)).toEqual(expected);
  });

  it.each([
    '"',
    '""',
    "don't",
    '*',
    '^',
    '(',
    ')',
    '()',
    ':',
    '-x',
    'a-b',
    '{',
    'AND',
    'OR',
    'NOT',
    'NEAR',
    '\\',
    ';--',
  ])('and %s is harmless', async (q) => {
    expect((await search(q)).status).toBe(200);
  });

  it('a hundred parentheses, words or quotes are harmless', async () => {
    for (const part of ['(', ')', '"', 'a ', '東', 'a OR ', '* ']) {
      expect((await search(part.repeat(200).slice(0, 199).concat('x'))).status).toBe(200);
    }
  });

  it('whatever is asked, there is a response: what is found holds the words', async () => {
    const samples = ['Buy milk', 'Crème brûlée', '東京都庁', 'don’t panic', 'a_b-c', '🎉 party', 'ไทย'];
    await withTasks(...samples);
    const anything = fc.oneof(
      fc.string({ minLength: 1, maxLength: 200 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }),
      fc.string({
        unit: fc.constantFrom('"', '*', '(', ')', ' ', 'OR', ':', '-', '^', 'a', 'é', '東', '\u0301', '_'),
      }),
    );
    await fc.assert(
      fc.asyncProperty(anything, async (q) => {
        const { status, body } = await search(q);
        expect(status).toBe(q.trim() === '' || q.includes('\0') || q.trim().length > 200 ? 400 : 200);
        if (status === 200) expect(body.total).toBe(body.items.length);
      }),
      { numRuns: 300 },
    );
    for (const title of samples) expect(await titles(title)).toEqual([title]);
  });
});

describe('workspaces', () => {
  it("never see each other's tasks: neither items, nor totals, nor order", async () => {
    await withTasks('shared word one', { title: 'two', description: 'shared' });
    const before = (await search('shared')).body;
    const eve = await world.signUp();
    const elsewhere = await homeOf(world, eve);
    const asEve = as(world, eve);
    const theirs = (await asEve('GET', `/workspaces/${elsewhere}/lists`)).body.items[0];
    for (let i = 0; i < 30; i += 1) {
      await asEve('POST', `/workspaces/${elsewhere}/tasks`, {
        title: `shared word shared ${i}`,
        listId: theirs.id,
      });
    }
    expect((await search('shared')).body).toEqual(before);
    const found = (await asEve('GET', `/workspaces/${elsewhere}/tasks/search?q=shared&limit=100`)).body;
    expect(found.total).toBe(30);
    expect(new Set(found.items.map((task: { workspaceId: string }) => task.workspaceId))).toEqual(
      new Set([elsewhere]),
    );
    expect((await asEve('GET', `/workspaces/${workspace}/tasks/search?q=shared`)).status).toBe(403);
  });
});

describe('the search index', () => {
  it.each([
    { texts: 'short', tasks: 3_000, words: 20, together: 8, most: 120 },
    { texts: 'long', tasks: 150, words: 8_000, together: 1, most: 600 },
  ])('is merged a little with each commit that adds $texts texts', async (given) => {
    const { storage } = world.opened;
    const word = (n: number) => `${n.toString(36)}${((n * 7_919) % 104_729).toString(36)}`;
    const first = given.words * 1_000_000;
    let most = 0;
    for (let seq = first; seq < first + given.tasks; seq += given.together) {
      storage.writing.pragma('wal_checkpoint(truncate)');
      await world.deps.write((tx) => {
        for (let i = seq; i < seq + given.together; i += 1) {
          const description = Array.from({ length: given.words }, (_, n) => word((i % 10_000) * 20 + n));
          indexTask(tx, i, { workspace_code: 99, title: word(i), description: description.join(' ') });
        }
      });
      most = Math.max(most, logOf(storage.writing).pages);
    }
    expect(world.count('(select distinct segid from task_search_idx)')).toBeLessThan(20);
    expect(most).toBeLessThan(given.most);
  });

  it.each([false, true])(
    'is merged a little with each step of a deletion, permanent: %s',
    async (permanent) => {
      const { world: own, call, home, inside, listId } = await openHome();
      await addTasks(own, home, 768);
      expect((await call('DELETE', `${inside}/lists/${listId}?permanent=${permanent}`)).status).toBe(204);
      // A step writes one, and at 16 SQLite merges all at once.
      expect(own.count('(select distinct segid from task_search_idx)')).toBeLessThan(8);
      await own.close();
    },
  );

  it.each(['edited tasks', 'edited comments', 'deleted comments', 'deleted tasks'])(
    'does not keep the words of %s, which a later commit would have to merge all at once',
    async (what) => {
      const { world: own, call, inside: path, listId } = await openHome();
      const text = (n: number) => Array.from({ length: 1_000 }, (_, i) => `w${n}x${i}`).join(' ');
      const size = () => Number(own.values('select sum(length(block)) from task_search_data')[0]);
      const write = async (...args: Parameters<Call>) => {
        const { status, body } = await call(...args);
        expect(status).toBeLessThan(300);
        return body;
      };
      const isOfComments = what.endsWith('comments');
      const things = [];
      const task = await write('POST', `${path}/tasks`, { listId, title: 'Talk' });
      const tasks = `${path}/tasks`;
      const comments = `${tasks}/${task.id}/comments`;
      for (let n = 0; n < 40; n += 1) {
        things.push(
          isOfComments
            ? `${comments}/${(await write('POST', comments, { body: text(n) })).id}`
            : `${tasks}/${(await write('POST', tasks, { listId, title: 'Long', description: text(n) })).id}`,
        );
      }
      const full = size();
      for (const thing of things) {
        if (what === 'deleted tasks') await write('DELETE', `${thing}?permanent=true`);
        else if (what === 'deleted comments') await write('DELETE', thing);
        else await write('PATCH', thing, isOfComments ? { body: 'short' } : { description: null });
      }
      expect(size()).toBeLessThan(0.9 * full);
      await own.close();
    },
  );

  it.each(['edited', 'deleted'])(
    'stays whole and complete when a word that thousands of tasks had is %s away',
    async (how) => {
      const own = await openWorld();
      const of = (title: string) => ({ workspace_code: 77, title, description: null });
      /** What merges would mend by chance. */
      const unmerged = (tx: Tx): Tx => ({ ...tx, beforeCommit: () => {} });
      const matching = 'select rowid from task_search where task_search match ? order by rowid';
      const found = (q: string) => own.values(matching, matchTerms(77, q).join(' AND '));
      const away = (tx: Tx, seq: number) =>
        how === 'edited'
          ? reindexTask(unmerged(tx), { ...of('ww'), seq })
          : tx.run(statement('delete from task_search where rowid = ?', [seq]));
      const last = 6_000;
      await own.deps.write((tx) => {
        for (let seq = 1; seq <= last; seq += 1) indexTask(unmerged(tx), seq, of('zz'));
        for (const [i, title] of ['kk', 'kk aa', 'kk'].entries())
          indexTask(unmerged(tx), last + 1 + i, of(title));
      });
      await own.deps.write((tx) => {
        for (let seq = 1; seq <= last; seq += 1) away(tx, seq);
      });
      expect([found('kk aa'), found('kk'), found('zz')]).toEqual([
        [last + 2],
        [last + 1, last + 2, last + 3],
        [],
      ]);
      await own.deps.write((tx) => {
        away(tx, last + 2);
      });
      expect([found('kk'), found('aa')]).toEqual([[last + 1, last + 3], []]);
      expect(found('ww')).toHaveLength(how === 'edited' ? last + 1 : 0);
      expect(own.opened.storage.writing.pragma('integrity_check', { simple: true })).toBe('ok');
      await own.close();
    },
  );
});
