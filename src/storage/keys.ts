import { type RawBuilder, sql } from 'kysely';

/** What is found by a code, too: a small number, never given twice, that stands for the id in the indexes of tasks. */
export type Keyed = 'users' | 'lists' | 'statuses' | 'labels';

/** Within a statement, the code of what has that id: null where there is none. */
export const keyIn = (table: Keyed, id: string | null): RawBuilder<number> =>
  sql<number>`(select code from ${sql.table(table)} where id = ${id})`;
