import type { CompiledQuery } from 'kysely';
import { statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { keysIn } from './long-texts.ts';

/** Deletes, once it is run, at most so many of the rows that `where` finds, which has a `?` for the argument. */
export const deletionOf =
  (table: string, where: string, /** What tells rows apart. */ key = 'rowid') =>
  (argument: string, most: number): CompiledQuery<unknown> => {
    const some = `select ${key} from ${table} where ${where} limit ?`;
    return statement(`delete from ${table} where (${key}) in (${some})`, [argument, most]);
  };

/** Deletes rows of a table by their keys; returns how many. */
export const deleteRows = <Key extends string>(
  tx: Tx,
  table: string,
  rows: readonly Record<Key, unknown>[],
  key: Key,
): number =>
  tx.run(
    statement(`delete from ${table} where ${key} in (select value from json_each(?))`, [keysIn(rows, key)]),
  );
