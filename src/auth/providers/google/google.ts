import type { Tx } from '../../../db/tx.ts';
import type { Deps } from '../../../deps.ts';
import type { RequestContext } from '../../../http/request-context.ts';
import { signInFailed } from '../../../kernel/errors.ts';
import type { SignedIn } from '../../../sessions/actor.ts';
import { writeSignedIn } from '../../../sessions/authentication.ts';
import { findUserByIdentity, hasIdentity, insertIdentity } from '../../../storage/identities.ts';
import type { UserRow } from '../../../storage/tables.ts';
import { findUserByEmail } from '../../../storage/users.ts';
import { createAccount } from '../../account/account.ts';
import { completeSignIn, type SignIn } from '../../complete-sign-in.ts';
import { requireOpen } from '../../email/signup.ts';
import type { GoogleInput, GoogleLoginInput, Me } from '../../schema.ts';
import { ACCOUNT_DISABLED, addIdentity, fittingName, linkIdentity, notLinked } from '../identities.ts';
import type { GooglePerson } from './google-tokens.ts';

const NOT_VERIFIED = 'Google vouches for no e-mail address of this account that can be used here';

/**
 * Signs in by a Google ID token. Someone new gets an account as a confirmation makes it (403 while sign-up is
 * closed); an account with their address is theirs where Google is authoritative for it. 401 for a token that does
 * not work and for any other address that has an account. A token works until it expires: it has no nonce of ours.
 */
export async function logInByGoogle(
  deps: Deps,
  requestContext: RequestContext,
  input: GoogleLoginInput,
): Promise<SignIn> {
  const person = await deps.signIn.google.verify(input.idToken);
  if ('error' in person) throw signInFailed(person.error);
  const now = deps.clock.now();
  const signIn = await deps.write((tx) => {
    const user = accountOf(deps, tx, person, now);
    if (user && user.disabled_at !== null) throw signInFailed(ACCOUNT_DISABLED);
    return user && completeSignIn(deps, tx, requestContext, { user, by: 'google', mode: input.session }, now);
  });
  if (!signIn) {
    throw signInFailed(
      'This address has an account already: sign in to it another way, then link Google to it',
    );
  }
  return signIn;
}

/**
 * Links the Google account of an ID token to the caller's. 400 for a token that does not work, when it is linked to
 * another account, and when the caller has another one.
 */
export async function linkGoogle(deps: Deps, who: SignedIn, input: GoogleInput): Promise<Me> {
  const person = await deps.signIn.google.verify(input.idToken);
  if ('error' in person) throw notLinked('google', person.error);
  if (person.email === undefined) throw notLinked('google', NOT_VERIFIED);
  const now = deps.clock.now();
  return writeSignedIn(deps, who, (tx) => linkIdentity(deps, tx, who, 'google', person.subject, now));
}

/** The account that a person may enter, made if need be; undefined when they must first prove to own it. */
function accountOf(deps: Deps, tx: Tx, person: GooglePerson, now: number): UserRow | undefined {
  const { subject, email } = person;
  const known = findUserByIdentity(tx, 'google', subject);
  if (known) return known;
  if (email === undefined) throw signInFailed(NOT_VERIFIED);
  const owner = findUserByEmail(tx, email);
  if (owner) {
    // Someone else's subject at the same address means that the address changed hands at Google.
    if (!person.isAuthoritative || hasIdentity(tx, owner.id, 'google')) return undefined;
    addIdentity(deps, tx, owner, 'google', subject, now);
    return owner;
  }
  requireOpen(deps);
  const name = fittingName(person.name, email);
  const user = createAccount(deps, tx, { email, name, passwordHash: null }, now);
  insertIdentity(tx, user.id, 'google', subject, now);
  return user;
}
