import { type Db, query, statement } from './connection.ts';

/** What is kept of the data as a whole under this name, if anything. */
export const metaOf = (db: Db, key: string): string | undefined =>
  db.one(query.selectFrom('meta').select('value').where('key', '=', key))?.value;

/** Keeps a value under a name, in place of the one before. */
export const setMeta = (db: Db, key: string, value: string) =>
  db.run(
    query
      .insertInto('meta')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value })),
  );

/** The newest migration that the file has. */
export const schemaOf = (db: Db): string | undefined =>
  db.one(statement<{ name: string }>('select max(name) as name from kysely_migration', []))?.name;
