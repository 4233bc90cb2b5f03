import type { Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { forbidden, type Issue, invalid, unauthorized } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { DAY, type Instant, toInstant } from '../../kernel/instants.ts';
import { hashSecret, newSecret } from '../../kernel/secrets.ts';
import {
  accountExists,
  confirmSignup as confirmSignupMail,
  type Message,
  openedWithoutPassword,
  signupsWaiting,
} from '../../mail/messages.ts';
import { findUserByIdentity, insertIdentity } from '../../storage/identities.ts';
import { consumeInvitation, consumeInvitationTo, findInvitation } from '../../storage/invitations.ts';
import { enqueueMail, requireSignupAllowance, takeMailAllowance } from '../../storage/outbox.ts';
import { consumePendingSignup, findPendingSignup, keepPendingSignup } from '../../storage/pending-signups.ts';
import { isContested, noteSignup, passwordTag } from '../../storage/signup-attempts.ts';
import type { PendingSignupRow } from '../../storage/tables.ts';
import { findUserByEmail } from '../../storage/users.ts';
import { invitedTo, join } from '../../workspaces/invitations.ts';
import { createAccount } from '../account/account.ts';
import { completeSignIn, type SignIn } from '../complete-sign-in.ts';
import type { ConfirmInput, InvitedInput, RegisterInput } from '../schema.ts';

const PENDING_MS = DAY;
/** Of a sign-up that an older Errand stored: differs from every other. */
const UNKNOWN_TAG = -2;
const HAS_ACCOUNT = 'This address has an account already: sign in to it and accept the invitation';
const UNFIT_INVITATION: Issue = {
  path: 'invitationToken',
  message: 'The invitation is not valid for this address',
};

/**
 * Asks the owner of an address to confirm a sign-up. New, pending and existing addresses get the same response for
 * the same work; the owner of an existing one is told. An invitation that does not work for the address is 400, and
 * 403 while sign-up is closed, as is none at all.
 */
export async function register(
  deps: Deps,
  requestContext: RequestContext,
  input: RegisterInput,
): Promise<undefined> {
  const now = deps.clock.now();
  const { email, invitationToken } = input;
  const invitedToId =
    invitationToken === undefined ? undefined : invitedTo(deps.read, invitationToken, email, toInstant(now));
  if (invitedToId === undefined) {
    requireOpen(deps);
    if (invitationToken !== undefined) throw invalid(UNFIT_INVITATION);
  }
  const asked: AskedAccount = {
    email,
    name: input.name,
    password_hash: await deps.signIn.passwords.hash(input.password, requestContext.address),
    password_tag: passwordTag(deps.keys, email, input.password),
    invited_to: invitedToId ?? null,
    telegram_id: null,
  };
  await deps.write((tx) =>
    promiseAccount(deps, tx, asked, (token) => confirmSignupMail(deps.config, token), now),
  );
}

/** Validates the invitation that a sign-up comes with. */
export const registerIssues = (
  { read, clock }: Deps,
  { email, invitationToken }: Partial<RegisterInput>,
): Issue[] =>
  email === undefined ||
  invitationToken === undefined ||
  invitedTo(read, invitationToken, email, toInstant(clock.now())) !== undefined
    ? []
    : [UNFIT_INVITATION];

type AskedAccount = Omit<
  PendingSignupRow,
  'id' | 'token_hash' | 'created_at' | 'expires_at' | 'password_tag'
> & {
  password_tag: number;
};

/**
 * Keeps a sign-up until its address confirms it by the token in that mail, in the caller's transaction. Where the
 * address has an account, its owner is told so instead, for the same work, and nothing comes of it. Beyond a few that
 * wait none is kept, and the mail says so; that it was made counts all the same. 429 without an invitation once the
 * server has mailed as many sign-ups as it may.
 */
export function promiseAccount(
  deps: Deps,
  tx: Tx,
  asked: AskedAccount,
  confirmation: (token: string) => Message,
  now: number,
): void {
  const to = { kind: 'confirm-signup', to: asked.email };
  noteSignup(tx, asked.email, asked.password_tag, now);
  if (!takeMailAllowance(deps, tx, to, now)) return;
  if (asked.invited_to === null) requireSignupAllowance(deps, tx, now);
  const id = newId(now);
  const token = newSecret();
  const expiresAt = toInstant(now + PENDING_MS);
  const owner = findUserByEmail(tx, asked.email);
  const isKept = keepPendingSignup(tx, {
    ...asked,
    id,
    token_hash: hashSecret(token),
    created_at: toInstant(now),
    expires_at: expiresAt,
  });
  const toNew = isKept
    ? { message: confirmation(token), secret: { id, expiresAt }, userId: null }
    : { message: signupsWaiting(deps.config, asked.email), userId: null };
  const mail = owner ? { message: accountExists(deps.config, owner.email), userId: owner.id } : toNew;
  enqueueMail(deps, tx, { ...to, ...mail }, now);
}

/**
 * Opens the account that a mailed token stands for, accepts the invitation it was asked for with, and signs in. Where
 * the address was signed up with another password too, nobody knows whose this one is: the account opens without it,
 * unless it is offered here, and a mail says so. 401 for any token that does not work; while sign-up is closed, so is
 * one whose invitation has died.
 */
export async function confirmSignup(
  deps: Deps,
  requestContext: RequestContext,
  input: ConfirmInput,
): Promise<SignIn> {
  const now = deps.clock.now();
  const isOwn = await isOwnPassword(deps, requestContext, input, toInstant(now));
  const signIn = await deps.write((tx) => {
    const pending = consumePendingSignup(tx, input.token, toInstant(now));
    if (!pending || findUserByEmail(tx, pending.email)) return undefined;
    const { email, name, invited_to: workspaceId, telegram_id: telegramId } = pending;
    if (telegramId !== null && findUserByIdentity(tx, 'telegram', telegramId)) return undefined;
    const at = toInstant(now);
    const invitation = workspaceId === null ? undefined : consumeInvitationTo(tx, workspaceId, email, at);
    if (!invitation && isClosed(deps)) return undefined;
    // Asked before the account is made, which forgets the sign-ups of its address.
    const isDropped = pending.password_hash !== null && !isOwn && isDoubtful(tx, pending, now);
    const passwordHash = isDropped ? null : pending.password_hash;
    const user = createAccount(deps, tx, { email, name, passwordHash }, now);
    if (isDropped) {
      const message = openedWithoutPassword(deps.config, email);
      enqueueMail(deps, tx, { kind: 'opened-without-password', to: email, message, userId: user.id }, now);
    }
    if (telegramId !== null) insertIdentity(tx, user.id, 'telegram', telegramId, now);
    if (invitation) join(tx, invitation, user, at);
    return completeSignIn(deps, tx, requestContext, { user, by: 'confirmation', mode: input.session }, now);
  });
  if (!signIn) throw unauthorized('The confirmation token is not valid');
  return signIn;
}

/**
 * Opens an account by the token of an invitation, which was mailed to the address and so proves it; accepts it, and signs
 * in, also while sign-up is closed. 401 for a token that does not work, and where the address has an account.
 */
export async function registerInvited(
  deps: Deps,
  requestContext: RequestContext,
  input: InvitedInput,
): Promise<SignIn> {
  const now = deps.clock.now();
  const at = toInstant(now);
  const tokenHash = hashSecret(input.invitationToken);
  const invited = findInvitation(deps.read, tokenHash, at);
  if (!invited) throw unauthorized('The invitation is not valid any more');
  if (findUserByEmail(deps.read, invited.email)) throw unauthorized(HAS_ACCOUNT);
  const passwordHash = await deps.signIn.passwords.hash(input.password, requestContext.address);
  return deps.write((tx) => {
    if (findUserByEmail(tx, invited.email)) throw unauthorized(HAS_ACCOUNT);
    const invitation = consumeInvitation(tx, tokenHash, invited.email, at);
    if (!invitation) throw unauthorized('The invitation is not valid any more');
    const user = createAccount(deps, tx, { email: invited.email, name: input.name, passwordHash }, now);
    join(tx, invitation, user, at);
    return completeSignIn(deps, tx, requestContext, { user, by: 'invitation', mode: input.session }, now);
  });
}

/** Whether the password that a confirmation came with is that of the sign-up it confirms. */
async function isOwnPassword(
  { read, signIn: { passwords } }: Deps,
  { address }: RequestContext,
  { token, password }: ConfirmInput,
  now: Instant,
): Promise<boolean> {
  const pending = password === undefined ? undefined : findPendingSignup(read, token, now);
  return pending !== undefined && passwords.verify(pending.password_hash, password ?? '', address);
}

const isDoubtful = (tx: Tx, { email, password_tag: tag }: PendingSignupRow, now: number): boolean =>
  isContested(tx, email, tag ?? UNKNOWN_TAG, now);

/** 403 while no new account is made, except for who is invited. */
export function requireOpen(deps: Deps): void {
  if (isClosed(deps)) throw forbidden('Sign-up is closed on this server');
}

const isClosed = ({ config }: Deps): boolean => config.auth.signup === 'closed';
