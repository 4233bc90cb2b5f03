import SqliteDatabase from 'better-sqlite3';
import { type Migrations, migrate, migrationsIn } from '../db/migrate.ts';
import { newSchema } from '../db/new-schema.ts';

/** SQLite's own, and those in which Litestream keeps its place: tables without anything that acts. */
const OF_OTHERS = /^(sqlite_stat[14]|sqlite_sequence|_litestream_\w+)$/;
const PLAIN_TABLE = /^create table /i;

interface SchemaRow {
  type: string;
  name: string;
  tbl_name: string;
  sql: string | null;
}

/**
 * What of the tables, indexes, triggers and views of a database is not as its migrations made it: anyone who can
 * write a file could have it do things by itself. Nothing where it has migrations that are not known here.
 */
export async function schemaFaults(
  database: SqliteDatabase.Database,
  migrations: Migrations,
): Promise<string[]> {
  const names = Object.keys(migrations).sort();
  const done = migrationsIn(database);
  if (done.some((name, i) => name !== names[i])) return [];
  const present = schemaIn(database);
  // A new file: what it should have need not be made for that.
  if (done.length === 0 && present.size === 0) return [];
  const known = names.slice(0, done.length).map((name) => [name, migrations[name]]);
  // The script makes the same, and sooner.
  const wanted = await schemaOf(
    Object.fromEntries(known),
    done.length === names.length ? newSchema() : undefined,
  );
  const begun = done.length > 0 ? new Map<string, string>() : await tablesOfMigrations(migrations);
  const isOurs = ([what, sql]: [string, string]) => wanted.has(what) || begun.get(what) === sql;
  return [
    ...[...present].filter((each) => !isOurs(each)).map(([what]) => `${what} is not Errand's`),
    ...[...wanted].flatMap(([what, sql]) => {
      if (!present.has(what)) return [`${what} is missing`];
      return present.get(what) === sql ? [] : [`${what} is not as Errand makes it`];
    }),
  ];
}

/** The tables in which migrations are noted: made apart from the first of them, so a start may have come so far. */
async function tablesOfMigrations(migrations: Migrations): Promise<Map<string, string>> {
  const first = Object.entries(migrations)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, 1);
  const made = await schemaOf(Object.fromEntries(first), undefined);
  return new Map([...made].filter(([, sql]) => /^kysely_migration(_lock)?:/.test(sql)));
}

async function schemaOf(migrations: Migrations, script: string | undefined): Promise<Map<string, string>> {
  const database = new SqliteDatabase(':memory:');
  try {
    if (Object.keys(migrations).length > 0) {
      await migrate(
        {
          path: ':memory:',
          writing: database,
          reading: database,
          close: () => {},
          [Symbol.dispose]: () => {},
        },
        migrations,
        undefined,
        script,
      );
    }
    return schemaIn(database);
  } finally {
    database.close();
  }
}

/** What each thing is made by, white space aside. */
function schemaIn(database: SqliteDatabase.Database): Map<string, string> {
  const rows = database
    .prepare<[], SchemaRow>('select type, name, tbl_name, sql from sqlite_schema order by type, name')
    .all();
  const ours = rows.filter(
    ({ type, name, tbl_name, sql }) =>
      !(type === 'table' && OF_OTHERS.test(name) && tbl_name === name && PLAIN_TABLE.test(sql ?? '')) &&
      !(type === 'index' && sql === null && OF_OTHERS.test(tbl_name)),
  );
  return new Map(
    ours.map(({ type, name, tbl_name, sql }) => [
      `the ${type} ${name}`,
      `${tbl_name}: ${(sql ?? '').replaceAll(/\s+/g, ' ').trim()}`,
    ]),
  );
}
