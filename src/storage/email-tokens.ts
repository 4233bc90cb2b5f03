import { type Db, query } from '../db/connection.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, type Instant, MINUTE, toInstant } from '../kernel/instants.ts';
import { hashSecret, newSecret } from '../kernel/secrets.ts';
import { deleteMailsWith } from './outbox.ts';
import type { EmailTokenRow } from './tables.ts';

type Purpose = EmailTokenRow['purpose'];

const LIFE_MS = {
  'password-reset': 30 * MINUTE,
  'email-change': 30 * MINUTE,
  'email-keep': 7 * DAY,
};

/** The purposes of a token that keeps an address, whether the account's was changed since or not. */
export const KEEPING: Purpose[] = ['email-keep', 'email-undo'];

/** Makes and stores a single-use token: the secret to be mailed, and the id of the row that will know it again. */
export function issueToken(
  db: Db,
  about: { purpose: keyof typeof LIFE_MS; userId: string | null; email: string },
  now: number,
) {
  const issued = { id: newId(now), token: newSecret(), expiresAt: toInstant(now + LIFE_MS[about.purpose]) };
  db.run(
    query.insertInto('email_tokens').values({
      id: issued.id,
      purpose: about.purpose,
      user_id: about.userId,
      email: about.email,
      token_hash: hashSecret(issued.token),
      created_at: toInstant(now),
      expires_at: issued.expiresAt,
    }),
  );
  return issued;
}

/** Consumes a token: the statement that finds it deletes it. Undefined for one that does not work. */
export function consumeToken(db: Db, purpose: Purpose | Purpose[], token: string, now: number) {
  const row = db.one(
    query
      .deleteFrom('email_tokens')
      .where('token_hash', '=', hashSecret(token))
      .where('purpose', 'in', [purpose].flat())
      .where('expires_at', '>', toInstant(now))
      .returningAll(),
  );
  if (row) deleteMailsWith(db, [row]);
  return row?.user_id ? { ...row, user_id: row.user_id } : undefined;
}

/** What a token that works stands for, whatever its purpose, without consuming it. */
export const findToken = (db: Db, token: string, now: Instant) =>
  db.one(
    query
      .selectFrom('email_tokens')
      .selectAll()
      .where('token_hash', '=', hashSecret(token))
      .where('expires_at', '>', now),
  );

/** The oldest token that works and keeps this address for a user. */
export const oldestKeepToken = (db: Db, userId: string, email: string, now: number) =>
  db.one(
    query
      .selectFrom('email_tokens')
      .selectAll()
      .where('user_id', '=', userId)
      .where('purpose', 'in', KEEPING)
      .where('email', '=', email)
      .where('expires_at', '>', toInstant(now))
      .orderBy('id')
      .limit(1),
  );

/** Makes every token that would have cancelled a change of a user's address undo it. */
export const letKeepTokensUndo = (db: Db, userId: string) =>
  db.run(
    query
      .updateTable('email_tokens')
      .set({ purpose: 'email-undo' })
      .where('user_id', '=', userId)
      .where('purpose', '=', 'email-keep'),
  );

/**
 * Revokes tokens of a user for these purposes, with the mails that carry them; if told so, only that one and those made
 * after it, or none that was mailed to this address.
 */
export function revokeTokens(
  db: Db,
  userId: string,
  only: { purposes: Purpose[]; fromId?: string; notTo?: string },
): void {
  let rowsToDelete = query
    .deleteFrom('email_tokens')
    .where('user_id', '=', userId)
    .where('purpose', 'in', only.purposes);
  if (only.fromId !== undefined) rowsToDelete = rowsToDelete.where('id', '>=', only.fromId);
  if (only.notTo !== undefined) rowsToDelete = rowsToDelete.where('email', '!=', only.notTo);
  deleteMailsWith(db, db.all(rowsToDelete.returning('id')));
}

/** Revokes every token of a user and every one mailed to their address, but not what lets another account have that back. */
export const revokeAllTokens = (db: Db, userId: string, email: string) =>
  db.run(
    query
      .deleteFrom('email_tokens')
      .where((row) =>
        row.or([row('user_id', '=', userId), row('email', '=', email).and('purpose', 'not in', KEEPING)]),
      ),
  );

/** Revokes the tokens that a newer one replaces; their mails still go out. */
export const replaceTokens = (db: Db, userId: string, purpose: Purpose) =>
  db.run(query.deleteFrom('email_tokens').where('user_id', '=', userId).where('purpose', '=', purpose));

/**
 * Keeps the newest `most` tokens of a purpose that were mailed to an address, and revokes the older ones; their mails
 * still go out.
 */
export function keepNewestTokens(db: Db, purpose: Purpose, email: string, most: number): void {
  const older = query
    .selectFrom('email_tokens')
    .select('id')
    .where('email', '=', email)
    .where('purpose', '=', purpose)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1_000)
    .offset(most);
  db.run(query.deleteFrom('email_tokens').where('id', 'in', older));
}
