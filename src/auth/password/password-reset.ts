import { recordAct } from '../../audit/trail.ts';
import type { Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { toInstant } from '../../kernel/instants.ts';
import { passwordChanged, resetPassword } from '../../mail/messages.ts';
import { revokeApiTokens } from '../../storage/api-tokens.ts';
import {
  consumeToken,
  findToken,
  issueToken,
  keepNewestTokens,
  revokeTokens,
} from '../../storage/email-tokens.ts';
import { deleteLoginCode } from '../../storage/login-codes.ts';
import { enqueueDecoy, enqueueMail, takeMailAllowance } from '../../storage/outbox.ts';
import { endSessions } from '../../storage/sessions.ts';
import { findUserByEmail, updateUser } from '../../storage/users.ts';
import { clearAttempts } from '../../users/attempts.ts';
import type { EmailInput, MessageResponse, ResetInput } from '../schema.ts';

const MAX_LIVE = 3;

/** Mails a reset link to a registered address; the response and the work are the same for any address. */
export async function requestReset(deps: Deps, { email }: EmailInput): Promise<MessageResponse> {
  const now = deps.clock.now();
  await deps.write((tx) => {
    const to = { kind: 'password-reset', to: email };
    if (!takeMailAllowance(deps, tx, to, now)) return;
    const user = findUserByEmail(tx, email);
    const userId = user?.id ?? null;
    const secret = issueToken(tx, { purpose: 'password-reset', userId, email }, now);
    keepNewestTokens(tx, 'password-reset', email, MAX_LIVE);
    const mail = { ...to, message: resetPassword(deps.config, secret.token), secret, userId };
    (user ? enqueueMail : enqueueDecoy)(deps, tx, mail, now);
  });
  return { message: 'If the address has an account, a link to reset its password is on its way' };
}

/**
 * Sets a new password by a mailed token, ends every session, kills whatever else was mailed, forgets failed attempts and
 * tells the owner. 401 for a token that does not work.
 */
export async function confirmReset(
  deps: Deps,
  requestContext: RequestContext,
  input: ResetInput,
): Promise<undefined> {
  const now = deps.clock.now();
  const rejection = unauthorized('The reset token is not valid');
  if (findToken(deps.read, input.token, toInstant(now))?.purpose !== 'password-reset') throw rejection;
  const passwordHash = await deps.signIn.passwords.hash(input.newPassword, requestContext.address);
  const userId = await deps.write((tx) => {
    const token = consumeToken(tx, 'password-reset', input.token, now);
    if (!token) return undefined;
    replacePassword(deps, tx, token.user_id, passwordHash, now);
    clearAttempts(deps, tx, { requestContext, email: token.email, now });
    recordAct(deps, tx, { event: 'password-reset', userId: token.user_id }, 'password reset');
    return token.user_id;
  });
  if (userId === undefined) throw rejection;
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
  if (keepSession === undefined) revokeApiTokens(tx, userId);
  revokeTokens(tx, userId, { purposes: ['password-reset', 'email-change'] });
  deleteLoginCode(tx, user.email);
  const message = passwordChanged(deps.config, user.email);
  enqueueMail(deps, tx, { kind: 'password-changed', to: user.email, message, userId }, now);
}
