import { type Db, query } from '../db/connection.ts';
import type { MemberRow, WorkspaceRow } from '../db/tables.ts';
import { offsetOf, type PageRequest } from '../kernel/page.ts';
import type { Workspace } from './schema.ts';

export const workspaceOf = (row: WorkspaceRow & Pick<MemberRow, 'role'>): Workspace => ({
  id: row.id,
  title: row.title,
  ownerId: row.owner_id,
  role: row.role,
  memberCount: row.member_count,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

/** The workspaces a user belongs to, the default one first, then by creation. */
export function listWorkspacesOf(db: Db, userId: string, page: PageRequest) {
  const mine = query
    .selectFrom('members as member')
    .innerJoin('workspaces as workspace', 'workspace.id', 'member.workspace_id')
    .where('member.user_id', '=', userId);
  const total = db.one(mine.select(({ fn }) => fn.countAll<number>().as('total')))?.total ?? 0;
  const rows = db.all(
    mine
      .selectAll('workspace')
      .select('member.role')
      .orderBy('member.is_default', 'desc')
      .orderBy('workspace.created_at')
      .orderBy('workspace.id')
      .limit(page.limit)
      .offset(offsetOf(page)),
  );
  return { total, items: rows.map(workspaceOf) };
}
