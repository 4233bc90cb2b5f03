import { type Db, query } from '../db/connection.ts';
import { toInstant } from '../kernel/instants.ts';
import type { IdentityRow, Tables, UserRow } from './tables.ts';

type Provider = IdentityRow['provider'];

/** The user who signs in as this person elsewhere. */
export const findUserByIdentity = (db: Db, provider: Provider, subject: string): UserRow | undefined =>
  db.one(
    query
      .selectFrom('identities')
      .innerJoin('users', 'users.id', 'identities.user_id')
      .selectAll('users')
      .where('provider', '=', provider)
      .where('subject', '=', subject),
  );

export const identitiesOf = (db: Db, userId: string): IdentityRow[] =>
  db.all(query.selectFrom('identities').selectAll().where('user_id', '=', userId));

export const hasIdentity = (db: Db, userId: string, provider: Provider): boolean =>
  db.one(
    query
      .selectFrom('identities')
      .select('subject')
      .where('user_id', '=', userId)
      .where('provider', '=', provider),
  ) !== undefined;

/** Makes an account known by someone elsewhere; the caller has seen that neither has another of that provider. */
export const insertIdentity = (db: Db, userId: string, provider: Provider, subject: string, now: number) =>
  db.run(
    query.insertInto('identities').values({ provider, subject, user_id: userId, created_at: toInstant(now) }),
  );

/** False when there is none. */
export const deleteIdentity = (db: Db, userId: string, provider: Provider): boolean =>
  db.run(query.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', provider)) > 0;

/** Consumes what Telegram signed; false when it was consumed before. */
export const consumeTelegramLogin = (db: Db, payload: Tables['used_telegram_logins']): boolean =>
  db.run(
    query
      .insertInto('used_telegram_logins')
      .values(payload)
      .onConflict((conflict) => conflict.doNothing()),
  ) > 0;

export const deleteIdentitiesOf = (db: Db, userId: string) =>
  db.run(query.deleteFrom('identities').where('user_id', '=', userId));
