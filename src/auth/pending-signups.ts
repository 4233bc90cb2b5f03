import { query } from '../db/connection.ts';
import type { PendingSignupRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { hashSecret } from '../kernel/secrets.ts';
import { discardMails } from '../mail/outbox.ts';

const AT_MOST = 5;

/**
 * Stores a sign-up until it is confirmed. The newest few of an address stay, so that a stranger's neither replaces
 * someone's at once nor fills the disk. The mails of older ones still go out.
 */
export function keepPendingSignup(tx: Tx, row: PendingSignupRow): void {
  tx.run(query.insertInto('pending_signups').values(row));
  const older = query
    .selectFrom('pending_signups')
    .select('id')
    .where('email', '=', row.email)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(AT_MOST);
  tx.run(query.deleteFrom('pending_signups').where('id', 'in', older));
}

/** Spends the token of a pending sign-up; undefined when it does not work. */
export function takePendingSignup(tx: Tx, token: string, now: Instant): PendingSignupRow | undefined {
  const pending = tx.one(
    query
      .deleteFrom('pending_signups')
      .where('token_hash', '=', hashSecret(token))
      .where('expires_at', '>', now)
      .returningAll(),
  );
  if (pending) discardMails(tx, [pending]);
  return pending;
}

/** Drops every pending sign-up of an address, with their mails. */
export const dropPendingSignups = (tx: Tx, email: string): void =>
  discardMails(tx, tx.all(query.deleteFrom('pending_signups').where('email', '=', email).returning('id')));
