import { recordAct } from '../audit/trail.ts';
import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { RequestContext } from '../http/request-context.ts';
import { badRequest, forbidden, invalid, orNotFound } from '../kernel/errors.ts';
import { type Instant, toInstant, toMs } from '../kernel/instants.ts';
import { ownerChanged } from '../mail/messages.ts';
import { plainWords } from '../mail/plain-words.ts';
import { notify } from '../notifications/notify.ts';
import { requireAccount } from '../sessions/authentication.ts';
import { revokeInvitations } from '../storage/invitations.ts';
import { keyIn } from '../storage/keys.ts';
import { changeTasks, countTasksOf } from '../storage/many-tasks.ts';
import { deleteUnreadOf } from '../storage/notifications.ts';
import { enqueueMail } from '../storage/outbox.ts';
import { unassignSeries } from '../storage/series.ts';
import { openStatusKeys } from '../storage/status-templates.ts';
import type { MemberRow, UserRow } from '../storage/tables.ts';
import { findUser } from '../storage/users.ts';
import * as store from '../storage/workspaces.ts';
import { provePassword } from '../users/attempts.ts';
import { isAtLeast, type Member, writeInStepsAs } from './authorization.ts';
import { allowancesOf } from './quotas.ts';
import type { MemberPatch, WorkspaceMember } from './schema.ts';
import { workspaceSeenBy } from './workspaces.ts';

/**
 * Changes someone's role. Admins grant up to admin; `owner` is the owner's to give, who becomes an admin by it.
 * 403 for an admin who touches the owner, 400 for the owner's own role. Handing over takes the owner's password where
 * they have one: 400 without it, 403 for a wrong one, which counts as a failed sign-in. A new viewer loses their open
 * tasks, and who is no admin any more the invitations they sent.
 */
export async function changeRole(
  deps: Deps,
  who: Member,
  requestContext: RequestContext,
  userId: string,
  input: MemberPatch,
): Promise<WorkspaceMember> {
  const proved = input.role === 'owner' ? await proveOwner(deps, who, requestContext, userId, input) : null;
  const now = toInstant(deps.clock.now());
  const { workspaceId } = who;
  const rows = input.role === 'viewer' ? tasksOf(deps, who, userId) : 0;
  return writeInStepsAs(deps, who, rows, function* (tx) {
    const row = requireMember(tx, workspaceId, userId);
    const { role } = input;
    if (role === undefined) return store.memberOf(row);
    if (role === 'owner' && who.role !== 'owner') throw forbidden(OWNER_ONLY);
    if (role === row.role) return store.memberOf(row);
    rejectOwner(who, row, 'The owner stays owner until they hand the workspace over to someone else');
    if (role === 'owner') {
      const owner = requireAccount(tx, who);
      if (owner.password_hash !== proved) throw forbidden('The account was changed meanwhile');
      handOver(tx, who, userId, now);
      tellOwners(deps, tx, who, owner, orNotFound(findUser(tx, userId), 'member'), now);
      tx.afterCommit(() => allowancesOf(deps).delete(userId));
    } else store.setRole(tx, workspaceId, userId, role);
    if (!isAtLeast(role, 'admin')) revokeInvitations(tx, workspaceId, { inviterId: userId });
    if (role === 'viewer') yield* unassignOpenTasks(tx, who, userId, now);
    const act = { event: 'role-changed', workspaceId, userId, role, by: who.userId };
    recordAct(deps, tx, act, 'role changed');
    return store.memberOf({ ...row, role });
  });
}

/**
 * Takes someone out of the workspace: their open tasks are unassigned, the invitations they sent are revoked. Everyone
 * may leave, admins remove others (403 for the rest); the owner can neither leave (400) nor be removed (403).
 */
export async function removeMember(deps: Deps, who: Member, userId: string): Promise<undefined> {
  if (userId !== who.userId && !isAtLeast(who.role, 'admin')) {
    throw forbidden('This needs the role admin or a higher one');
  }
  const now = toInstant(deps.clock.now());
  const { workspaceId } = who;
  await writeInStepsAs(deps, who, tasksOf(deps, who, userId), function* (tx) {
    const row = requireMember(tx, workspaceId, userId);
    rejectOwner(who, row, 'The owner cannot leave: hand the workspace over or delete it');
    store.deleteMember(tx, workspaceId, userId);
    deleteUnreadOf(tx, userId, workspaceId);
    revokeInvitations(tx, workspaceId, { inviterId: userId });
    yield* unassignOpenTasks(tx, who, userId, now);
    recordAct(deps, tx, { event: 'member-removed', workspaceId, userId, by: who.userId }, 'member removed');
  });
}

/** Takes someone's open tasks in a workspace from them, and those to come: they may not be an assignee there any more. */
function* unassignOpenTasks(
  tx: Tx,
  { workspaceId, workspaceKey }: Member,
  userId: string,
  now: Instant,
): Steps<void> {
  yield* changeTasks(
    tx,
    workspaceKey,
    ({ and, eb }) =>
      and([
        eb('assignee_code', '=', keyIn('users', userId)),
        eb('status_code', 'in', openStatusKeys(workspaceId)),
      ]),
    { assignee_id: null, assignee_code: null, updated_at: now },
  );
  yield* unassignSeries(tx, workspaceId, userId, now);
}

const OWNER_ONLY = 'Only the owner hands a workspace over';

/** Returns the password that a hand-over was proved by; null where there is none, or nothing is handed over. */
async function proveOwner(
  deps: Deps,
  who: Member,
  requestContext: RequestContext,
  userId: string,
  { password: offered }: MemberPatch,
): Promise<string | null> {
  if (requireMember(deps.read, who.workspaceId, userId).role === 'owner') return null;
  if (who.role !== 'owner') throw forbidden(OWNER_ONLY);
  const { email, password_hash: stored } = requireAccount(deps.read, who);
  if (stored === null) return null;
  if (offered === undefined) throw invalid({ path: 'password', message: 'Password is required' });
  const attempt = { requestContext, email, now: deps.clock.now() };
  if (!(await provePassword(deps, attempt, { stored, offered }))) throw forbidden('The password is wrong');
  return stored;
}

/** Tells both, also by mail. What names someone goes with their account. */
function tellOwners(deps: Deps, tx: Tx, who: Member, former: UserRow, owner: UserRow, now: Instant): void {
  const { workspaceId } = who;
  const { title } = workspaceSeenBy(tx, workspaceId, owner.id);
  const shown = plainWords(title) || 'a workspace';
  const nameOf = ({ name }: UserRow) => plainWords(name) || 'Someone';
  const notices = [
    [owner, former, `You own ${shown} now`, `${nameOf(former)} handed ${shown} over to you.`],
    [former, owner, `${nameOf(owner)} owns ${shown} now`, `You handed ${shown} over. You stay as an admin.`],
  ] as const;
  for (const [to, other, headline, body] of notices) {
    const data = { userId: owner.id };
    const notice = { type: 'workspace.owner_changed', actorId: other.id, workspaceId, data } as const;
    notify(tx, [to.id], { ...notice, title: headline, body }, now);
    const isNew = to === owner;
    const message = ownerChanged(deps.config, { to: to.email, other, workspaceTitle: title, isNew });
    enqueueMail(deps, tx, { kind: 'owner-changed', to: to.email, message, userId: other.id }, toMs(now));
  }
}

/** The old owner steps down first: a workspace never has two. */
function handOver(tx: Tx, who: Member, userId: string, now: Instant): void {
  store.setRole(tx, who.workspaceId, who.userId, 'admin');
  store.setRole(tx, who.workspaceId, userId, 'owner');
  store.setOwner(tx, who.workspaceId, userId, now);
}

const tasksOf = ({ read }: Deps, { workspaceKey }: Member, assigneeId: string): number =>
  countTasksOf(read, workspaceKey, { assigneeId });

const requireMember = (db: Db, workspaceId: string, userId: string) =>
  orNotFound(store.findMember(db, workspaceId, userId), 'member');

function rejectOwner(who: Member, row: MemberRow, reason: string): void {
  if (row.role !== 'owner') return;
  throw row.user_id === who.userId ? badRequest(reason) : forbidden('Nobody may change or remove the owner');
}
