import { type Db, prepared, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { readPage } from './read-page.ts';
import type { ApiTokenRow } from './tables.ts';

/** A token with the workspaces that it is limited to; null for all. */
export interface ApiTokenWithWorkspaces extends ApiTokenRow {
  workspaceIds: string[] | null;
}

const byHash = prepared<{ hash: string }, ApiTokenRow>((argument) =>
  query.selectFrom('api_tokens').selectAll().where('hash', '=', argument('hash')),
);
const byId = prepared<{ id: string }, Pick<ApiTokenRow, 'user_id' | 'expires_at'>>((argument) =>
  query.selectFrom('api_tokens').select(['user_id', 'expires_at']).where('id', '=', argument('id')),
);
const workspacesOfToken = prepared<{ id: string }, { workspace_id: string }>((argument) =>
  query.selectFrom('api_token_workspaces').select('workspace_id').where('token_id', '=', argument('id')),
);
const use = prepared<{ id: string; now: Instant }, unknown>((argument) =>
  query
    .updateTable('api_tokens')
    .set({ last_used_at: argument('now') })
    .where('id', '=', argument('id')),
);

const withWorkspaces = (db: Db, row: ApiTokenRow): ApiTokenWithWorkspaces => ({
  ...row,
  workspaceIds:
    row.is_limited === 1 ? db.all(workspacesOfToken({ id: row.id })).map(({ workspace_id: id }) => id) : null,
});

/** Whom a token lets in, and to which workspaces; one that has expired too. */
export function findApiTokenByHash(db: Db, hash: string): ApiTokenWithWorkspaces | undefined {
  const row = db.one(byHash({ hash }));
  return row && withWorkspaces(db, row);
}

/** Whose token it is, and until when. */
export const findApiToken = (db: Db, id: string) => db.one(byId({ id }));

export const noteApiTokenUse = (db: Db, id: string, now: Instant) => db.run(use({ id, now }));

export function insertApiToken(tx: Tx, row: ApiTokenRow, workspaceIds: readonly string[]): void {
  tx.run(query.insertInto('api_tokens').values(row));
  for (const workspaceId of workspaceIds) {
    tx.run(query.insertInto('api_token_workspaces').values({ token_id: row.id, workspace_id: workspaceId }));
  }
}

const liveOf = (userId: string, now: Instant) =>
  query
    .selectFrom('api_tokens')
    .where('user_id', '=', userId)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]));

/** How many tokens of a user still work. */
export const countApiTokens = (db: Db, userId: string, now: Instant): number =>
  db.one(liveOf(userId, now).select(({ fn }) => fn.countAll<number>().as('n')))?.n ?? 0;

/** The tokens of a user that still work, the oldest first. */
export function listApiTokens<Item>(
  db: Db,
  userId: string,
  now: Instant,
  page: PageRequest,
  toItem: (row: ApiTokenWithWorkspaces) => Item,
): Page<Item> {
  const live = liveOf(userId, now).selectAll().orderBy('created_at').orderBy('id');
  return readPage(db, page, live, (row) => toItem(withWorkspaces(db, row)));
}

/** Renames a token of a user that still works; undefined where there is none. */
export function renameApiToken(
  tx: Tx,
  userId: string,
  id: string,
  title: string | undefined,
  now: Instant,
): ApiTokenWithWorkspaces | undefined {
  const found = tx.one(liveOf(userId, now).selectAll().where('id', '=', id));
  if (!found || title === undefined) return found && withWorkspaces(tx, found);
  tx.run(query.updateTable('api_tokens').set({ title }).where('id', '=', id));
  return withWorkspaces(tx, { ...found, title });
}

/** Revokes tokens of a user: one of them, those made since an instant, or all; returns how many. */
export function revokeApiTokens(tx: Tx, userId: string, only: { id?: string; since?: Instant } = {}): number {
  let revoked = query.deleteFrom('api_tokens').where('user_id', '=', userId);
  if (only.id !== undefined) revoked = revoked.where('id', '=', only.id);
  if (only.since !== undefined) revoked = revoked.where('created_at', '>=', only.since);
  const count = tx.run(revoked);
  if (count > 0) tx.tell({ userId, about: 'sessions' });
  return count;
}

/** Some of the tokens whose owner is to be told that they end soon. */
export const expiringApiTokens = (db: Db, now: Instant, most: number): ApiTokenRow[] =>
  db.all(
    query.selectFrom('api_tokens').selectAll().where('notice_at', '<=', now).orderBy('notice_at').limit(most),
  );

/** Takes the notice of a token; false where it was taken before. */
export const takeExpiryNotice = (tx: Tx, id: string): boolean =>
  tx.run(
    query
      .updateTable('api_tokens')
      .set({ notice_at: null })
      .where('id', '=', id)
      .where('notice_at', 'is not', null),
  ) > 0;
