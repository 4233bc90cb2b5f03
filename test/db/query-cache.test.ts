import SqliteDatabase from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Db, prepared, query, statement } from '../../src/db/connection.ts';
import type { Role } from '../../src/storage/tables.ts';
import { ada, useHome, home as workspace, world } from '../ada.ts';

useHome();

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

describe('what is remembered', () => {
  it('is returned again without a query, and nobody who got it can change it', async () => {
    const { read } = world.deps;
    const first = membership(read);
    await turn();
    expect(membership(read)).toBe(first);
    expect(() => Object.assign(first[0] ?? {}, { role: 'viewer' })).toThrow(TypeError);
    expect(() => (first as unknown[]).push({})).toThrow(TypeError);
    expect(membership(read, 'nobody')).toEqual([]);
  });

  it('is cleared by a write to its own table or one whose rows take its rows along, and by no other', async () => {
    const clearing: string[] = [];
    for (const table of tables()) {
      const before = membership(world.deps.read);
      await world.deps.write((tx) => tx.run(statement(`delete from "${table}" where 0`, [])));
      if (membership(world.deps.read) !== before) clearing.push(table);
    }
    expect(clearing.sort()).toEqual(['members', 'workspaces']);
  });

  it.each([
    ['a statement in SQL', (db: Db) => db.run(statement("update members set role = 'viewer'", []))],
    ['a comment before it', (db: Db) => db.run(statement("/* */ update members set role = 'viewer'", []))],
    [
      'a common table expression',
      (db: Db) =>
        db.run(statement("with r(x) as (values ('viewer')) update members set role = (select x from r)", [])),
    ],
    [
      'a replacement',
      (db: Db) =>
        db.run(
          statement(
            "replace into members select workspace_id, user_id, 'viewer', is_default, joined_at from members",
            [],
          ),
        ),
    ],
    ['a deletion of all', (db: Db) => db.run(statement('delete from members', []))],
    ['a cascade', (db: Db) => db.run(query.deleteFrom('workspaces').where('id', '=', workspace))],
    [
      'a returning statement',
      (db: Db) => db.all(query.updateTable('members').set({ role: 'viewer' }).returning('role')),
    ],
  ])('is never stale after %s', async (_, act) => {
    const { read, write } = world.deps;
    expect(roleIn(read)).toBe('owner');
    await write((tx) => {
      expect(roleIn(tx)).toBe('owner');
      act(tx);
      expect(roleIn(tx)).not.toBe('owner');
    });
    expect(roleIn(read)).not.toBe('owner');
    expect(membership(read)).toEqual(read.all(byUser({ userId: ada.id })));
  });

  it('is never stale after a trigger wrote', async () => {
    const { read, write } = world.deps;
    world.opened.storage.writing.exec(
      "create trigger demote after insert on meta begin update members set role = 'viewer'; end",
    );
    expect(roleIn(read)).toBe('owner');
    await write((tx) => tx.run(statement("insert into meta values ('a', 'b')", [])));
    expect(roleIn(read)).toBe('viewer');
  });

  it('is what a transaction wrote itself, for its own functions only, and never what it undid', async () => {
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

  it('is never older than what is known of other processes, though reads were of one moment', async () => {
    const { read } = world.deps;
    await turn();
    read.atOneMoment(() => {
      read.one(statement('select 1 from members', []));
      elsewhere("update members set role = 'member'");
      expect(roleIn(read)).toBe('owner');
    });
    await turn();
    expect(roleIn(read)).toBe('member');
  });

  it('is bounded in rows, and holds none of a query of any length', async () => {
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

describe('a statement in SQL', () => {
  it('may hold a question mark in a literal', () => {
    const asked = statement<{ a: string; b: number }>(`select 'why?' as a, ? as b`, [1]);
    expect(world.deps.read.all(asked)).toEqual([{ a: 'why?', b: 1 }]);
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
