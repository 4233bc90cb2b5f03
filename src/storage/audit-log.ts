import { type SqlBool, sql } from 'kysely';
import { type Db, query } from '../db/connection.ts';
import { deletionOf } from './delete-rows.ts';
import type { AuditRow } from './tables.ts';

export const insertAuditRow = (db: Db, row: AuditRow) => db.run(query.insertInto('audit_log').values(row));

/** As `insertAuditRow`; a row that is there already stays. */
export const copyAuditRow = (db: Db, row: AuditRow) =>
  db.run(
    query
      .insertInto('audit_log')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  );

/** At most `limit` rows that follow one, in order. */
export const auditRowsAfter = (db: Db, id: string, limit: number): AuditRow[] =>
  db.all(query.selectFrom('audit_log').selectAll().where('id', '>', id).orderBy('id').limit(limit));

/** The oldest rows that are not in the log yet, at most `limit`. */
export const unloggedAuditRows = (db: Db, limit: number): AuditRow[] =>
  db.all(query.selectFrom('audit_log').selectAll().where(isUnlogged).orderBy('id').limit(limit));

export const markAuditRowsLogged = (db: Db, ids: readonly string[]) =>
  db.run(query.updateTable('audit_log').set({ is_logged: 1 }).where('id', 'in', ids));

/**
 * The newest rows first, at most `limit` of them, with address and name of today; only those to or by one account where
 * `userId` is given.
 */
export function newestAuditRows(db: Db, { userId, limit }: { userId?: string | undefined; limit: number }) {
  let rows = query
    .selectFrom('audit_log')
    .leftJoin('users', 'users.id', 'audit_log.user_id')
    .selectAll('audit_log')
    .select(['users.email', 'users.name'])
    // An account on its way out has its id for an address.
    .select((row) => row('users.email', '=', row.ref('users.id')).as('is_erased'));
  if (userId !== undefined) {
    rows = rows.where((row) => row.or([row('user_id', '=', userId), row('actor_id', '=', userId)]));
  }
  return db.all(rows.orderBy('audit_log.id', 'desc').limit(limit));
}

const EXPIRED = deletionOf('audit_log', 'at <= ?', 'id');

/** Deletes at most `most` rows of until then. */
export const deleteExpiredAuditRows = (db: Db, until: string, most: number) => db.run(EXPIRED(until, most));

/** The condition of the index `audit_log_rejected`, word for word. */
const isRejected = sql<SqlBool>`is_rejected = 1`;
const isUnlogged = sql<SqlBool>`is_logged = 0`;

/** Deletes at most `most` rejections beyond the newest `kept`. */
export const deleteExcessRejections = (db: Db, kept: number, most: number) =>
  db.run(
    query
      .deleteFrom('audit_log')
      .where(
        'id',
        'in',
        query
          .selectFrom('audit_log')
          .select('id')
          .where(isRejected)
          .orderBy('id', 'desc')
          .limit(most)
          .offset(kept),
      ),
  );
