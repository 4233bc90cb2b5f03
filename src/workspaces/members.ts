import type { MemberRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { badRequest, demand, forbidden } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { unassignOpenTasks } from './assignments.ts';
import { isAtLeast, type Member, writeInStepsAs } from './door.ts';
import { dropInvitations } from './invitations-store.ts';
import type { MemberPatch, WorkspaceMember } from './schema.ts';
import * as store from './store.ts';

/**
 * Changes someone's role. Admins grant up to admin; `owner` is the owner's to give, who becomes an admin by it.
 * 403 for an admin who touches the owner, 400 for the owner's own role. A new viewer loses their open tasks, and who is
 * no admin any more the invitations they sent.
 */
export function changeRole(
  deps: Deps,
  who: Member,
  userId: string,
  input: MemberPatch,
): Promise<WorkspaceMember> {
  const now = toInstant(deps.clock.now());
  const { workspaceId } = who;
  return writeInStepsAs(deps, who, function* (tx) {
    const row = demandMember(tx, workspaceId, userId);
    const { role } = input;
    if (role === undefined) return store.memberOf(row);
    if (role === 'owner' && who.role !== 'owner') throw forbidden('Only the owner hands a workspace over');
    if (role === row.role) return store.memberOf(row);
    refuseOwner(who, row, 'The owner stays owner until they hand the workspace over to someone else');
    if (role === 'owner') handOver(tx, who, userId, now);
    else store.setRole(tx, workspaceId, userId, role);
    if (!isAtLeast(role, 'admin')) dropInvitations(tx, workspaceId, { inviterId: userId });
    if (role === 'viewer') yield* unassignOpenTasks(tx, who, userId, now);
    const facts = { event: 'role-changed', workspaceId, userId, role, by: who.userId };
    tx.afterCommit(() => deps.log.info(facts, 'role changed'));
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
  await writeInStepsAs(deps, who, function* (tx) {
    const row = demandMember(tx, workspaceId, userId);
    refuseOwner(who, row, 'The owner cannot leave: hand the workspace over or delete it');
    store.deleteMember(tx, workspaceId, userId);
    dropInvitations(tx, workspaceId, { inviterId: userId });
    yield* unassignOpenTasks(tx, who, userId, now);
  });
  deps.log.info({ event: 'member-removed', workspaceId, userId, by: who.userId }, 'member removed');
}

/** The old owner steps down first: a workspace never has two. */
function handOver(tx: Tx, who: Member, userId: string, now: Instant): void {
  store.setRole(tx, who.workspaceId, who.userId, 'admin');
  store.setRole(tx, who.workspaceId, userId, 'owner');
  store.setOwner(tx, who.workspaceId, userId, now);
}

const demandMember = (tx: Tx, workspaceId: string, userId: string) =>
  demand(store.findMember(tx, workspaceId, userId), 'member');

function refuseOwner(who: Member, row: MemberRow, reason: string): void {
  if (row.role !== 'owner') return;
  throw row.user_id === who.userId ? badRequest(reason) : forbidden('Nobody may change or remove the owner');
}
