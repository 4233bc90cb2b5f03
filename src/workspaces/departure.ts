import { query } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { dropInvitations } from './invitations-store.ts';
import { deleteMember, idsOfWorkspacesOwnedBy, setOwner, setRole } from './store.ts';

/** Some 0.1 ms each, while nobody is answered. */
const AT_ONCE = 50;

/** What becomes of the workspaces of someone who goes for good. */
export interface Departure {
  /** Passed on, each to its new owner. */
  inherited: { workspaceId: string; heirId: string }[];
  /** Left without anyone who could own them, or being deleted already: for the caller to delete. */
  orphaned: string[];
}

/**
 * Takes someone out of every workspace, with the invitations they sent, in steps. One they own passes to whoever has
 * been admin longest, else member; a viewer inherits nothing.
 */
export function* leaveEveryWorkspace(tx: Tx, userId: string, now: Instant): Steps<Departure> {
  const inherited: Departure['inherited'] = [];
  const memberships = tx.all(
    query.selectFrom('members').select(['workspace_id', 'role']).where('user_id', '=', userId),
  );
  for (const [i, { workspace_id: workspaceId, role }] of memberships.entries()) {
    if (i % AT_ONCE === AT_ONCE - 1) yield;
    deleteMember(tx, workspaceId, userId);
    dropInvitations(tx, workspaceId, { inviterId: userId });
    if (role !== 'owner') continue;
    const heirId = heirOf(tx, workspaceId);
    if (heirId === undefined) continue;
    setRole(tx, workspaceId, heirId, 'owner');
    setOwner(tx, workspaceId, heirId, now);
    inherited.push({ workspaceId, heirId });
  }
  return { inherited, orphaned: idsOfWorkspacesOwnedBy(tx, userId) };
}

const heirOf = (tx: Tx, workspaceId: string): string | undefined =>
  tx.one(
    query
      .selectFrom('members')
      .select('user_id')
      .where('workspace_id', '=', workspaceId)
      .where('role', 'in', ['admin', 'member'])
      .orderBy('role') // by name: admin before member
      .orderBy('joined_at'),
  )?.user_id;
