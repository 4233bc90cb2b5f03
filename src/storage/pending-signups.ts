import { type Db, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { hashSecret } from '../kernel/secrets.ts';
import { deleteMailsWith } from './outbox.ts';
import { deleteSignupAttempts } from './signup-attempts.ts';
import type { PendingSignupRow } from './tables.ts';

const MAX = 5;

/**
 * Stores a sign-up until it is confirmed. The oldest few of an address stay, so that a stranger's neither pushes out
 * someone's nor fills the disk. False where there are as many already: then it is not stored.
 */
export function keepPendingSignup(tx: Tx, row: PendingSignupRow): boolean {
  tx.run(query.insertInto('pending_signups').values(row));
  const newer = query
    .selectFrom('pending_signups')
    .select('id')
    .where('email', '=', row.email)
    .where('expires_at', '>', row.created_at)
    .orderBy('created_at')
    .orderBy('id')
    .limit(1_000)
    .offset(MAX);
  return tx.run(query.deleteFrom('pending_signups').where('id', 'in', newer)) === 0;
}

/** The live sign-up that a token stands for, without spending it. */
export const findPendingSignup = (db: Db, token: string, now: Instant): PendingSignupRow | undefined =>
  db.one(
    query
      .selectFrom('pending_signups')
      .selectAll()
      .where('token_hash', '=', hashSecret(token))
      .where('expires_at', '>', now),
  );

/** Consumes the token of a pending sign-up; undefined when it does not work. */
export function consumePendingSignup(tx: Tx, token: string, now: Instant): PendingSignupRow | undefined {
  const pending = tx.one(
    query
      .deleteFrom('pending_signups')
      .where('token_hash', '=', hashSecret(token))
      .where('expires_at', '>', now)
      .returningAll(),
  );
  if (pending) deleteMailsWith(tx, [pending]);
  return pending;
}

/** Deletes every pending sign-up of an address, with their mails, and forgets that there were any. */
export function deletePendingSignups(tx: Tx, email: string): void {
  deleteMailsWith(tx, tx.all(query.deleteFrom('pending_signups').where('email', '=', email).returning('id')));
  deleteSignupAttempts(tx, email);
}
