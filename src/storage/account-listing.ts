import { sql } from 'kysely';
import { type Db, query } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import { isNotBeingRemoved } from './removals.ts';
import { userOf } from './users.ts';

interface AccountsRequest {
  /** What address or name contains, in any case. */
  text?: string | undefined;
  disabledOnly?: boolean;
  /** Undefined for all. */
  limit?: number | undefined;
  page: number;
}

/** Accounts as an admin sees them, the oldest first, with their live sessions, the workspaces they own, and the tasks in these. */
export function listAccounts(db: Db, now: Instant, { text, disabledOnly, limit, page }: AccountsRequest) {
  let accounts = query
    .selectFrom('users')
    .selectAll('users')
    .select((row) => [
      row
        .selectFrom('sessions')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('sessions.user_id', '=', 'users.id')
        .where('sessions.expires_at', '>', now)
        .as('sessions'),
      row
        .selectFrom('workspaces')
        .select(({ fn }) => fn.countAll<number>().as('n'))
        .whereRef('workspaces.owner_id', '=', 'users.id')
        .where(isNotBeingRemoved('workspace', 'workspaces.id'))
        .as('workspaces'),
      row
        .selectFrom('workspaces')
        .innerJoin('task_counts', 'task_counts.workspace_code', 'workspaces.code')
        .select(({ fn }) => fn.sum<number | null>('task_counts.n').as('n'))
        .whereRef('workspaces.owner_id', '=', 'users.id')
        .where(isNotBeingRemoved('workspace', 'workspaces.id'))
        .where('task_counts.field', '=', 'all')
        .as('tasks'),
    ])
    .where(isNotBeingRemoved('user', 'users.id'))
    .orderBy('users.created_at')
    .orderBy('users.id');
  if (disabledOnly) accounts = accounts.where('users.disabled_at', 'is not', null);
  if (text !== undefined) {
    // SQLite knows the case of ASCII only.
    const sought = text.toLowerCase();
    const ids = db
      .all(query.selectFrom('users').select(['id', 'email', 'name']))
      .filter(({ email, name }) => `${email}\n${name}`.toLowerCase().includes(sought))
      .map(({ id }) => id);
    const found = sql<string>`(select value from json_each(${JSON.stringify(ids)}))`;
    accounts = accounts.where('users.id', 'in', found);
  }
  if (limit !== undefined) accounts = accounts.limit(limit).offset((page - 1) * limit);
  return db.all(accounts).map((row) => ({
    ...userOf(row),
    hasPassword: row.password_hash !== null,
    createdAt: row.created_at,
    /** Null for who never did. */
    lastSignInAt: row.last_signed_in_at,
    sessions: row.sessions ?? 0,
    workspaces: row.workspaces ?? 0,
    tasks: row.tasks ?? 0,
    isDisabled: row.disabled_at !== null,
  }));
}
