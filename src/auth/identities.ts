import { type Db, query } from '../db/connection.ts';
import type { IdentityRow, UserRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { invalid } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { signInMethodChanged } from '../mail/messages.ts';
import { enqueueMail } from '../mail/outbox.ts';
import { demandAccount, type SignedIn, writeSignedIn } from '../sessions/door.ts';
import { Name } from '../users/schema.ts';
import { findMe } from './me.ts';
import type { Me } from './schema.ts';

type Provider = IdentityRow['provider'];

/** What people call it, and the field of a request that says who someone is there. */
const PROVIDERS: Record<Provider, { title: string; field: string }> = {
  google: { title: 'Google', field: 'idToken' },
  telegram: { title: 'Telegram', field: 'hash' },
};
const NAME_CHARACTERS_AT_MOST = 200;

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

export const hasIdentity = (db: Db, userId: string, provider: Provider): boolean =>
  db.one(
    query
      .selectFrom('identities')
      .select('subject')
      .where('user_id', '=', userId)
      .where('provider', '=', provider),
  ) !== undefined;

/** Makes an account known by someone elsewhere; the caller has seen that neither has another of that provider. */
export const insertIdentity = (tx: Tx, userId: string, provider: Provider, subject: string, now: number) =>
  tx.run(
    query.insertInto('identities').values({ provider, subject, user_id: userId, created_at: toInstant(now) }),
  );

/** Adds a way to sign in to an account that exists, and tells its owner. */
export function addIdentity(
  deps: Deps,
  tx: Tx,
  user: UserRow,
  provider: Provider,
  subject: string,
  now: number,
): void {
  insertIdentity(tx, user.id, provider, subject, now);
  tellOwner(deps, tx, user, provider, 'added', now);
}

/** Refuses to link what a request says of someone elsewhere. */
export const notLinked = (provider: Provider, message: string) =>
  invalid({ path: PROVIDERS[provider].field, message });

/**
 * Adds a way to sign in to the caller's account, in the caller's transaction. 400 where it is another account's, or
 * this account has another of that provider. What is linked already stays so.
 */
export function linkIdentity(
  deps: Deps,
  tx: Tx,
  who: SignedIn,
  provider: Provider,
  subject: string,
  now: number,
): Me {
  const user = demandAccount(tx, who);
  const owner = findUserByIdentity(tx, provider, subject);
  const { title } = PROVIDERS[provider];
  if (owner && owner.id !== user.id) {
    throw notLinked(provider, `This ${title} account is linked to another account`);
  }
  if (!owner && hasIdentity(tx, user.id, provider)) {
    throw notLinked(provider, `Another ${title} account is linked already: remove it first`);
  }
  if (!owner) addIdentity(deps, tx, user, provider, subject, now);
  return findMe(tx, user.id);
}

/**
 * Takes a way to sign in away from the caller's account and tells them; nothing happens when there is none. It may be
 * the last one: a mailed code still opens every account.
 */
export async function removeIdentity(deps: Deps, who: SignedIn, provider: Provider): Promise<undefined> {
  const now = deps.clock.now();
  await writeSignedIn(deps, who, (tx) => {
    const doomed = query
      .deleteFrom('identities')
      .where('user_id', '=', who.userId)
      .where('provider', '=', provider);
    if (tx.run(doomed) > 0) tellOwner(deps, tx, demandAccount(tx, who), provider, 'removed', now);
  });
}

/** Takes the ways to sign in that were added since an instant away from an account, and tells its owner of each. */
export function removeIdentitiesSince(deps: Deps, tx: Tx, user: UserRow, since: Instant, now: number): void {
  const doomed = query
    .deleteFrom('identities')
    .where('user_id', '=', user.id)
    .where('created_at', '>=', since)
    .returning('provider');
  for (const { provider } of tx.all(doomed)) tellOwner(deps, tx, user, provider, 'removed', now);
}

/** A name as it is called elsewhere, made to fit ours; where nothing is left of it, the address before its @. */
export function fittingName(offered: string | undefined, email: string): string {
  const plain = (offered ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, NAME_CHARACTERS_AT_MOST)
    .replace(/[\ud800-\udbff]$/, '');
  const name = Name.safeParse(plain);
  return name.success ? name.data : email.slice(0, email.indexOf('@'));
}

function tellOwner(
  deps: Deps,
  tx: Tx,
  user: UserRow,
  provider: Provider,
  change: 'added' | 'removed',
  now: number,
): void {
  const message = signInMethodChanged(PROVIDERS[provider].title, change);
  enqueueMail(deps, tx, { kind: 'sign-in-method-changed', to: user.email, message, userId: user.id }, now);
  tx.afterCommit(() =>
    deps.log.info({ event: `identity-${change}`, provider, userId: user.id }, `way to sign in ${change}`),
  );
}
