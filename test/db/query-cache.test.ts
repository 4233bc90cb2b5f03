import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Db, prepared, query, statement } from '../../src/db/connection.ts';
import type { Role } from '../../src/storage/tables.ts';
import { homeOf } from '../people.ts';
import { openWorld, type Person, type World } from '../world.ts';

let world: World;
let ada: Person;
let workspace: string;
beforeEach(async () => {
  world = await openWorld();
  ada = await world.signUp();
  workspace = await homeOf(world, ada);
});
afterEach(() => world.close());

const byUser = prepared<{ userId: string }, { role: Role }>((argument) =>
  query.selectFrom('members').select('role').where('user_id', '=', argument('userId')),
);
const membership = (db: Db, userId = ada.id) => db.cached(byUser({ userId }));
const roleIn = (db: Db) => membership(db)[0]?.role;
const setRole = (db: Db, role: Role) =>
  db.run(query.updateTable('members').set({ role }).where('workspace_id', '=', workspace));
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** What another process does. */
function elsewhere(sql: string): void {
  const connection = new SqliteDatabase(world.opened.storage.path);
  connection.exec(sql);
  connection.close();
}

/** Every table of the schema but those inside the search index. */
const tables = (): string[] =>
  world.opened.storage.reading
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*' and name not glob 'task_search_*'",
    )
    .pluck()
    .all();

/** The tables that can be written to without anything being forgotten. */
async function tablesApart(): Promise<string[]> {
  const apart: string[] = [];
  for (const table of tables()) {
    const before = membership(world.deps.read);
    await world.deps.write((tx) => tx.run(statement(`delete from "${table}" where 0`, [])));
    if (membership(world.deps.read) === before) apart.push(table);
  }
  return apart.sort();
}

describe('what is remembered', () => {
  it('is answered again without asking, and nobody who got it can change it', async () => {
    const { read } = world.deps;
    const first = membership(read);
    await turn();
    expect(membership(read)).toBe(first);
    expect(() => Object.assign(first[0] ?? {}, { role: 'viewer' })).toThrow(TypeError);
    expect(() => (first as unknown[]).push({})).toThrow(TypeError);
    expect(membership(read, 'nobody')).toEqual([]);
  });

  it('is forgotten with every write but those of tasks, which it must not be made of', async () => {
    expect(await tablesApart()).toEqual([
      'audit_log',
      'changes',
      'checklist_items',
      'comment_mentions',
      'comments',
      'deleted_ids',
      'imports',
      'last_task',
      'notifications',
      'recurring_occurrences',
      'recurring_series',
      'series_checklist_items',
      'series_counts',
      'series_labels',
      'series_steps',
      'task_counts',
      'task_labels',
      'task_numbers',
      'task_search',
      'tasks',
      'trash',
      'trash_counts',
      'trash_items',
      'trash_mentions',
      'trash_rows',
      'user_preferences',
    ]);
    const number = prepared<object, { n: number }>(() =>
      query.selectFrom('tasks').select(({ fn }) => fn.countAll<number>().as('n')),
    );
    expect(() => world.deps.read.cached(number({}))).toThrow(/not remembered/);
  });

  it('cannot be changed through a reference or a trigger by a write that forgets nothing', async () => {
    const { reading } = world.opened.storage;
    const apart = await tablesApart();
    const parentsOf = reading
      .prepare<[string], string>('select "table" from pragma_foreign_key_list(?)')
      .pluck();
    for (const table of tables()) {
      if (parentsOf.all(table).some((parent) => apart.includes(parent))) expect(apart).toContain(table);
    }
    const triggers = reading
      .prepare<[], { tbl_name: string; sql: string }>(
        "select tbl_name, sql from sqlite_schema where type = 'trigger'",
      )
      .all()
      .filter(({ tbl_name }) => apart.includes(tbl_name));
    expect(triggers.length).toBeGreaterThan(0);
    for (const { sql } of triggers) {
      const body = sql.slice(sql.indexOf(' begin'));
      const written = [...body.matchAll(/(?:insert into|delete from|\bupdate) (?!set )(\w+)/g)].map(
        ([, table]) => table,
      );
      expect(written.length).toBeGreaterThan(0);
      for (const table of written) expect(apart).toContain(table);
    }
  });

  it('is what a transaction wrote itself, for its own jobs only, and never what it undid', async () => {
    const { read, write } = world.deps;
    expect(roleIn(read)).toBe('owner');
    const seen: unknown[] = [];
    const undone = write((tx) => {
      setRole(tx, 'admin');
      seen.push(roleIn(tx));
      throw new Error('undone');
    });
    const next = write((tx) => roleIn(tx));
    await expect(undone).rejects.toThrow('undone');
    expect(await next).toBe('owner');
    expect(new Set(seen)).toEqual(new Set(['admin']));
    expect(roleIn(read)).toBe('owner');

    const changing = write((tx) => setRole(tx, 'admin'));
    const following = write((tx) => [membership(tx), membership(tx)]);
    await changing;
    for (const found of await following) {
      expect(found).toEqual([{ role: 'admin' }]);
      expect(() => Object.assign(found[0] ?? {}, { role: 'owner' })).toThrow(TypeError);
    }
    expect(roleIn(read)).toBe('admin');
  });

  it('is what another process wrote: from the next turn on, and in every transaction begun since', async () => {
    const { read, write } = world.deps;
    expect(roleIn(read)).toBe('owner');
    elsewhere("update members set role = 'member'");
    await turn();
    expect(roleIn(read)).toBe('member');

    const writing = write((tx) => roleIn(tx));
    await Promise.resolve();
    expect(roleIn(read)).toBe('member');
    elsewhere("update members set role = 'viewer'");
    expect(await writing).toBe('viewer');
  });

  it('is bounded in answers, and none is to a question of any length', async () => {
    const { read } = world.deps;
    const first = membership(read);
    for (let i = 0; i < 9_000; i += 1) membership(read, `user ${i}`);
    await turn();
    expect(membership(read)).toBe(first);
    for (let i = 9_000; i < 10_000; i += 1) membership(read, `user ${i}`);
    await turn();
    expect(membership(read)).not.toBe(first);
    expect(membership(read)).toEqual(first);

    const long = 'u'.repeat(1_000);
    expect(membership(read, long)).not.toBe(membership(read, long));
  });

  it('is bounded in rows', async () => {
    const { read } = world.deps;
    const rows = prepared<object, { i: number }>(() =>
      query
        .withRecursive('numbers(i)', (db) =>
          db
            .selectNoFrom(sql<number>`1`.as('i'))
            .unionAll(db.selectFrom('numbers').select(sql<number>`i + 1`.as('i')).where('i', '<', 11_000)),
        )
        .selectFrom('numbers')
        .selectAll(),
    );
    const first = membership(read);
    expect(read.cached(rows({}))).toHaveLength(11_000);
    await turn();
    expect(membership(read)).not.toBe(first);
  });
});

describe('a person', () => {
  it('whose sessions were ended by another process is signed out at the next request', async () => {
    const me = () => world.call('GET', `/workspaces/${workspace}`, { token: ada.accessToken });
    expect((await me()).status).toBe(200);
    elsewhere('delete from sessions');
    await turn();
    expect((await me()).status).toBe(401);
  });
});
