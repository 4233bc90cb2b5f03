import { type SqlBool, sql } from 'kysely';

/** The condition that nobody has begun to delete a user or workspace; `id` is the column that holds its id. */
export const isNotBeingRemoved = (kind: 'user' | 'workspace', id: string) =>
  sql<SqlBool>`not exists (select 1 from removals where removals.kind = ${sql.lit(kind)} and removals.id = ${sql.ref(id)})`;
