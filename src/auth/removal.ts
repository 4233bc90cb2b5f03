import { sql } from 'kysely';
import { deleteBudgets } from '../db/budgets.ts';
import { query } from '../db/connection.ts';
import { eraseResidue, markResidue } from '../db/residue.ts';
import type { RemovalRow, UserRow } from '../db/tables.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Visitor } from '../http/request.ts';
import { demand, forbidden, invalid } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { discardMailsOf, discardMailsTo } from '../mail/outbox.ts';
import { demandAccount, demandSession, type SignedIn } from '../sessions/door.ts';
import { endSessions } from '../sessions/store.ts';
import { findUser, findUserByEmail } from '../users/store.ts';
import { type Departure, leaveEveryWorkspace } from '../workspaces/departure.ts';
import { dropInvitationsTo } from '../workspaces/invitations-store.ts';
import { beginRemoval, FEW, finishRemoval } from '../workspaces/removals.ts';
import { titleFor } from '../workspaces/starter.ts';
import { beginToRemoveWorkspace } from '../workspaces/workspaces.ts';
import { prove, provePassword } from './attempts.ts';
import { dropTokens } from './email-tokens.ts';
import { dropCode } from './login-code.ts';
import { dropPendingSignups } from './pending-signups.ts';
import type { RemovalInput } from './schema.ts';

/**
 * Deletes the caller's account for their password, or for their address where they have none: 400 where that is
 * missing, 403 for a wrong one, which counts as a failed sign-in.
 */
export async function removeMe(
  deps: Deps,
  who: SignedIn,
  visitor: Visitor,
  input: RemovalInput,
): Promise<undefined> {
  const now = deps.clock.now();
  const user = demandAccount(deps.read, who);
  await demandProof(deps, visitor, user, input, now);
  await removeAccount(deps, user.id, (tx) => {
    demandSession(deps, tx, who);
    const found = demandAccount(tx, who);
    if (found.password_hash !== user.password_hash || found.email !== user.email) {
      throw forbidden('The account was changed meanwhile');
    }
  });
}

/**
 * Deletes an account. One commit ends its sessions and all that is mailed or known of the person, passes on the
 * workspaces that others are in and hides the rest; what is left of those then goes in steps, and so does every
 * reference elsewhere. Answers when nothing is left, in the files too. 404 when it is gone already; `check` may
 * refuse in the commit.
 */
export async function removeAccount(
  deps: Deps,
  userId: string,
  check: (tx: Tx) => void = () => {},
): Promise<void> {
  const now = toInstant(deps.clock.now());
  const { departure, left } = await deps.writeInSteps(function* (tx) {
    check(tx);
    const user = demand(findUser(tx, userId), 'user');
    forgetPerson(tx, user);
    const departure = yield* leaveEveryWorkspace(tx, userId, now);
    forgetName(tx, user.name, departure);
    return { departure, left: yield* beginToRemove(tx, userId, departure) };
  });
  for (const running of deps.exports) if (running.userId === userId) running.stop.abort();
  deps.log.info({ event: 'account-deleted', userId }, 'account deleted');
  for (const { workspaceId, heirId } of departure.inherited) {
    const facts = { event: 'role-changed', workspaceId, userId: heirId, role: 'owner' };
    deps.log.info(facts, 'workspace passed on');
  }
  for (const removal of left) await finishRemoval(deps, removal);
  await eraseResidue(deps);
}

async function demandProof(
  deps: Deps,
  visitor: Visitor,
  user: UserRow,
  { password, email }: RemovalInput,
  now: number,
): Promise<void> {
  if (user.password_hash !== null) {
    if (password === undefined) throw invalid({ path: 'password', message: 'Password is required' });
    const proof = { email: user.email, stored: user.password_hash, offered: password };
    if (!(await provePassword(deps, visitor, proof, now))) throw forbidden('The password is wrong');
  } else {
    if (email === undefined) throw invalid({ path: 'email', message: 'Email must be valid' });
    const isTheirs = async () => email === user.email;
    if (!(await prove(deps, visitor, user.email, now, isTheirs)))
      throw forbidden('The e-mail address is not that of the account');
  }
}

/** Ends whatever signs the person in and all mails to them or caused by them; of their row only the id stays. */
function forgetPerson(tx: Tx, { id, email }: UserRow): void {
  const formerAddresses = discardMailsOf(tx, id).filter((address) => !findUserByEmail(tx, address));
  dropTokens(tx, id, email);
  dropCode(tx, email);
  dropPendingSignups(tx, email);
  dropInvitationsTo(tx, email);
  for (const address of new Set([email, ...formerAddresses])) discardMailsTo(tx, address);
  endSessions(tx, id);
  for (const table of ['identities', 'known_addresses'] as const) {
    tx.run(query.deleteFrom(table).where('user_id', '=', id));
  }
  deleteBudgets(tx, [`sender:${id}`, `export:${id}`]);
  tx.run(
    query
      .updateTable('users')
      .set({ email: id, name: '', password_hash: null, password_set_at: null })
      .where('id', '=', id),
  );
  markResidue(tx, 'log');
}

/** An inherited workspace whose title was made of the person's name gets one of its heir's, in notices of it too. */
function forgetName(tx: Tx, name: string, { inherited }: Departure): void {
  const title = titleFor(name);
  for (const { workspaceId, heirId } of inherited) {
    const heirs = titleFor(findUser(tx, heirId)?.name ?? '');
    const retitle = query.updateTable('workspaces').set({ title: heirs });
    if (tx.run(retitle.where('id', '=', workspaceId).where('title', '=', title)) === 0) continue;
    tx.run(
      query
        .updateTable('notifications')
        .set({
          title: sql<string>`replace(title, ${title}, ${heirs})`,
          body: sql<string>`replace(body, ${title}, ${heirs})`,
        })
        .where('workspace_id', '=', workspaceId)
        .where('type', 'in', ['workspace.invited', 'workspace.member_added']),
    );
  }
}

/** Answers what is too much for one commit, in the order in which it can go. */
function* beginToRemove(tx: Tx, userId: string, { orphaned }: Departure): Steps<RemovalRow[]> {
  const user: RemovalRow = { kind: 'user', id: userId };
  const share = Math.floor(FEW / Math.max(orphaned.length, 1));
  const left: RemovalRow[] = [];
  for (const id of orphaned) {
    if (!beginToRemoveWorkspace(tx, id, share)) left.push({ kind: 'workspace', id });
    yield;
  }
  // Workspaces name their owner: the account outlasts them, unseen.
  return beginRemoval(tx, user, left.length === 0 ? FEW : 0) ? [] : [...left, user];
}
