import { type Db, query } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import { deleteMailsWith } from './outbox.ts';

/** Stores the code of an address in place of the one before; that one's mail still goes out. */
export function replaceLoginCode(
  db: Db,
  code: { id: string; email: string; hash: string; expiresAt: Instant },
): void {
  db.run(query.deleteFrom('login_codes').where('email', '=', code.email));
  db.run(
    query.insertInto('login_codes').values({
      id: code.id,
      email: code.email,
      code_hash: code.hash,
      attempts: 0,
      expires_at: code.expiresAt,
    }),
  );
}

/** Counts an attempt at the code of an address, and returns its hash; undefined once there were `most`, or none works. */
export const attemptLoginCode = (db: Db, email: string, most: number, now: Instant): string | undefined =>
  db.one(
    query
      .updateTable('login_codes')
      .set((row) => ({ attempts: row('attempts', '+', 1) }))
      .where('email', '=', email)
      .where('attempts', '<', most)
      .where('expires_at', '>', now)
      .returning('code_hash'),
  )?.code_hash;

/** Deletes the code of an address, with its mail. */
export const deleteLoginCode = (db: Db, email: string): void =>
  deleteMailsWith(db, db.all(query.deleteFrom('login_codes').where('email', '=', email).returning('id')));
