import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { unauthorized } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { passwordChanged, resetPassword } from '../mail/messages.ts';
import { enqueueDecoy, enqueueMail, takeMailBudget } from '../mail/outbox.ts';
import { endSessions } from '../sessions/store.ts';
import { findUserByEmail, updateUser } from '../users/store.ts';
import { forgetAttempts } from './attempts.ts';
import { issueToken, keepNewestTokens, revokeTokens, takeToken, tokenWorks } from './email-tokens.ts';
import { dropCode } from './login-code.ts';
import type { EmailInput, MessageAnswer, ResetInput } from './schema.ts';

const LIVE_AT_MOST = 3;

/** Mails a reset link to a registered address; the answer and the work are the same for any address. */
export async function requestReset(deps: Deps, { email }: EmailInput): Promise<MessageAnswer> {
  const now = deps.clock.now();
  await deps.write((tx) => {
    const to = { kind: 'password-reset', to: email };
    if (!takeMailBudget(deps, tx, to, now)) return;
    const user = findUserByEmail(tx, email);
    const secret = issueToken(tx, { purpose: 'password-reset', userId: user?.id ?? null, email }, now);
    keepNewestTokens(tx, 'password-reset', email, LIVE_AT_MOST);
    const mail = {
      ...to,
      message: resetPassword(deps.config, secret.token),
      secret,
      userId: user?.id ?? null,
    };
    (user ? enqueueMail : enqueueDecoy)(deps, tx, mail, now);
  });
  return { message: 'If the address has an account, a link to reset its password is on its way' };
}

/**
 * Sets a new password by a mailed token, ends every session, kills whatever else was mailed, forgets failed attempts and
 * tells the owner. 401 for a token that does not work.
 */
export async function confirmReset(deps: Deps, visitor: Visitor, input: ResetInput): Promise<undefined> {
  const now = deps.clock.now();
  const refusal = unauthorized('The reset token is not valid');
  if (!tokenWorks(deps.read, 'password-reset', input.token, now)) throw refusal;
  const passwordHash = await deps.passwords.hash(input.newPassword);
  const userId = await deps.write((tx) => {
    const token = takeToken(tx, 'password-reset', input.token, now);
    if (!token) return undefined;
    replacePassword(deps, tx, token.user_id, passwordHash, now);
    forgetAttempts(deps, tx, visitor, token.email);
    return token.user_id;
  });
  if (userId === undefined) throw refusal;
  deps.log.info({ event: 'password-reset', userId }, 'password reset');
}

/**
 * Stores a new password in the caller's transaction: ends all sessions (or all but `keepSession`), kills every
 * outstanding code, reset and e-mail change, and promises a notice to the owner.
 */
export function replacePassword(
  deps: Deps,
  tx: Tx,
  userId: string,
  passwordHash: string,
  now: number,
  keepSession?: string,
): void {
  const at = toInstant(now);
  const user = updateUser(tx, userId, at, { password_hash: passwordHash, password_set_at: at });
  if (!user) return;
  endSessions(tx, userId, keepSession);
  revokeTokens(tx, userId, { purposes: ['password-reset', 'email-change'] });
  dropCode(tx, user.email);
  const notice = { kind: 'password-changed', to: user.email, message: passwordChanged(), userId };
  enqueueMail(deps, tx, notice, now);
}
