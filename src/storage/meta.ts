import { type Db, prepared, query, statement } from '../db/connection.ts';

/** What is kept of the data as a whole under this name, if anything. */
export const metaOf = (db: Db, key: string): string | undefined =>
  db.one(query.selectFrom('meta').select('value').where('key', '=', key))?.value;

const remembered = prepared<{ key: string }, { value: string }>((argument) =>
  query.selectFrom('meta').select('value').where('key', '=', argument('key')),
);

/** Names the file as it is now: changes when older contents come back, so that no cursor or ETag of then is believed. */
export const epochOf = (db: Db): string => db.cached(remembered({ key: 'epoch' }))[0]?.value ?? '';

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

/** Deletes what is kept under these names. */
export const deleteMeta = (db: Db, keys: readonly string[]) =>
  db.run(query.deleteFrom('meta').where('key', 'in', keys));

/** Deletes a value, unless another has taken its place. */
export const deleteMetaOf = (db: Db, key: string, value: string) =>
  db.run(query.deleteFrom('meta').where('key', '=', key).where('value', '=', value));
