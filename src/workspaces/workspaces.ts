import { recordAct } from '../audit/trail.ts';
import type { Db } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { orNotFound } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { patched } from '../kernel/patch.ts';
import type { Actor, SignedIn } from '../sessions/actor.ts';
import { writeSignedIn } from '../sessions/authentication.ts';
import { revokeInvitations } from '../storage/invitations.ts';
import { startWorkspace } from '../storage/starter.ts';
import {
  deleteMembers,
  findWorkspaceOf,
  listWorkspacesOf,
  saveWorkspace,
  workspaceOf,
} from '../storage/workspaces.ts';
import { cappedRole, type Member, writeAs } from './authorization.ts';
import { beginRemoval, finishRemoval } from './removals.ts';
import type { Workspace, WorkspaceInput, WorkspacePatch } from './schema.ts';

/** Makes a workspace of the caller's own, with what the default one starts with. */
export function createWorkspace(deps: Deps, who: SignedIn, input: WorkspaceInput): Promise<Workspace> {
  const now = toInstant(deps.clock.now());
  return writeSignedIn(deps, who, (tx) => {
    const id = startWorkspace(tx, { title: input.title, ownerId: who.userId, isDefault: false }, now);
    return workspaceSeenBy(tx, id, who.userId);
  });
}

/** The caller's workspaces; by API token those that it has, with the role that it leaves. */
export function workspacesFor(db: Db, { userId, cap }: Actor, page: PageRequest): Page<Workspace> {
  const found = listWorkspacesOf(db, userId, page, cap?.workspaceIds ?? null);
  return { ...found, items: found.items.map((item) => ({ ...item, role: cappedRole(item.role, cap) })) };
}

/** A workspace as that user, one of its members, sees it. */
export function workspaceSeenBy(db: Db, id: string, userId: string): Workspace {
  return workspaceOf(orNotFound(findWorkspaceOf(db, id, userId), 'workspace'));
}

/** Changes the title or key of a workspace, for admins. */
export function updateWorkspace(deps: Deps, who: Member, input: WorkspacePatch): Promise<Workspace> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    const row = orNotFound(findWorkspaceOf(tx, who.workspaceId, who.userId), 'workspace');
    const next = patched(row, { title: input.title, key: input.key }, now);
    if (next !== row) saveWorkspace(tx, next);
    return workspaceOf(next);
  });
}

/** Deletes the workspace with everything in it: nobody sees it from the first commit on, the response comes with the last. */
export async function removeWorkspace(deps: Deps, who: Member): Promise<undefined> {
  const { workspaceId, userId } = who;
  const isDone = await writeAs(deps, who, (tx) => {
    recordAct(deps, tx, { event: 'workspace-deleted', workspaceId, userId }, 'workspace deleted');
    return beginToRemoveWorkspace(tx, workspaceId);
  });
  if (!isDone) await finishRemoval(deps, { kind: 'workspace', id: workspaceId });
}

/**
 * Begins to delete a workspace in the caller's transaction, its unsent invitations first; true when that is all of it,
 * as it holds few tasks. Otherwise it has no members and no guard any more, and `finishRemoval` deletes the rest.
 */
export function beginToRemoveWorkspace(tx: Tx, workspaceId: string, most?: number): boolean {
  revokeInvitations(tx, workspaceId);
  for (const userId of deleteMembers(tx, workspaceId)) tx.tell({ userId, about: 'workspaces' });
  return beginRemoval(tx, { kind: 'workspace', id: workspaceId }, most);
}
