import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { makeEmptyFile, syncFile, syncFolder } from '../kernel/private-file.ts';
import type { OnDone } from '../kernel/progress.ts';
import type { Storage } from './open.ts';
import { explained, StorageError } from './storage-error.ts';

const COPIES_KEPT = 2;

export type Migrations = Record<string, Migration>;

/** Kysely's adapter says no here, though SQLite's DDL is transactional; with it each migration is all or nothing. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/**
 * The names of the migrations that the file has, and of those to come, in order. A StorageError when a newer Errand, or
 * another one, has migrated it.
 */
export function schemaStatus(storage: Pick<Storage, 'path' | 'reading'>, migrations: Migrations) {
  const names = Object.keys(migrations).sort();
  const done = explained(storage.path, () => migrationsIn(storage.reading));
  const unknown = done.find((name, i) => name !== names[i]);
  if (unknown !== undefined) {
    throw new StorageError(
      `${storage.path} was made by a newer Errand, or by another one (it has ${unknown}). Nothing was changed: run that version, or restore an older backup.`,
    );
  }
  return { done, pending: names.slice(done.length) };
}

/** The names of the migrations that a database has, in order. */
export function migrationsIn(database: SqliteDatabase.Database): string[] {
  const table = database.prepare(`select 1 from sqlite_schema where name = 'kysely_migration'`).get();
  if (!table) return [];
  return database.prepare<[], string>('select name from kysely_migration order by name').pluck().all();
}

/**
 * Brings the file to the newest schema: an empty one in one transaction, by `script` where there is one, another with
 * each migration in its own. Returns the names of those run; `onDone` hears how many are done.
 */
export async function migrate(
  storage: Storage,
  migrations: Migrations,
  onDone: OnDone = () => {},
  script?: string,
): Promise<string[]> {
  const { done, pending } = schemaStatus(storage, migrations);
  const database = storage.writing;
  const dialect = new SqliteDialect({ database: lending(database) });
  dialect.createAdapter = () => new TransactionalSqliteAdapter();
  const kysely = new Kysely<unknown>({ dialect });
  let count = 0;
  const provider = {
    getMigrations: async () => checked(database, migrations, () => onDone(++count, pending.length)),
  };
  const migrator = new Migrator({ db: kysely, provider });
  // Rebuilding a table means dropping it, which with this on would delete whatever refers to its rows.
  database.pragma('foreign_keys = off');
  // An empty file has nothing to lose: what a power failure takes from its log is made again, and the first commit of
  // anything else syncs all of it. https://sqlite.org/wal.html#performance_considerations
  const isNew = done.length === 0;
  if (isNew) database.pragma('synchronous = normal');
  try {
    if (isNew && script !== undefined) {
      database.exec(`begin immediate; ${script} commit`);
      return pending;
    }
    while (count < pending.length) {
      // All at once reads the schema once, and an empty file needs no step to go on from.
      const { error } = isNew ? await migrator.migrateToLatest() : await migrator.migrateUp();
      if (error) throw failed(storage, pending[count] ?? '', error);
    }
  } finally {
    if (database.inTransaction) database.exec('rollback');
    database.pragma('foreign_keys = on');
    database.pragma('synchronous = full');
  }
  return pending;
}

/** The migrations; each fails if it leaves a row that refers to none. */
function checked(database: SqliteDatabase.Database, migrations: Migrations, onDone: () => void): Migrations {
  const withCheck = ([name, migration]: [string, Migration]): [string, Migration] => [
    name,
    {
      up: async (db) => {
        await migration.up(db);
        const broken = database.prepare<[], { table: string }>('pragma foreign_key_check').get();
        if (broken) throw new Error(`A row of ${broken.table} refers to none`);
        onDone();
      },
    },
  ];
  return Object.fromEntries(Object.entries(migrations).map(withCheck));
}

const failed = (storage: Storage, name: string, cause: unknown) =>
  new StorageError(
    `Migration ${name} failed. ${storage.path} is as it was before it: run the version of Errand that made it, or fix the cause and start again.`,
    { cause },
  );

/**
 * Copies the file beside itself before it is migrated, and keeps the newest two such copies. Returns the copy's
 * path. `stamp` goes into its name.
 */
export function preMigrationCopy(storage: Storage, stamp: string): string {
  const prefix = `${basename(storage.path)}.before-migration-`;
  const folder = dirname(storage.path);
  const copy = join(folder, prefix + stamp.replaceAll(/[:.]/g, '-'));
  const copies = () => readdirSync(folder).filter((name) => name.startsWith(prefix));
  for (const name of copies()) if (name.endsWith('.new')) rmSync(join(folder, name));
  explained(copy, () => writeCopy(storage, copy));
  // Apart from this one, which is not the newest by its name when the clock went back.
  const others = copies().filter((name) => join(folder, name) !== copy);
  for (const name of others.sort().slice(0, 1 - COPIES_KEPT)) rmSync(join(folder, name));
  return copy;
}

function writeCopy(storage: Storage, copy: string): void {
  const unfinished = `${copy}.new`;
  makeEmptyFile(unfinished);
  try {
    storage.reading.prepare('vacuum into ?').run(unfinished);
    syncFile(unfinished);
    renameSync(unfinished, copy);
    syncFolder(dirname(copy));
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** Kysely closes what it is given when it is destroyed; the storage's connection is only lent. */
const lending = (database: SqliteDatabase.Database) => ({
  prepare: (sql: string) => database.prepare(sql),
  close: () => {},
});
