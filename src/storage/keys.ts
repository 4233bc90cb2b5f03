import { type RawBuilder, sql } from 'kysely';

/** Tables with a key: a small number, never given twice, that stands for the id in the indexes of tasks. */
export type Keyed = 'users' | 'lists' | 'statuses' | 'labels';

/** Within a statement, the key of the row with that id: null where there is none. */
export const keyIn = (table: Keyed, id: string | null): RawBuilder<number> =>
  sql<number>`(select code from ${sql.table(table)} where id = ${id})`;
