import { type Db, prepared, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Workspace, WorkspaceMember } from '../workspaces/schema.ts';
import { readPage } from './read-page.ts';
import { recordMember, recordWorkspace } from './record.ts';
import { isNotBeingRemoved } from './removals.ts';
import type { MemberRow, Role, UserRow, WorkspaceRow } from './tables.ts';

type WorkspaceAsSeen = WorkspaceRow & Pick<MemberRow, 'role'>;
type MemberAsSeen = MemberRow & Pick<UserRow, 'email' | 'name'>;

export const workspaceOf = (row: WorkspaceAsSeen): Workspace => ({
  id: row.id,
  title: row.title,
  key: row.key,
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

const idsByMember = prepared<{ userId: string }, { id: string }>((argument) =>
  query.selectFrom('members').select('workspace_id as id').where('user_id', '=', argument('userId')),
);

/** The ids of the workspaces that a user belongs to, in no order. */
export const idsOfWorkspacesWith = (db: Db, userId: string): string[] =>
  db.cached(idsByMember({ userId })).map(({ id }) => id);

/** The workspaces of a user; only those of `among` where that is given. */
export const listWorkspacesOf = (
  db: Db,
  userId: string,
  page: PageRequest,
  among: readonly string[] | null,
): Page<Workspace> => {
  const all = workspacesOf(userId);
  return readPage(db, page, among ? all.where('workspace.id', 'in', among) : all, workspaceOf);
};

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

const keyById = prepared<{ id: string }, { key: string }>((argument) =>
  query.selectFrom('workspaces').select('key').where('id', '=', argument('id')),
);
export const keyOfWorkspace = (db: Db, id: string) => db.cached(keyById({ id }))[0]?.key;

/** A workspace, and the role that someone has in it, if any. */
interface Standing {
  code: number;
  owner_id: string;
  role: Role | null;
}

const standingOf = prepared<{ workspaceId: string; userId: string }, Standing>((argument) =>
  query
    .selectFrom('workspaces as workspace')
    .leftJoin('members as member', (join) =>
      join.onRef('member.workspace_id', '=', 'workspace.id').on('member.user_id', '=', argument('userId')),
    )
    .select(['workspace.code', 'workspace.owner_id', 'member.role'])
    .where('workspace.id', '=', argument('workspaceId'))
    .where(isNotBeingRemoved('workspace', 'workspace.id')),
);

/** The workspace's code, and the role that the user has in it, if any; undefined where there is no such workspace. */
export const findStanding = (db: Db, asked: { workspaceId: string; userId: string }) =>
  db.cached(standingOf(asked))[0];

/** Makes a workspace without members; returns its key. */
export const insertWorkspace = (tx: Tx, row: Omit<WorkspaceRow, 'member_count'>): number =>
  tx.insert(query.insertInto('workspaces').values({ ...row, member_count: 0 }));

export function saveWorkspace(tx: Tx, row: WorkspaceRow): void {
  tx.run(
    query
      .updateTable('workspaces')
      .set({ title: row.title, key: row.key, updated_at: row.updated_at })
      .where('id', '=', row.id),
  );
  recordWorkspace(tx, row.id, ['title', 'key']);
}

/** Those that name this owner, also while they are being deleted and have no members any more. */
export const idsOfWorkspacesOwnedBy = (db: Db, ownerId: string): string[] =>
  db.all(query.selectFrom('workspaces').select('id').where('owner_id', '=', ownerId)).map(({ id }) => id);

/** Takes everyone out; returns who that was. */
export const deleteMembers = (db: Db, workspaceId: string): string[] =>
  db
    .all(query.deleteFrom('members').where('workspace_id', '=', workspaceId).returning('user_id'))
    .map((row) => row.user_id);

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

/** Returns whether they were no member before. */
export function insertMember(tx: Tx, row: MemberRow): boolean {
  const inserted = tx.run(
    query
      .insertInto('members')
      .values(row)
      .onConflict((conflict) => conflict.doNothing()),
  );
  if (inserted === 0) return false;
  recordMember(tx, row.workspace_id, row.user_id, 'put');
  return true;
}

export function setRole(tx: Tx, workspaceId: string, userId: string, role: Role): void {
  tx.run(
    query
      .updateTable('members')
      .set({ role })
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId),
  );
  recordMember(tx, workspaceId, userId, 'put', ['role']);
}

export function setOwner(tx: Tx, workspaceId: string, ownerId: string, now: Instant): void {
  tx.run(
    query.updateTable('workspaces').set({ owner_id: ownerId, updated_at: now }).where('id', '=', workspaceId),
  );
  recordWorkspace(tx, workspaceId, ['ownerId']);
}

export function deleteMember(tx: Tx, workspaceId: string, userId: string): void {
  tx.run(query.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId));
  recordMember(tx, workspaceId, userId, 'delete');
}

/** Deletes a member whose account is being deleted: what is recorded does not name them. */
export function deleteMemberUnnamed(tx: Tx, workspaceId: string, userId: string): void {
  tx.run(query.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId));
  tx.record({ workspaceId, kind: 'member', id: workspaceId, op: 'refetch' });
  recordWorkspace(tx, workspaceId, ['memberCount']);
}

/** Records that a person's name or address changed, wherever they are a member. */
export function recordPerson(tx: Tx, userId: string, fields: readonly string[]): void {
  for (const workspaceId of idsOfWorkspacesWith(tx, userId)) {
    recordMember(tx, workspaceId, userId, 'put', fields);
  }
}

const membersOf = (workspaceId: string) =>
  query
    .selectFrom('members as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .selectAll('member')
    .select(['user.email', 'user.name'])
    .where('member.workspace_id', '=', workspaceId);

/** Gives a workspace another title in place of this one; false when it has another by now. */
export function retitleWorkspace(tx: Tx, id: string, from: string, to: string): boolean {
  const retitle = query.updateTable('workspaces').set({ title: to });
  if (tx.run(retitle.where('id', '=', id).where('title', '=', from)) === 0) return false;
  recordWorkspace(tx, id, ['title']);
  return true;
}

/** The role of a user in each of their workspaces. */
export const rolesOf = (db: Db, userId: string) =>
  db.all(query.selectFrom('members').select(['workspace_id', 'role']).where('user_id', '=', userId));

/** Who has been an admin longest, else a member; undefined where there are only viewers. */
export const nextOwnerOf = (db: Db, workspaceId: string): string | undefined =>
  db.one(
    query
      .selectFrom('members')
      .select('user_id')
      .where('workspace_id', '=', workspaceId)
      .where('role', 'in', ['admin', 'member'])
      .orderBy((row) => row('role', '=', 'admin'), 'desc')
      .orderBy('joined_at'),
  )?.user_id;
