import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { revokeInvitations } from '../storage/invitations.ts';
import {
  deleteMemberUnnamed,
  idsOfWorkspacesOwnedBy,
  nextOwnerOf,
  rolesOf,
  setOwner,
  setRole,
} from '../storage/workspaces.ts';

/** Some 0.1 ms each, while nothing else is served. */
const BATCH_SIZE = 50;

/** What becomes of the workspaces of someone who goes for good. */
export interface MembershipRemovals {
  /** Passed on, each to its new owner. */
  transferred: { workspaceId: string; newOwnerId: string }[];
  /** Left without anyone who could own them, or being deleted already: for the caller to delete. */
  ownerless: string[];
}

/**
 * Takes someone out of every workspace, with the invitations they sent, in steps. One they own passes to the member who has
 * been admin longest, else member; a viewer inherits nothing.
 */
export function* leaveEveryWorkspace(tx: Tx, userId: string, now: Instant): Steps<MembershipRemovals> {
  const transferred: MembershipRemovals['transferred'] = [];
  const memberships = rolesOf(tx, userId);
  for (const [i, { workspace_id: workspaceId, role }] of memberships.entries()) {
    if (i % BATCH_SIZE === BATCH_SIZE - 1) yield;
    deleteMemberUnnamed(tx, workspaceId, userId);
    revokeInvitations(tx, workspaceId, { inviterId: userId });
    if (role !== 'owner') continue;
    const newOwnerId = nextOwnerOf(tx, workspaceId);
    if (newOwnerId === undefined) continue;
    setRole(tx, workspaceId, newOwnerId, 'owner');
    setOwner(tx, workspaceId, newOwnerId, now);
    transferred.push({ workspaceId, newOwnerId });
  }
  return { transferred, ownerless: idsOfWorkspacesOwnedBy(tx, userId) };
}
