import { randomInt, timingSafeEqual } from 'node:crypto';
import { query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { signInFailed } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { MINUTE, toInstant } from '../kernel/instants.ts';
import { loginCode } from '../mail/messages.ts';
import { discardMails, enqueueDecoy, enqueueMail, takeMailBudget } from '../mail/outbox.ts';
import type { SignedInAnswer } from '../sessions/schema.ts';
import { signedInAnswer, startSession } from '../sessions/tokens.ts';
import { findUserByEmail } from '../users/store.ts';
import { blameForCode, countAttempt, forgiveAttempt, heldUp } from './attempts.ts';
import type { CodeInput, EmailInput, MessageAnswer } from './schema.ts';

const DIGITS = 6;
const VALID_MS = 10 * MINUTE;
const ATTEMPTS = 5;

/** Mails a sign-in code to a registered address; the answer and the work are the same for any address. */
export async function requestCode(deps: Deps, { email }: EmailInput): Promise<MessageAnswer> {
  const now = deps.clock.now();
  const code = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
  const secret = { id: newId(now), expiresAt: toInstant(now + VALID_MS) };
  await deps.write((tx) => {
    const to = { kind: 'login-code', to: email };
    if (!takeMailBudget(deps, tx, to, now)) return;
    tx.run(query.deleteFrom('login_codes').where('email', '=', email));
    tx.run(
      query.insertInto('login_codes').values({
        id: secret.id,
        email,
        code_hash: hashOf(deps, email, code),
        attempts: 0,
        expires_at: secret.expiresAt,
      }),
    );
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
export async function confirmCode(deps: Deps, visitor: Visitor, input: CodeInput): Promise<SignedInAnswer> {
  const now = deps.clock.now();
  const offered = hashOf(deps, input.email, input.code);
  const outcome = await deps.write((tx) => {
    const waitMs = countAttempt(deps, tx, visitor, input.email, now, 'code');
    if (waitMs !== undefined) return { waitMs };
    const live = tx.one(
      query
        .updateTable('login_codes')
        .set((row) => ({ attempts: row('attempts', '+', 1) }))
        .where('email', '=', input.email)
        .where('attempts', '<', ATTEMPTS)
        .where('expires_at', '>', toInstant(now))
        .returning('code_hash'),
    );
    const user = findUserByEmail(tx, input.email);
    if (!live || !equal(live.code_hash, offered) || !user) {
      blameForCode(deps, tx, visitor, input.email, now);
      return {};
    }
    dropCode(tx, input.email);
    forgiveAttempt(deps, tx, visitor, input.email, now, 'code');
    return { user, session: startSession(deps, tx, visitor, user.id, now) };
  });
  if (outcome.waitMs !== undefined) throw heldUp(outcome.waitMs);
  if (!outcome.user) throw signInFailed('The code is not valid');
  return signedInAnswer(deps, outcome.user, outcome.session, now);
}

/** Kills the code of an address, with its mail. */
export const dropCode = (tx: Tx, email: string): void =>
  discardMails(tx, tx.all(query.deleteFrom('login_codes').where('email', '=', email).returning('id')));

/** Keyed, since a million codes are tried in no time; bound to the address. */
const hashOf = ({ keys }: Deps, email: string, code: string) => keys.codeHash(`${email}\n${code}`);

const equal = (a: string, b: string) => timingSafeEqual(Buffer.from(a), Buffer.from(b));
