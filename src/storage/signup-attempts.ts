import { type Db, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { DAY, toInstant } from '../kernel/instants.ts';
import type { Keys } from '../kernel/keys.ts';

/** How long a sign-up counts against another one of the same address. */
export const CONFLICT_MS = DAY;
/** Of two that differ, one always differs from any third. */
const TAGS_KEPT = 2;
const NO_PASSWORD = -1;

/** Stands for a password of an address: 16 bits of a keyed hash, or -1 for a sign-up without one. */
export const passwordTag = (keys: Keys, email: string, password: string | null): number =>
  password === null
    ? NO_PASSWORD
    : Buffer.from(keys.codeHash(`signup\n${email}\n${password}`), 'base64url').readUInt16BE(0);

/** Notes a sign-up of an address, whether it is kept or not: the newest time for each of its two newest passwords. */
export function noteSignup(tx: Tx, email: string, tag: number, now: number): void {
  const at = toInstant(now);
  tx.run(
    query
      .insertInto('signup_attempts')
      .values({ email, password_tag: tag, made_at: at })
      .onConflict((conflict) => conflict.columns(['email', 'password_tag']).doUpdateSet({ made_at: at })),
  );
  const kept = query
    .selectFrom('signup_attempts')
    .select('password_tag')
    .where('email', '=', email)
    .orderBy('made_at', 'desc')
    .orderBy('password_tag')
    .limit(TAGS_KEPT);
  tx.run(
    query.deleteFrom('signup_attempts').where('email', '=', email).where('password_tag', 'not in', kept),
  );
}

/** Whether the address was signed up with another password than this one within a day. */
export const isContested = (db: Db, email: string, tag: number, now: number): boolean =>
  db.one(
    query
      .selectFrom('signup_attempts')
      .select('made_at')
      .where('email', '=', email)
      .where('password_tag', '!=', tag)
      .where('made_at', '>', toInstant(now - CONFLICT_MS))
      .limit(1),
  ) !== undefined;

/** Deletes the sign-ups of an address. */
export const deleteSignupAttempts = (tx: Tx, email: string) =>
  tx.run(query.deleteFrom('signup_attempts').where('email', '=', email));
