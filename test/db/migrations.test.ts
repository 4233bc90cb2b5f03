import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrations as released } from '../../migrations/index.ts';
import { statements } from '../../migrations/statements.ts';
import { schemaFaults } from '../../src/backup/schema-check.ts';
import { connectionDb } from '../../src/db/connection.ts';
import { type Migrations, migrate, schemaStatus } from '../../src/db/migrate.ts';
import { openStorage, type Storage } from '../../src/db/open.ts';
import { exportDocument } from '../../src/export/document.ts';
import { AccountImport } from '../../src/import/schema.ts';
import { COUNTERS, faultsOf } from '../../src/storage/integrity.ts';
import { VALUES } from '../../src/storage/value-checks.ts';
import { ROWS_OF_SCHEMA, rowsIn } from '../filled-schema.ts';
import { folder, path, storage, useFile } from './one-file.ts';

const AT = '2026-03-27T10:00:00.000Z';

useFile();

const query = <Row>(sql: string) => storage.writing.prepare<[], Row>(sql).all();

describe('the released migrations', () => {
  const names = Object.keys(released).sort();
  const upTo = (count: number): Migrations =>
    Object.fromEntries(names.slice(0, count).map((name) => [name, released[name] ?? statements('')]));
  const schema = (of: Storage) =>
    of.reading.prepare('select type, name, sql from sqlite_schema order by type, name').all();

  /** Brings the file to an earlier schema with rows in every table, as its Errand left them. */
  const fill = async (count: number) => {
    await migrate(storage, upTo(count));
    for (const name of names.slice(0, count)) storage.writing.exec(ROWS_OF_SCHEMA[name] ?? '');
    return rowsIn(storage.writing);
  };

  /** The export of a user, as an import reads it. */
  const exported = (userId: string) =>
    AccountImport.safeParse(
      JSON.parse([...exportDocument(connectionDb(storage.reading), userId, AT)].join('')),
    );

  /** Its own tables are made before the first migration, by themselves. */
  const withoutKysely = (objects: unknown[]) =>
    objects.filter((object) => !JSON.stringify(object).includes('kysely'));

  /** Migrates, and before each statement takes what a kill would leave: the file and its log. */
  const copiesAtEachStatement = async (migrations: Migrations): Promise<string[]> => {
    const copies: string[] = [];
    const { prepare } = storage.writing;
    storage.writing.prepare = ((sql: string) => {
      const copy = join(folder, `killed-${copies.length}.db`);
      for (const end of ['', '-wal']) copyFileSync(path + end, copy + end);
      copies.push(copy);
      return prepare.call(storage.writing, sql);
    }) as typeof prepare;
    await migrate(storage, migrations);
    storage.writing.prepare = prepare;
    return copies;
  };

  it('each have rows for their tables to be tested with', async () => {
    const filled = await fill(names.length);
    expect(names).toEqual(expect.arrayContaining(Object.keys(ROWS_OF_SCHEMA)));
    expect(Object.keys(filled).filter((table) => filled[table]?.length === 0)).toEqual([]);
    expect([...faultsOf(storage.writing), ...COUNTERS.faults(storage.writing)]).toEqual([]);
  });

  it('rebuild a search index that its former secure delete has damaged', async () => {
    await fill(names.indexOf('0007_search_erasure'));
    storage.writing.unsafeMode(true).exec('delete from task_search_data where id > 10');
    const found = () => query(`select rowid from task_search where task_search match 'milk'`);
    await migrate(storage, released);
    expect(found()).toEqual([{ rowid: 1 }]);
    expect(faultsOf(storage.writing)).toEqual([]);
  });

  for (const count of names.keys()) {
    const from = count === 0 ? 'an empty file' : `a filled file of schema ${names[count - 1]}`;

    it(`from ${from} keep every row, make the one newest schema, can be exported, and do nothing a second time`, async () => {
      const before = await fill(count);
      expect(await migrate(storage, released)).toEqual(names.slice(count));
      const after = rowsIn(storage.writing);
      expect(after).toMatchObject(before);
      for (const [table, rows] of Object.entries(before)) expect(after[table]).toHaveLength(rows.length);
      const { writing } = storage;
      expect([...faultsOf(writing), ...COUNTERS.faults(writing), ...VALUES.faults(writing)]).toEqual([]);
      for (const user of before.users ?? []) expect(exported(String(user.id)).error?.issues).toBeUndefined();
      const fresh = openStorage({ path: join(folder, 'fresh.db'), create: true });
      await migrate(fresh, released);
      const newest = schema(fresh);
      fresh.close();
      expect(schema(storage)).toEqual(newest);
      expect(await migrate(storage, released)).toEqual([]);
      expect(rowsIn(storage.writing)).toEqual(after);
      expect(schema(storage)).toEqual(newest);
    });

    it(`killed at any statement of the first step from ${from}, leave that file, and go on from it`, async () => {
      const before = await fill(count);
      const schemaBefore = schema(storage);
      const copies = await copiesAtEachStatement(upTo(count + 1));
      expect(copies.length).toBeGreaterThan(5);
      const after = rowsIn(storage.writing);
      const schemaAfter = schema(storage);
      for (const copy of copies) {
        const left = openStorage({ path: copy, create: false });
        const isDone = schemaStatus(left, released).done.length > count;
        expect(withoutKysely(schema(left))).toEqual(withoutKysely(isDone ? schemaAfter : schemaBefore));
        expect(rowsIn(left.writing)).toEqual(isDone ? after : before);
        await migrate(left, upTo(count + 1));
        expect(schema(left)).toEqual(schemaAfter);
        expect(rowsIn(left.writing)).toEqual(after);
        left.close();
      }
    });
  }

  it('killed at any statement of the first of them, leave a schema that the next start takes for its own', async () => {
    for (const copy of await copiesAtEachStatement(upTo(1))) {
      const left = openStorage({ path: copy, create: false });
      expect(await schemaFaults(left.reading, released)).toEqual([]);
      left.close();
    }
  });

  it('leave nothing broken and every foreign key with an index', async () => {
    await migrate(storage, released);
    expect(storage.writing.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(storage.writing.pragma('foreign_key_check')).toEqual([]);
    const tables = query<{ name: string }>(
      `select name from pragma_table_list where type = 'table' and schema = 'main'`,
    );
    const leading = (table: string) =>
      query<{ columns: string }>(
        `select (select group_concat(name) from pragma_index_info(i.name)) as columns from pragma_index_list('${table}') i`,
      ).map(({ columns }) => columns);
    for (const { name } of tables) {
      const keys = query<{ first: string }>(
        `select "from" as first from pragma_foreign_key_list('${name}') where seq = 0`,
      );
      for (const { first } of keys) {
        const covered = leading(name).some((columns) => columns.split(',')[0] === first);
        expect(covered, `${name}.${first}`).toBe(true);
      }
    }
  });
});
