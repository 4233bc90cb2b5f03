import { type Db, query } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Invitation } from '../workspaces/schema.ts';
import { deleteMailsWith } from './outbox.ts';
import { readPage } from './read-page.ts';
import type { InvitationRow } from './tables.ts';

export const invitationOf = (row: InvitationRow): Invitation => ({
  id: row.id,
  workspaceId: row.workspace_id,
  email: row.email,
  role: row.role,
  inviterId: row.inviter_id,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
});

/** Those that can still be accepted. */
export function listInvitations(
  db: Db,
  workspaceId: string,
  now: Instant,
  page: PageRequest,
): Page<Invitation> {
  const live = query
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('expires_at', '>', now);
  return readPage(db, page, live.orderBy('created_at').orderBy('id'), invitationOf);
}

/**
 * Stores an invitation in the place of an older one to that address, and returns it; the mail of that one still goes out.
 * With `keepToken` it has the id and the token of the older one, if there was one, and so its mail.
 */
export function replaceInvitation(
  db: Db,
  row: InvitationRow,
  { keepToken }: { keepToken: boolean },
): InvitationRow {
  const { workspace_id: workspaceId, email } = row;
  const older = db.one(
    query
      .deleteFrom('invitations')
      .where('workspace_id', '=', workspaceId)
      .where('email', '=', email)
      .returning(['id', 'token_hash']),
  );
  const stored = { ...row, ...(keepToken && older) };
  db.run(query.insertInto('invitations').values(stored));
  return stored;
}

export const findInvitation = (db: Db, tokenHash: string, now: Instant) =>
  db.one(
    query
      .selectFrom('invitations')
      .selectAll()
      .where('token_hash', '=', tokenHash)
      .where('expires_at', '>', now),
  );

/** Consumes the live invitation of that address by its token. */
export const consumeInvitation = (db: Db, tokenHash: string, email: string, now: Instant) =>
  consume(db, liveOnesTo(email, now).where('token_hash', '=', tokenHash));

/** Consumes the live invitation of that address to the workspace, whichever token it has by now. */
export const consumeInvitationTo = (db: Db, workspaceId: string, email: string, now: Instant) =>
  consume(db, liveOnesTo(email, now).where('workspace_id', '=', workspaceId));

const liveOnesTo = (email: string, now: Instant) =>
  query.deleteFrom('invitations').where('email', '=', email).where('expires_at', '>', now);

function consume(db: Db, live: ReturnType<typeof liveOnesTo>): InvitationRow | undefined {
  const row = db.one(live.returningAll());
  if (row) deleteMailsWith(db, [row]);
  return row;
}

/** Revokes invitations to a workspace, with the mails that carry them; narrowed to one, or to those from someone. */
export function revokeInvitations(
  db: Db,
  workspaceId: string,
  only: { id?: string; inviterId?: string } = {},
): number {
  let rowsToDelete = query.deleteFrom('invitations').where('workspace_id', '=', workspaceId);
  if (only.id !== undefined) rowsToDelete = rowsToDelete.where('id', '=', only.id);
  if (only.inviterId !== undefined) rowsToDelete = rowsToDelete.where('inviter_id', '=', only.inviterId);
  const revoked = db.all(rowsToDelete.returning('id'));
  deleteMailsWith(db, revoked);
  return revoked.length;
}

/** Revokes every invitation of an address; the mails that carry them go with the address. */
export const revokeInvitationsTo = (db: Db, email: string) =>
  db.run(query.deleteFrom('invitations').where('email', '=', email));
