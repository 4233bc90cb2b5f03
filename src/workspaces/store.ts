import { type Db, prepared, query } from '../db/connection.ts';
import { readPage } from '../db/read-page.ts';
import type { MemberRow, Role, UserRow, WorkspaceRow } from '../db/tables.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Workspace, WorkspaceMember } from './schema.ts';

type WorkspaceAsSeen = WorkspaceRow & Pick<MemberRow, 'role'>;
type MemberAsSeen = MemberRow & Pick<UserRow, 'email' | 'name'>;

export const workspaceOf = (row: WorkspaceAsSeen): Workspace => ({
  id: row.id,
  title: row.title,
  ownerId: row.owner_id,
  role: row.role,
  memberCount: row.member_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const memberOf = (row: MemberAsSeen): WorkspaceMember => ({
  userId: row.user_id,
  email: row.email,
  name: row.name,
  role: row.role,
  joinedAt: row.joined_at,
});

/** The workspaces a user belongs to, the default one first, then by creation. */
export const workspacesOf = (userId: string) =>
  query
    .selectFrom('members as member')
    .innerJoin('workspaces as workspace', 'workspace.id', 'member.workspace_id')
    .selectAll('workspace')
    .select('member.role')
    .where('member.user_id', '=', userId)
    .orderBy('member.is_default', 'desc')
    .orderBy('workspace.created_at')
    .orderBy('workspace.id');

export const listWorkspacesOf = (db: Db, userId: string, page: PageRequest): Page<Workspace> =>
  readPage(db, page, workspacesOf(userId), workspaceOf);

const workspaceSeenBy = prepared<{ id: string; userId: string }, WorkspaceAsSeen>((argument) =>
  query
    .selectFrom('workspaces as workspace')
    .innerJoin('members as member', 'member.workspace_id', 'workspace.id')
    .selectAll('workspace')
    .select('member.role')
    .where('workspace.id', '=', argument('id'))
    .where('member.user_id', '=', argument('userId')),
);

/** A workspace as one of its members sees it. */
export const findWorkspaceOf = (db: Db, id: string, userId: string) =>
  db.one(workspaceSeenBy({ id, userId }));

export const saveWorkspace = (db: Db, row: WorkspaceRow) =>
  db.run(
    query
      .updateTable('workspaces')
      .set({ title: row.title, updated_at: row.updated_at })
      .where('id', '=', row.id),
  );

/** Those that name this owner, also while they are being deleted and have no members any more. */
export const idsOfWorkspacesOwnedBy = (db: Db, ownerId: string): string[] =>
  db.all(query.selectFrom('workspaces').select('id').where('owner_id', '=', ownerId)).map(({ id }) => id);

export const deleteMembers = (db: Db, workspaceId: string) =>
  db.run(query.deleteFrom('members').where('workspace_id', '=', workspaceId));

/** The people of a workspace, in the order they came. */
export function listMembers(db: Db, workspaceId: string, page: PageRequest): Page<WorkspaceMember> {
  const members = membersOf(workspaceId).orderBy('member.joined_at').orderBy('member.user_id');
  return readPage(db, page, members, memberOf);
}

export const findMember = (db: Db, workspaceId: string, userId: string) =>
  db.one(membersOf(workspaceId).where('member.user_id', '=', userId));

/** Whether the account of this address belongs to the workspace. */
export const hasMemberWithEmail = (db: Db, workspaceId: string, email: string): boolean =>
  db.one(membersOf(workspaceId).where('user.email', '=', email)) !== undefined;

/** Owner and admins. */
export const idsOfManagers = (db: Db, workspaceId: string): string[] =>
  db
    .all(
      query
        .selectFrom('members')
        .select('user_id')
        .where('workspace_id', '=', workspaceId)
        .where('role', 'in', ['owner', 'admin']),
    )
    .map((row) => row.user_id);

/** Answers whether they were no member before. */
export const insertMember = (db: Db, row: MemberRow): boolean =>
  db.run(
    query
      .insertInto('members')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  ) > 0;

export const setRole = (db: Db, workspaceId: string, userId: string, role: Role) =>
  db.run(
    query
      .updateTable('members')
      .set({ role })
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId),
  );

export const setOwner = (db: Db, workspaceId: string, ownerId: string, now: Instant) =>
  db.run(
    query.updateTable('workspaces').set({ owner_id: ownerId, updated_at: now }).where('id', '=', workspaceId),
  );

export const deleteMember = (db: Db, workspaceId: string, userId: string) =>
  db.run(query.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId));

const membersOf = (workspaceId: string) =>
  query
    .selectFrom('members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .selectAll('member')
    .select(['user.email', 'user.name'])
    .where('member.workspace_id', '=', workspaceId);
