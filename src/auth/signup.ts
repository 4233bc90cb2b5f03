import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { forbidden, unauthorized } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, toInstant } from '../kernel/instants.ts';
import { hashSecret, newSecret } from '../kernel/secrets.ts';
import { accountExists, confirmSignup as confirmSignupMail } from '../mail/messages.ts';
import { enqueueLimitedMail } from '../mail/outbox.ts';
import type { SignedInAnswer } from '../sessions/schema.ts';
import { signedInAnswer, startSession } from '../sessions/tokens.ts';
import { findUserByEmail } from '../users/store.ts';
import { createAccount } from './account.ts';
import { keepPendingSignup, takePendingSignup } from './pending-signups.ts';
import type { RegisterInput, TokenInput } from './schema.ts';

const PENDING_MS = DAY;

/**
 * Asks the owner of an address to confirm a sign-up. New, pending and existing addresses get the same answer for
 * the same work; the owner of an existing one is told. 403 while sign-up is closed.
 */
export async function register(deps: Deps, input: RegisterInput): Promise<undefined> {
  if (deps.config.auth.signup === 'closed') throw forbidden('Sign-up is closed on this server');
  const now = deps.clock.now();
  const passwordHash = await deps.passwords.hash(input.password);
  const id = newId();
  const token = newSecret();
  const expiresAt = toInstant(now + PENDING_MS);
  await deps.write((tx) => {
    const exists = findUserByEmail(tx, input.email) !== undefined;
    keepPendingSignup(tx, {
      id,
      email: input.email,
      name: input.name,
      password_hash: passwordHash,
      token_hash: hashSecret(token),
      created_at: toInstant(now),
      expires_at: expiresAt,
    });
    const mail = exists
      ? { message: accountExists() }
      : { message: confirmSignupMail(deps.config, token), secret: { id, expiresAt } };
    enqueueLimitedMail(deps, tx, { kind: 'confirm-signup', to: input.email, ...mail }, true, now);
  });
}

/** Opens the account that a mailed token stands for, and signs in to it. 401 for any token that does not work. */
export async function confirmSignup(
  deps: Deps,
  visitor: Visitor,
  input: TokenInput,
): Promise<SignedInAnswer> {
  const now = deps.clock.now();
  const opened = await deps.write((tx) => {
    const pending = takePendingSignup(tx, input.token, toInstant(now));
    if (!pending || findUserByEmail(tx, pending.email)) return undefined;
    const { email, name, password_hash: passwordHash } = pending;
    const user = createAccount(tx, { email, name, passwordHash }, now);
    return { user, session: startSession(deps, tx, visitor, user.id, now) };
  });
  if (!opened) throw unauthorized('The confirmation token is not valid');
  deps.log.info({ event: 'account-created', userId: opened.user.id }, 'account created');
  return signedInAnswer(deps, opened.user, opened.session, now);
}
