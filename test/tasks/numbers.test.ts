import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { type Migrations, migrate } from '../../src/db/migrate.ts';
import { openStorage } from '../../src/db/open.ts';
import { ada, call, useHome, world } from '../ada.ts';
import { ROWS_OF_SCHEMA } from '../filled-schema.ts';
import { newFolder } from '../new-folder.ts';
import { as, expectIssues, joined } from '../people.ts';

let workspace: string;
let list: string;
useHome();
beforeEach(async () => {
  [workspace, list] = await newWorkspace('Household');
});

async function newWorkspace(title: string): Promise<[string, string]> {
  const { id } = (await call('POST', '/workspaces', { title })).body;
  return [id, (await call('GET', `/workspaces/${id}/lists`)).body.items[0].id];
}

const at = (path: string, of = workspace) => `/workspaces/${of}${path}`;
const create = async (title: string, listId = list, of = workspace) =>
  (await call('POST', at('/tasks', of), { title, listId })).body;
const byNumber = (number: string, of = workspace) => call('GET', at(`/tasks/by-number/${number}`, of));
const found = async (q: string) => (await call('GET', at(`/tasks/search?q=${encodeURIComponent(q)}`))).body;
const titles = async (q: string) => (await found(q)).items.map(({ title }: { title: string }) => title);

describe('the number of a task', () => {
  it('counts up in its workspace', async () => {
    const [other, otherList] = await newWorkspace('Other');
    expect((await create('One')).number).toBe(1);
    expect((await create('One there', otherList, other)).number).toBe(1);
    expect((await create('Two')).number).toBe(2);
  });

  it('is distinct for tasks that are made at once', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, (_, i) => create(`Task ${i}`)));
    expect(made.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 1),
    );
  });

  it('is never given twice, whichever task is deleted', async () => {
    const [, second, third] = [await create('One'), await create('Two'), await create('Three')];
    await call('DELETE', at(`/tasks/${third.id}`));
    await call('DELETE', at(`/tasks/${second.id}`));
    expect((await create('Four')).number).toBe(4);
    const { id } = (await call('POST', at('/lists'), { title: 'New', spaceId: await spaceId() })).body;
    for (let i = 5; i < 30; i += 1) await create(`Task ${i}`, id);
    expect((await call('DELETE', at(`/lists/${id}`))).status).toBe(204);
    expect((await create('Thirty')).number).toBe(30);
  });

  it('stays when the task is moved or changed', async () => {
    const task = await create('One');
    const { id } = (await call('POST', at('/lists'), { title: 'New', spaceId: await spaceId() })).body;
    const moved = await call('POST', at(`/tasks/${task.id}/move`), { listId: id });
    expect(moved.body.number).toBe(1);
    expect((await call('PATCH', at(`/tasks/${task.id}`), { title: 'New', number: 9 })).body.number).toBe(1);
  });

  it('finds the task by its path', async () => {
    await create('One');
    const two = await create('Two');
    const { status, body } = await byNumber('2');
    expect(status).toBe(200);
    expect(body).toEqual(two);
  });

  it('finds nothing where it is written otherwise, unknown or of another workspace', async () => {
    await create('One');
    const [other] = await newWorkspace('Other');
    const wrong = [
      '0',
      '01',
      '1e0',
      '+1',
      '-1',
      '1.0',
      '%201',
      '9007199254740993',
      '99999999999999999999',
      '٣',
      'x',
    ];
    for (const number of [...wrong, '2']) expect((await byNumber(number)).status).toBe(404);
    expect((await byNumber('1', other)).status).toBe(404);
  });

  const spaceId = async () => (await call('GET', at('/spaces'))).body.items[0].id;
});

describe('a search for a number', () => {
  it('finds the task of that number first, with the key of the workspace or without', async () => {
    await create('Milk');
    await create('Bread');
    await create('Butter 2');
    await call('PATCH', at(''), { key: 'HOME' });
    for (const q of ['2', 'HOME-2', 'home-2', ' HOME-2 ']) {
      expect((await found(q)).items[0].title).toBe('Bread');
    }
    expect(await titles('2')).toEqual(['Bread', 'Butter 2']);
    expect(await found('HOME-2')).toMatchObject({ total: 1 });
    expect(await titles('OTHER-2')).toEqual([]);
    expect(await titles('02')).toEqual([]);
  });

  it('shows a task once that is found by its words too, and counts it once', async () => {
    await create('The 1');
    await create('Another 1');
    const page = async (n: number) => (await call('GET', at(`/tasks/search?q=1&limit=1&page=${n}`))).body;
    expect((await page(1)).items[0].title).toBe('The 1');
    expect((await page(2)).items[0].title).toBe('Another 1');
    expect((await page(3)).items).toEqual([]);
    expect((await page(1)).total).toBe(2);
  });

  it('passes over a task that a filter leaves out', async () => {
    await create('Milk');
    expect((await call('GET', at(`/tasks/search?q=1&assigneeId=me`))).body.total).toBe(0);
    expect((await call('GET', at(`/tasks/search?q=1&assigneeId=none`))).body.total).toBe(1);
  });
});

describe('the key of a workspace', () => {
  const keyOf = async (title: string) => (await call('POST', '/workspaces', { title })).body.key;

  it('is made of the initials of its first title, or of the first letters of a single word', async () => {
    expect(await keyOf('Household')).toBe('HOU');
    expect(await keyOf("Ada's workspace")).toBe('AW');
    expect(await keyOf('Édition à la française')).toBe('EALF');
    expect(await keyOf('One two three four five six seven')).toBe('OTTFFS');
    for (const title of ['X', '家', '🥛', '12 34', 'ß']) expect(await keyOf(title)).toMatch(/^[A-Z]{2,6}$/);
  });

  it('stays when the title changes, and admins change it', async () => {
    expect((await call('PATCH', at(''), { title: 'Garden' })).body.key).toBe('HOU');
    const bob = await joined(world, ada, workspace, 'admin');
    expect((await as(world, bob)('PATCH', at(''), { key: 'HOME' })).body).toMatchObject({
      title: 'Garden',
      key: 'HOME',
    });
    const cy = await joined(world, ada, workspace, 'member');
    expect((await as(world, cy)('PATCH', at(''), { key: 'MINE' })).status).toBe(403);
  });

  it('is two to six letters from A to Z', async () => {
    for (const key of ['A', 'ABCDEFG', 'home', 'H1', 'ÄB', '', 12, null]) {
      await expectIssues(call('PATCH', at(''), { key }), 'key');
    }
  });

  it('may be that of another workspace', async () => {
    const [other] = await newWorkspace('Household');
    expect((await call('GET', `/workspaces/${other}`)).body.key).toBe('HOU');
  });
});

describe('workspaces and tasks from before there were numbers', () => {
  it('are given keys and numbers in the order in which the tasks were made', async () => {
    const storage = openStorage({ path: join(newFolder('numbers'), 'errand.db'), create: true });
    onTestFinished(() => storage.close());
    const names = Object.keys(migrations).sort();
    const before = names.slice(0, names.indexOf('0014_numbers'));
    const earlier = Object.fromEntries(before.map((name) => [name, migrations[name]])) as Migrations;
    await migrate(storage, earlier);
    for (const name of before) storage.writing.exec(ROWS_OF_SCHEMA[name] ?? '');
    const columns = storage.writing
      .prepare<[], string>("select name from pragma_table_info('tasks') where name not in ('seq', 'id')")
      .pluck()
      .all();
    storage.writing.exec(
      `insert into tasks (seq, id, ${columns}) select 9, 'second', ${columns} from tasks where seq = 1`,
    );
    storage.writing.exec(`update workspaces set title = 'Édition à la carte' where id = 'other'`);
    await migrate(storage, migrations);
    const all = (sql: string) => storage.writing.prepare(sql).all();
    expect(all('select id, number from tasks order by seq')).toEqual([
      { id: 'task', number: 1 },
      { id: 'second', number: 2 },
    ]);
    expect(all('select id, key from workspaces order by code')).toEqual([
      { id: 'home', key: 'ADA' },
      { id: 'other', key: 'LC' },
    ]);
  });
});
