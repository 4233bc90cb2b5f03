import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Deps } from '../../deps.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { signInFailed } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { MINUTE, toInstant } from '../../kernel/instants.ts';
import { loginCode } from '../../mail/messages.ts';
import { attemptLoginCode, deleteLoginCode, replaceLoginCode } from '../../storage/login-codes.ts';
import { enqueueDecoy, enqueueMail, takeMailAllowance } from '../../storage/outbox.ts';
import { findUserByEmail } from '../../storage/users.ts';
import { chargeFailedCode, countAttempt, rateLimited, refundAttempt } from '../../users/attempts.ts';
import { completeSignIn, type SignIn } from '../complete-sign-in.ts';
import type { CodeInput, EmailInput, MessageResponse } from '../schema.ts';

const DIGITS = 6;
const VALID_MS = 10 * MINUTE;
const ATTEMPTS = 5;

/** Mails a sign-in code to a registered address; the response and the work are the same for any address. */
export async function requestCode(deps: Deps, { email }: EmailInput): Promise<MessageResponse> {
  const now = deps.clock.now();
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
  const secret = { id: newId(now), expiresAt: toInstant(now + VALID_MS) };
  await deps.write((tx) => {
    const to = { kind: 'login-code', to: email };
    if (!takeMailAllowance(deps, tx, to, now)) return;
    replaceLoginCode(tx, { ...secret, email, hash: hashOf(deps, email, code) });
    const user = findUserByEmail(tx, email);
    const mail = { ...to, message: loginCode(code), secret, userId: user?.id ?? null, urgent: true };
    (user ? enqueueMail : enqueueDecoy)(deps, tx, mail, now);
  });
  return { message: 'If the address has an account, a code is on its way' };
}

/**
 * Signs in by a mailed code: 10 minutes, 5 attempts, each counted on the disk whatever its outcome, and only the
 * newest code. 401 for one that does not work, 429 after too many failures.
 */
export async function confirmCode(
  deps: Deps,
  requestContext: RequestContext,
  input: CodeInput,
): Promise<SignIn> {
  const now = deps.clock.now();
  const attempt = { requestContext, email: input.email, now };
  const offered = hashOf(deps, input.email, input.code);
  const outcome = await deps.write((tx) => {
    const waitMs = countAttempt(deps, tx, attempt, 'code');
    if (waitMs !== undefined) return { waitMs };
    const hash = attemptLoginCode(tx, input.email, ATTEMPTS, toInstant(now));
    const user = findUserByEmail(tx, input.email);
    if (hash === undefined || !equal(hash, offered) || !user || user.disabled_at !== null) {
      chargeFailedCode(deps, tx, attempt);
      return {};
    }
    deleteLoginCode(tx, input.email);
    refundAttempt(deps, tx, attempt, 'code');
    return {
      signIn: completeSignIn(deps, tx, requestContext, { user, by: 'code', mode: input.session }, now),
    };
  });
  if (outcome.waitMs !== undefined) throw rateLimited(outcome.waitMs);
  if (!outcome.signIn) throw signInFailed('The code is not valid');
  return outcome.signIn;
}

/** Keyed, since a million codes are tried in no time; bound to the address. */
const hashOf = ({ keys }: Deps, email: string, code: string) => keys.codeHash(`${email}\n${code}`);

const equal = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b));
