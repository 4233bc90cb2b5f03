import type { ChangeKind } from '../../kernel/change-kinds.ts';
import type { Instant } from '../../kernel/instants.ts';

/** What was done to an account, a key or the database. Names people by id alone, so that a deleted one is nobody. */
export interface AuditRow {
  id: string;
  at: Instant;
  source: 'api' | 'command';
  event: string;
  /** The account it was done to; null where it concerns none. */
  user_id: string | null;
  /** The account that did it, where that is another one. */
  actor_id: string | null;
  /** JSON: further ids, never a name or an address. */
  details: string;
  /** 1 for a request that was rejected: nothing was done. */
  is_rejected: 0 | 1;
  /** 0 until the running server has written its line of a command's row. */
  is_logged: 0 | 1;
}

/** A token bucket that outlives a restart; see `kernel/token-bucket.ts`. */
export interface BudgetRow {
  key: string;
  /** Milliseconds since the epoch. */
  full_at: number;
}

export interface OutboxRow {
  id: string;
  /** Smaller goes first: codes before the rest. */
  priority: number;
  kind: string;
  recipient: string;
  /** The sealed content; null once it is erased. */
  content: Buffer | null;
  /** The row of the secret it carries, so that a consumed secret's mail goes with it. */
  secret_id: string | null;
  /** Whose mail it is: it is to them, or caused by them. Null for a stranger's and for a decoy. */
  user_id: string | null;
  state: 'queued' | 'sent' | 'failed' | 'decoy';
  attempts: number;
  next_attempt_at: Instant;
  /** After this what it carries is worthless. */
  expires_at: Instant;
  created_at: Instant;
  sent_at: Instant | null;
  last_error: string | null;
}

export interface MetaRow {
  key: string;
  value: string;
}

/** Something whose deletion has begun; a user or a workspace is not to be seen any more. */
export interface RemovalRow {
  kind: 'user' | 'workspace' | 'space' | 'list';
  id: string;
}

/** A workspace that is being imported: without members, so that nobody sees it until it is whole. */
export interface ImportRow {
  workspace_id: string;
  /** Whether the server imports it or a command. */
  source: 'api' | 'command';
  /** When its import last showed that it lives. */
  alive_at: Instant;
}

/** One thing that a commit changed, for those who follow its workspace; see `journal.ts`. */
export interface ChangeRow {
  workspace_code: number;
  seq: number;
  tag: number;
  kind: ChangeKind;
  thing_id: string;
  op: 'put' | 'delete' | 'refetch';
  /** Names of fields, separated by commas; null for a thing made or deleted. */
  fields: string | null;
  /** Of the user, never given twice; null for what nobody signed in did. */
  actor_code: number | null;
  client_id: string | null;
  changed_at: Instant;
}

/** The id of something that is gone, which nothing else may have for a while. */
export interface DeletedIdRow {
  id: string;
  workspace_code: number;
  /** Null until the next minute. */
  deleted_at: Instant | null;
}
