import SqliteDatabase from 'better-sqlite3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { migrate } from '../../src/db/migrate.ts';
import { schemaScript } from '../../src/db/new-schema.ts';

type Database = SqliteDatabase.Database;

let migrated: Database;
let scripted: Database;

beforeAll(async () => {
  [migrated, scripted] = [new SqliteDatabase(':memory:'), new SqliteDatabase(':memory:')];
  await migrate(storageOf(migrated), migrations);
  await migrate(storageOf(scripted), migrations, undefined, schemaScript(migrated));
});
afterAll(() => {
  migrated.close();
  scripted.close();
});

const storageOf = (database: Database) => ({
  path: ':memory:',
  writing: database,
  reading: database,
  close: () => {},
  [Symbol.dispose]: () => {},
});

const schemaOf = (database: Database) =>
  database.prepare('select type, name, tbl_name, sql from sqlite_schema order by type, name').all();
/** All but an empty search index, which counts how often its settings were changed. */
const rowsOf = (database: Database) => {
  const tables = database
    .prepare<[], string>(`select name from sqlite_schema where type = 'table' and name <> 'task_search_data'`)
    .pluck();
  const rows = tables
    .all()
    .map((name) => [name, database.prepare(`select * from ${name}`).raw().all()] as [string, unknown[][]]);
  return Object.fromEntries(rows.filter(([, all]) => all.length > 0));
};

it('the script of the executable makes the schema that all migrations make', () => {
  expect(schemaOf(scripted)).toEqual(schemaOf(migrated));
});

it('the script of the executable leaves the rows that all migrations leave, with the present time', () => {
  const { kysely_migration: done = [], ...others } = rowsOf(scripted);
  const { kysely_migration: wanted = [], ...othersWanted } = rowsOf(migrated);
  expect(others).toEqual(othersWanted);
  expect(done.map(([name]) => name)).toEqual(wanted.map(([name]) => name));
  for (const [, time] of done) expect(Math.abs(Date.parse(String(time)) - Date.now())).toBeLessThan(60_000);
});

it('nothing remains to be migrated after the script of the executable', async () => {
  expect(await migrate(storageOf(scripted), migrations)).toEqual([]);
});
