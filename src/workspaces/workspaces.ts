import type { Db } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { demand } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { type SignedIn, writeSignedIn } from '../sessions/door.ts';
import { type Member, writeAs } from './door.ts';
import { dropInvitations } from './invitations-store.ts';
import { beginRemoval, finishRemoval } from './removals.ts';
import type { Workspace, WorkspaceInput, WorkspacePatch } from './schema.ts';
import { startWorkspace } from './starter.ts';
import { deleteMembers, findWorkspaceOf, saveWorkspace, workspaceOf } from './store.ts';

/** Makes a workspace of the caller's own, with what the default one starts with. */
export function createWorkspace(deps: Deps, who: SignedIn, input: WorkspaceInput): Promise<Workspace> {
  const now = toInstant(deps.clock.now());
  return writeSignedIn(deps, who, (tx) => {
    const id = startWorkspace(tx, { title: input.title, ownerId: who.userId, isDefault: false }, now);
    return workspaceSeenBy(tx, id, who.userId);
  });
}

/** A workspace as that user, one of its members, sees it. */
export function workspaceSeenBy(db: Db, id: string, userId: string): Workspace {
  return workspaceOf(demand(findWorkspaceOf(db, id, userId), 'workspace'));
}

export function updateWorkspace(deps: Deps, who: Member, input: WorkspacePatch): Promise<Workspace> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    const row = demand(findWorkspaceOf(tx, who.workspaceId, who.userId), 'workspace');
    const next = patched(row, { title: input.title }, now);
    if (next !== row) saveWorkspace(tx, next);
    return workspaceOf(next);
  });
}

/** Deletes the workspace with everything in it: nobody sees it from the first commit on, the answer comes with the last. */
export async function removeWorkspace(deps: Deps, who: Member): Promise<undefined> {
  const { workspaceId, userId } = who;
  const isDone = await writeAs(deps, who, (tx) => beginToRemoveWorkspace(tx, workspaceId));
  if (!isDone) await finishRemoval(deps, { kind: 'workspace', id: workspaceId });
  deps.log.info({ event: 'workspace-deleted', workspaceId, userId }, 'workspace deleted');
}

/**
 * Begins to delete a workspace in the caller's transaction, its unsent invitations first; true when that is all of it,
 * as it holds few tasks. Otherwise it has no members and no door any more, and `finishRemoval` deletes the rest.
 */
export function beginToRemoveWorkspace(tx: Tx, workspaceId: string, most?: number): boolean {
  dropInvitations(tx, workspaceId);
  deleteMembers(tx, workspaceId);
  return beginRemoval(tx, { kind: 'workspace', id: workspaceId }, most);
}
