import { recordAct } from '../../audit/trail.ts';
import type { Steps, Tx } from '../../db/tx.ts';
import type { Deps } from '../../deps.ts';
import type { RequestContext } from '../../http/request-context.ts';
import { forbidden, invalid, orNotFound } from '../../kernel/errors.ts';
import { toInstant } from '../../kernel/instants.ts';
import { plainWords } from '../../mail/plain-words.ts';
import type { SignedIn } from '../../sessions/actor.ts';
import { requireAccount, requireSession } from '../../sessions/authentication.ts';
import { revokeApiTokens } from '../../storage/api-tokens.ts';
import { revokeAllTokens } from '../../storage/email-tokens.ts';
import { eraseDeletedContent, scheduleErasure } from '../../storage/erasure.ts';
import { deleteIdentitiesOf } from '../../storage/identities.ts';
import { revokeInvitationsTo } from '../../storage/invitations.ts';
import { deleteLoginCode } from '../../storage/login-codes.ts';
import { retitleInNotifications } from '../../storage/notifications.ts';
import { deleteMailsOf, deleteMailsTo } from '../../storage/outbox.ts';
import { deletePendingSignups } from '../../storage/pending-signups.ts';
import { deleteLimits } from '../../storage/rate-limits.ts';
import { deleteAddressesOf, endSessions } from '../../storage/sessions.ts';
import { titleFor } from '../../storage/starter.ts';
import type { RemovalRow, UserRow } from '../../storage/tables.ts';
import { anonymizeUser, findUser, findUserByEmail } from '../../storage/users.ts';
import { retitleWorkspace } from '../../storage/workspaces.ts';
import { type Attempt, prove, provePassword } from '../../users/attempts.ts';
import { runningExports } from '../../users/running-exports.ts';
import { leaveEveryWorkspace, type MembershipRemovals } from '../../workspaces/membership-removal.ts';
import { allowancesOf } from '../../workspaces/quotas.ts';
import { beginRemoval, FEW, finishRemoval } from '../../workspaces/removals.ts';
import { beginToRemoveWorkspace } from '../../workspaces/workspaces.ts';
import type { RemovalInput } from '../schema.ts';

/**
 * Deletes the caller's account for their password, or for their address where they have none: 400 where that is
 * missing, 403 for a wrong one, which counts as a failed sign-in.
 */
export async function removeMe(
  deps: Deps,
  who: SignedIn,
  requestContext: RequestContext,
  input: RemovalInput,
): Promise<undefined> {
  const now = deps.clock.now();
  const user = requireAccount(deps.read, who);
  await requireProof(deps, { requestContext, email: user.email, now }, user, input);
  await removeAccount(deps, user.id, (tx) => {
    requireSession(deps, tx, who);
    const found = requireAccount(tx, who);
    if (found.password_hash !== user.password_hash || found.email !== user.email) {
      throw forbidden('The account was changed meanwhile');
    }
  });
}

/**
 * Deletes an account. One commit ends its sessions and all that is mailed or known of the person, passes on the
 * workspaces that others are in and hides the rest; what is left of those then goes in steps, and so does every
 * reference elsewhere. Returns when nothing is left, in the files too. 404 when it is gone already; `check` may
 * reject in the commit.
 */
export async function removeAccount(
  deps: Deps,
  userId: string,
  check: (tx: Tx) => void = () => {},
): Promise<void> {
  const now = toInstant(deps.clock.now());
  const left = await deps.writeInSteps(function* (tx) {
    check(tx);
    const user = orNotFound(findUser(tx, userId), 'user');
    deletePersonalData(tx, user);
    const removals = yield* leaveEveryWorkspace(tx, userId, now);
    replaceName(tx, user.name, removals);
    tx.afterCommit(() => allowancesOf(deps).clear());
    recordAct(deps, tx, { event: 'account-deleted', userId }, 'account deleted');
    for (const { workspaceId, newOwnerId } of removals.transferred) {
      const act = { event: 'role-changed', workspaceId, userId: newOwnerId, role: 'owner' };
      recordAct(deps, tx, act, 'workspace passed on');
    }
    return yield* beginToRemove(tx, userId, removals);
  });
  for (const running of runningExports(deps)) if (running.userId === userId) running.stop.abort();
  for (const removal of left) await finishRemoval(deps, removal);
  await eraseDeletedContent(deps);
}

async function requireProof(
  deps: Deps,
  attempt: Attempt,
  { password_hash: stored }: UserRow,
  { password, email }: RemovalInput,
): Promise<void> {
  if (stored !== null) {
    if (password === undefined) throw invalid({ path: 'password', message: 'Password is required' });
    if (!(await provePassword(deps, attempt, { stored, offered: password })))
      throw forbidden('The password is wrong');
  } else {
    if (email === undefined) throw invalid({ path: 'email', message: 'Email must be valid' });
    if (!(await prove(deps, attempt, async () => email === attempt.email)))
      throw forbidden('The e-mail address is not that of the account');
  }
}

/** Ends whatever signs the person in and all mails to them or caused by them; of their row only the id stays. */
function deletePersonalData(tx: Tx, { id, email }: UserRow): void {
  const formerAddresses = deleteMailsOf(tx, id).filter((address) => !findUserByEmail(tx, address));
  revokeAllTokens(tx, id, email);
  deleteLoginCode(tx, email);
  deletePendingSignups(tx, email);
  revokeInvitationsTo(tx, email);
  for (const address of new Set([email, ...formerAddresses])) deleteMailsTo(tx, address);
  endSessions(tx, id);
  revokeApiTokens(tx, id);
  deleteIdentitiesOf(tx, id);
  deleteAddressesOf(tx, id);
  deleteLimits(tx, [`sender:${id}`, `export:${id}`]);
  anonymizeUser(tx, id);
  scheduleErasure(tx, 'log');
}

/** A transferred workspace whose title was made of the person's name gets one of its new owner's, in notices of it too. */
function replaceName(tx: Tx, name: string, { transferred }: MembershipRemovals): void {
  const title = titleFor(name);
  for (const { workspaceId, newOwnerId } of transferred) {
    const newTitle = titleFor(findUser(tx, newOwnerId)?.name ?? '');
    if (!retitleWorkspace(tx, workspaceId, title, newTitle)) continue;
    // Invitations carry it in plain words only.
    for (const told of new Set([title, plainWords(title)].filter(Boolean))) {
      retitleInNotifications(tx, workspaceId, told, newTitle);
    }
  }
}

/** Returns what is too much for one commit, in the order in which it can go. */
function* beginToRemove(tx: Tx, userId: string, { ownerless }: MembershipRemovals): Steps<RemovalRow[]> {
  const user: RemovalRow = { kind: 'user', id: userId };
  const share = Math.floor(FEW / Math.max(ownerless.length, 1));
  const left: RemovalRow[] = [];
  for (const id of ownerless) {
    if (!beginToRemoveWorkspace(tx, id, share)) left.push({ kind: 'workspace', id });
    yield;
  }
  // Workspaces name their owner: the account outlasts them, unseen.
  return beginRemoval(tx, user, left.length === 0 ? FEW : 0) ? [] : [...left, user];
}
