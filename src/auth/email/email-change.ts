import { recordAct } from '../../audit/trail.ts';
import type { Deps } from '../../deps.ts';
import { unauthorized } from '../../kernel/errors.ts';
import { DAY, type Instant, toInstant, toMs } from '../../kernel/instants.ts';
import { addressTaken, confirmEmail, keepEmail, passwordRemoved } from '../../mail/messages.ts';
import type { SignedIn } from '../../sessions/actor.ts';
import { requireAccount, writeSignedIn } from '../../sessions/authentication.ts';
import { revokeApiTokens } from '../../storage/api-tokens.ts';
import {
  consumeToken,
  issueToken,
  KEEPING,
  letKeepTokensUndo,
  oldestKeepToken,
  replaceTokens,
  revokeTokens,
} from '../../storage/email-tokens.ts';
import { deleteLoginCode } from '../../storage/login-codes.ts';
import { enqueueMail, requireSenderAllowance, takeMailAllowance } from '../../storage/outbox.ts';
import { deletePendingSignups } from '../../storage/pending-signups.ts';
import { endSessions } from '../../storage/sessions.ts';
import type { EmailTokenRow, UserRow } from '../../storage/tables.ts';
import { findUser, findUserByEmail, updateUser } from '../../storage/users.ts';
import { removeIdentities } from '../providers/identities.ts';
import type { EmailChangeInput, MessageResponse, TokenInput } from '../schema.ts';

/** For how long before a change of address was asked for what was added then goes with it. */
const SUSPECT_MS = 7 * DAY;

/**
 * Mails a confirmation to the new address and tells the old one, with a link to keep it. A taken address gets the
 * same response; its owner is told instead. 429 when this user caused too many mails today.
 */
export async function requestChange(
  deps: Deps,
  who: SignedIn,
  input: EmailChangeInput,
): Promise<MessageResponse> {
  const now = deps.clock.now();
  const { newEmail } = input;
  await writeSignedIn(deps, who, (tx) => {
    const user = requireAccount(tx, who);
    requireSenderAllowance(deps, tx, user.id, now);
    const to = { kind: 'email-change', to: newEmail };
    if (!takeMailAllowance(deps, tx, to, now)) return;
    replaceTokens(tx, user.id, 'email-change');
    const change = issueToken(tx, { purpose: 'email-change', userId: user.id, email: newEmail }, now);
    const keep = issueToken(tx, { purpose: 'email-keep', userId: user.id, email: user.email }, now);
    const owner = findUserByEmail(tx, newEmail);
    const toNew = owner
      ? { message: addressTaken(deps.config, newEmail), userId: owner.id }
      : { message: confirmEmail(deps.config, user.email, change.token), secret: change, userId: user.id };
    enqueueMail(deps, tx, { ...to, ...toNew }, now);
    const toOld = { message: keepEmail(deps.config, newEmail, keep.token), secret: keep, userId: user.id };
    enqueueMail(deps, tx, { kind: 'email-keep', to: user.email, ...toOld }, now);
  });
  return { message: 'A link to confirm the address is on its way to it' };
}

/**
 * Gives the account its new address. What was mailed to the old one is revoked, except its link to keep it, which is
 * revoked where the new address can be kept by an older one; sessions live on. 401 for a token that does not work, or
 * when the address was taken meanwhile.
 */
export async function confirmChange(deps: Deps, input: TokenInput): Promise<undefined> {
  const now = deps.clock.now();
  const userId = await deps.write((tx) => {
    const token = consumeToken(tx, 'email-change', input.token, now);
    const user = token && findUser(tx, token.user_id);
    if (!token || !user || findUserByEmail(tx, token.email)) return undefined;
    revokeTokens(tx, user.id, { purposes: ['password-reset', 'email-change'] });
    const senior = oldestKeepToken(tx, user.id, token.email, now);
    if (senior) revokeTokens(tx, user.id, { purposes: KEEPING, fromId: senior.id, notTo: token.email });
    letKeepTokensUndo(tx, user.id);
    deleteLoginCode(tx, user.email);
    for (const address of [user.email, token.email]) deletePendingSignups(tx, address);
    updateUser(tx, user.id, toInstant(now), { email: token.email });
    recordAct(deps, tx, { event: 'email-changed', userId: user.id }, 'e-mail address changed');
    return user.id;
  });
  if (userId === undefined) throw unauthorized('The token is not valid');
}

/**
 * Keeps the address that a change was to take away: cancels the change, or undoes it, even where the address has come
 * back, ends all sessions and takes away passwords and identities that were added since it was first asked for or in the
 * week before, except those of the sign-up; the owner is told. What was mailed to newer addresses is revoked, but no older
 * address loses its say: a thief may have changed it more than once. 401 for a token that does not work, or while the
 * address is another's: that spends none.
 */
export async function revertChange(deps: Deps, input: TokenInput): Promise<undefined> {
  const now = deps.clock.now();
  const rejection = unauthorized('The token is not valid');
  await deps.write((tx) => {
    const token = consumeToken(tx, KEEPING, input.token, now);
    const user = token && findUser(tx, token.user_id);
    if (!token || !user) throw rejection;
    recordAct(
      deps,
      tx,
      { event: 'email-kept', userId: user.id },
      'change of e-mail address reverted',
      'warn',
    );
    revokeTokens(tx, user.id, { purposes: ['email-change'] });
    const holder = findUserByEmail(tx, token.email);
    if (holder && holder.id !== user.id) throw rejection;
    const first = firstOf(token, oldestKeepToken(tx, user.id, token.email, now));
    if (holder && first.purpose === 'email-keep') return;
    revokeTokens(tx, user.id, { purposes: ['password-reset'] });
    revokeTokens(tx, user.id, { purposes: KEEPING, fromId: first.id });
    deleteLoginCode(tx, user.email);
    deletePendingSignups(tx, token.email);
    endSessions(tx, user.id);
    revokeApiTokens(tx, user.id, { since: first.created_at });
    const owner = { ...user, email: token.email };
    const isSuspect = suspects(user, first);
    removeIdentities(deps, tx, owner, isSuspect, now);
    const isPasswordNewer = user.password_set_at !== null && isSuspect(user.password_set_at);
    updateUser(tx, user.id, toInstant(now), {
      email: owner.email,
      ...(isPasswordNewer && { password_hash: null, password_set_at: null }),
    });
    if (isPasswordNewer) {
      const message = passwordRemoved(deps.config, owner.email);
      enqueueMail(deps, tx, { kind: 'password-removed', to: owner.email, message, userId: owner.id }, now);
    }
  });
}

/** Tells whether a way to sign in, by when it was added, may be a thief's who then asked for that change of address. */
function suspects({ created_at: signedUpAt }: UserRow, { created_at: askedAt }: EmailTokenRow) {
  const since = toInstant(toMs(askedAt) - SUSPECT_MS);
  return (addedAt: Instant): boolean => addedAt >= askedAt || (addedAt >= since && addedAt !== signedUpAt);
}

const firstOf = (token: EmailTokenRow, other = token): EmailTokenRow => (other.id < token.id ? other : token);
