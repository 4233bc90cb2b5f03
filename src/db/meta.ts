import { type Db, query } from './connection.ts';

/** What is remembered under a key; undefined for nothing. */
export const recall = (db: Db, key: string): string | undefined =>
  db.one(query.selectFrom('meta').select('value').where('key', '=', key))?.value;

/** Remembers a value under a key, in the place of what was there. */
export const remember = (db: Db, key: string, value: string) =>
  db.run(
    query
      .insertInto('meta')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value })),
  );
