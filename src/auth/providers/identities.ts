import { recordAct } from '../../audit/trail.ts';
import type { Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import { invalid } from '../../kernel/errors.ts';
import type { Instant } from '../../kernel/instants.ts';
import { signInMethodChanged } from '../../mail/messages.ts';
import type { SignedIn } from '../../sessions/actor.ts';
import { requireAccount, writeSignedIn } from '../../sessions/authentication.ts';
import {
  deleteIdentity,
  findUserByIdentity,
  hasIdentity,
  identitiesOf,
  insertIdentity,
} from '../../storage/identities.ts';
import { enqueueMail } from '../../storage/outbox.ts';
import type { IdentityRow, UserRow } from '../../storage/tables.ts';
import { Name } from '../../users/schema.ts';
import { findMe } from '../account/me.ts';
import type { Me } from '../schema.ts';

type Provider = IdentityRow['provider'];

/** What people call it, and the field of a request that says who someone is there. */
const PROVIDERS: Record<Provider, { title: string; field: string }> = {
  google: { title: 'Google', field: 'idToken' },
  telegram: { title: 'Telegram', field: 'hash' },
};
/** Told only to who has proved, by Google or Telegram, to own the account. */
export const ACCOUNT_DISABLED = 'This account is disabled';
const MAX_NAME_CHARACTERS = 200;

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

/** The 400 for an account elsewhere that is not linked. */
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
  const user = requireAccount(tx, who);
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
    if (!deleteIdentity(tx, who.userId, provider)) return;
    tellOwner(deps, tx, requireAccount(tx, who), provider, 'removed', now);
  });
}

/** Takes ways to sign in away from an account, by when they were added, and tells its owner of each. */
export function removeIdentities(
  deps: Deps,
  tx: Tx,
  user: UserRow,
  isRemoved: (addedAt: Instant) => boolean,
  now: number,
): void {
  for (const { provider, created_at: addedAt } of identitiesOf(tx, user.id)) {
    if (!isRemoved(addedAt)) continue;
    deleteIdentity(tx, user.id, provider);
    tellOwner(deps, tx, user, provider, 'removed', now);
  }
}

/** A name as it is called elsewhere, made to fit ours; where nothing is left of it, the address before its @. */
export function fittingName(offered: string | undefined, email: string): string {
  const plain = (offered ?? '')
    .toWellFormed()
    .replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .slice(0, MAX_NAME_CHARACTERS)
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
  tx.tell({ userId: user.id, about: 'profile' });
  const message = signInMethodChanged(deps.config, user.email, PROVIDERS[provider].title, change);
  enqueueMail(deps, tx, { kind: 'sign-in-method-changed', to: user.email, message, userId: user.id }, now);
  recordAct(deps, tx, { event: `identity-${change}`, provider, userId: user.id }, `way to sign in ${change}`);
}
