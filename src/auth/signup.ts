import type { PendingSignupRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { forbidden, type Issue, invalid, unauthorized } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { DAY, toInstant } from '../kernel/instants.ts';
import { hashSecret, newSecret } from '../kernel/secrets.ts';
import { accountExists, confirmSignup as confirmSignupMail, type Message } from '../mail/messages.ts';
import { enqueueMail, takeMailBudget } from '../mail/outbox.ts';
import type { SignedInAnswer } from '../sessions/schema.ts';
import { signedInAnswer, startSession } from '../sessions/tokens.ts';
import { findUserByEmail } from '../users/store.ts';
import { invitedTo, join } from '../workspaces/invitations.ts';
import { takeInvitationTo } from '../workspaces/invitations-store.ts';
import { createAccount } from './account.ts';
import { findUserByIdentity, insertIdentity } from './identities.ts';
import { keepPendingSignup, takePendingSignup } from './pending-signups.ts';
import type { RegisterInput, TokenInput } from './schema.ts';

const PENDING_MS = DAY;
const UNFIT_INVITATION: Issue = {
  path: 'invitationToken',
  message: 'The invitation is not valid for this address',
};

/**
 * Asks the owner of an address to confirm a sign-up. New, pending and existing addresses get the same answer for
 * the same work; the owner of an existing one is told. An invitation that does not work for the address is 400, and
 * 403 while sign-up is closed, as is none at all.
 */
export async function register(deps: Deps, input: RegisterInput): Promise<undefined> {
  const now = deps.clock.now();
  const { email, invitationToken } = input;
  const invitedToId =
    invitationToken === undefined ? undefined : invitedTo(deps.read, invitationToken, email, toInstant(now));
  if (invitedToId === undefined) {
    demandOpen(deps);
    if (invitationToken !== undefined) throw invalid(UNFIT_INVITATION);
  }
  const asked: AskedAccount = {
    email,
    name: input.name,
    password_hash: await deps.passwords.hash(input.password),
    invited_to: invitedToId ?? null,
    telegram_id: null,
  };
  await deps.write((tx) =>
    promiseAccount(deps, tx, asked, (token) => confirmSignupMail(deps.config, token), now),
  );
}

/** What will not do of the invitation that a sign-up comes with. */
export const registerIssues = (
  { read, clock }: Deps,
  { email, invitationToken }: Partial<RegisterInput>,
): Issue[] =>
  email === undefined ||
  invitationToken === undefined ||
  invitedTo(read, invitationToken, email, toInstant(clock.now())) !== undefined
    ? []
    : [UNFIT_INVITATION];

type AskedAccount = Omit<PendingSignupRow, 'id' | 'token_hash' | 'created_at' | 'expires_at'>;

/**
 * Keeps a sign-up until its address confirms it by the token in that mail, in the caller's transaction. Where the
 * address has an account, its owner is told so instead, for the same work, and nothing comes of it.
 */
export function promiseAccount(
  deps: Deps,
  tx: Tx,
  asked: AskedAccount,
  confirmation: (token: string) => Message,
  now: number,
): void {
  const to = { kind: 'confirm-signup', to: asked.email };
  if (!takeMailBudget(deps, tx, to, now)) return;
  const id = newId(now);
  const token = newSecret();
  const expiresAt = toInstant(now + PENDING_MS);
  const owner = findUserByEmail(tx, asked.email);
  keepPendingSignup(tx, {
    ...asked,
    id,
    token_hash: hashSecret(token),
    created_at: toInstant(now),
    expires_at: expiresAt,
  });
  const mail = owner
    ? { message: accountExists(), userId: owner.id }
    : { message: confirmation(token), secret: { id, expiresAt }, userId: null };
  enqueueMail(deps, tx, { ...to, ...mail }, now);
}

/**
 * Opens the account that a mailed token stands for, accepts the invitation it was asked for with, and signs in. 401
 * for any token that does not work; while sign-up is closed, so is one whose invitation has died.
 */
export async function confirmSignup(
  deps: Deps,
  visitor: Visitor,
  input: TokenInput,
): Promise<SignedInAnswer> {
  const now = deps.clock.now();
  const opened = await deps.write((tx) => {
    const pending = takePendingSignup(tx, input.token, toInstant(now));
    if (!pending || findUserByEmail(tx, pending.email)) return undefined;
    const { email, name, invited_to: workspaceId, telegram_id: telegramId } = pending;
    if (telegramId !== null && findUserByIdentity(tx, 'telegram', telegramId)) return undefined;
    const at = toInstant(now);
    const invitation = workspaceId === null ? undefined : takeInvitationTo(tx, workspaceId, email, at);
    if (!invitation && isClosed(deps)) return undefined;
    const user = createAccount(tx, { email, name, passwordHash: pending.password_hash }, now);
    if (telegramId !== null) insertIdentity(tx, user.id, 'telegram', telegramId, now);
    if (invitation) join(tx, invitation, user, at);
    return { user, session: startSession(deps, tx, visitor, user.id, now) };
  });
  if (!opened) throw unauthorized('The confirmation token is not valid');
  deps.log.info({ event: 'account-created', userId: opened.user.id }, 'account created');
  return signedInAnswer(deps, opened.user, opened.session, now);
}

/** 403 while no new account is made, save for who is invited. */
export function demandOpen(deps: Deps): void {
  if (isClosed(deps)) throw forbidden('Sign-up is closed on this server');
}

const isClosed = ({ config }: Deps): boolean => config.auth.signup === 'closed';
