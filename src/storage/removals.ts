import { type SqlBool, sql } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { RemovalRow } from './tables.ts';

/** The condition that nobody has begun to delete a user or workspace; `id` is the column that holds its id. */
export const isNotBeingRemoved = (kind: 'user' | 'workspace', id: string) =>
  sql<SqlBool>`not exists (select 1 from removals where removals.kind = ${sql.lit(kind)} and removals.id = ${sql.ref(id)})`;

/** Whether somebody has begun to delete it. */
export const isBeingRemoved = (db: Db, { kind, id }: RemovalRow): boolean =>
  db.one(query.selectFrom('removals').select('id').where('kind', '=', kind).where('id', '=', id)) !==
  undefined;

/** Whether somebody has begun to delete a list, or the space that it is in: some of what it holds may be gone. */
export const isListBeingRemoved = (db: Db, listId: string): boolean =>
  db.one(
    statement(
      `select 1 from removals where (kind = 'list' and id = ?)
        or (kind = 'space' and id = (select space_id from lists where id = ?))`,
      [listId, listId],
    ),
  ) !== undefined;

/** A list of a space that somebody has begun to delete. */
export const removalWithin = (db: Db, spaceId: string): RemovalRow | undefined =>
  db.one(
    query
      .selectFrom('removals')
      .selectAll()
      .where('kind', '=', 'list')
      .where('id', 'in', query.selectFrom('lists').select('id').where('space_id', '=', spaceId)),
  );

/** Notes that something is being deleted: what is left of it goes in steps. */
export const insertRemoval = (tx: Tx, removal: RemovalRow) =>
  tx.run(
    query
      .insertInto('removals')
      .values(removal)
      .onConflict((conflict) => conflict.doNothing()),
  );

/** A user comes after the workspaces they owned. */
export const begunRemovals = (db: Db): RemovalRow[] =>
  db.all(
    query
      .selectFrom('removals')
      .selectAll()
      .orderBy((row) => row('kind', '=', 'user')),
  );

/** Notes that nothing is left of it. */
export const deleteRemoval = (tx: Tx, { kind, id }: RemovalRow) =>
  tx.run(query.deleteFrom('removals').where('kind', '=', kind).where('id', '=', id));
