import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type SqliteDatabase from 'better-sqlite3';
import { Kysely, SqliteAdapter, SqliteDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { type Storage, StorageError } from './open.ts';

const SNAPSHOTS_KEPT = 2;

export type Migrations = Record<string, Migration>;

export interface SchemaStatus {
  /** Names of the migrations in the file, in order. */
  done: string[];
  /** Names of those to come. */
  pending: string[];
}

/** Kysely's adapter says no here, though SQLite's DDL is transactional; with it each migration is all or nothing. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class MigratingDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter();
  }
}

/** What the file has and lacks. A StorageError when a newer Errand has migrated it. */
export function schemaStatus(storage: Storage, migrations: Migrations): SchemaStatus {
  const names = Object.keys(migrations).sort();
  const table = storage.reading.prepare(`select 1 from sqlite_schema where name = 'kysely_migration'`).get();
  const done = table
    ? storage.reading.prepare<[], { name: string }>('select name from kysely_migration order by name').all()
    : [];
  const unknown = done.filter(({ name }) => !names.includes(name));
  if (unknown[0]) {
    throw new StorageError(
      `${storage.path} was made by a newer Errand (it has ${unknown[0].name}). Nothing was changed: run that version, or restore an older backup.`,
    );
  }
  return { done: done.map(({ name }) => name), pending: names.slice(done.length) };
}

/** Brings the file to the newest schema, each migration in its own transaction. Answers the names of those run. */
export async function migrate(storage: Storage, migrations: Migrations): Promise<string[]> {
  const { pending } = schemaStatus(storage, migrations);
  const kysely = new Kysely<unknown>({
    dialect: new MigratingDialect({ database: lending(storage.writing) }),
  });
  const migrator = new Migrator({ db: kysely, provider: { getMigrations: async () => migrations } });
  for (const name of pending) {
    const { error, results } = await migrator.migrateUp();
    if (error) {
      throw new StorageError(
        `Migration ${results?.[0]?.migrationName ?? name} failed; ${storage.path} is as it was before it`,
        {
          cause: error,
        },
      );
    }
  }
  return pending;
}

/**
 * Copies the file beside itself before it is migrated, and keeps the newest two such copies. Answers the copy's
 * path. `stamp` goes into its name.
 */
export function snapshot(storage: Storage, stamp: string): string {
  const prefix = `${basename(storage.path)}.before-migration-`;
  const folder = dirname(storage.path);
  const copy = join(folder, prefix + stamp.replaceAll(/[:.]/g, '-'));
  const unfinished = `${copy}.new`;
  rmSync(unfinished, { force: true });
  closeSync(openSync(unfinished, 'wx', 0o600));
  storage.reading.prepare('vacuum into ?').run(unfinished);
  const file = openSync(unfinished, 'r+');
  fsyncSync(file);
  closeSync(file);
  if (!existsSync(copy)) renameSync(unfinished, copy);
  const copies = readdirSync(folder)
    .filter((name) => name.startsWith(prefix) && !name.endsWith('.new'))
    .sort();
  for (const name of copies.slice(0, -SNAPSHOTS_KEPT)) rmSync(join(folder, name));
  return copy;
}

/** Kysely closes what it is given when it is destroyed; the storage's connection is only lent. */
const lending = (database: SqliteDatabase.Database) => ({
  prepare: (sql: string) => database.prepare(sql),
  close: () => {},
});
