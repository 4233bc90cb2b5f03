import type { CompiledQuery } from 'kysely';
import { statement } from '../db/connection.ts';

/** Takes away at most so many of the rows that `where` finds, which has a `?` for the argument; `key` tells rows apart. */
export const deleteRows =
  (table: string, where: string, key = 'rowid') =>
  (argument: string, most: number): CompiledQuery<unknown> => {
    const some = `select ${key} from ${table} where ${where} limit ?`;
    return statement(`delete from ${table} where (${key}) in (${some})`, [argument, most]);
  };
