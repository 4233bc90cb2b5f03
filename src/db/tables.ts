import type { Generated } from 'kysely';
import type { Instant } from '../kernel/instants.ts';

/** The rows of every table as they lie in the file. Wire names differ: `store` files turn one into the other. */
export interface Tables {
  users: UserRow & { code: Generated<number> };
  identities: IdentityRow;
  sessions: SessionRow;
  refresh_tokens: RefreshTokenRow;
  known_addresses: KnownAddressRow;
  pending_signups: PendingSignupRow;
  used_telegram_logins: UsedTelegramLoginRow;
  login_codes: LoginCodeRow;
  email_tokens: EmailTokenRow;
  budgets: BudgetRow;
  outbox: OutboxRow;
  meta: MetaRow;
  workspaces: WorkspaceRow & { code: Generated<number> };
  members: MemberRow;
  invitations: InvitationRow;
  status_templates: StatusTemplateRow;
  statuses: StatusRow & { code: Generated<number> };
  spaces: SpaceRow;
  lists: ListRow & { code: Generated<number> };
  tasks: TaskRow & TaskCodes & { seq: Generated<number> };
  task_counts: TaskCountRow;
  recurring_series: RecurringSeriesRow;
  recurring_occurrences: RecurringOccurrenceRow;
  notifications: NotificationRow;
  removals: RemovalRow;
}

export interface UserRow {
  id: string;
  email: string;
  name: string;
  /** Null for an account that signs in by other means only. */
  password_hash: string | null;
  /** When the person chose it; a hash that is only renewed keeps this. */
  password_set_at: Instant | null;
  is_email_verified: 0 | 1;
  created_at: Instant;
  updated_at: Instant;
}

/** Someone elsewhere who is a user here, known by the subject that other service gives them. */
export interface IdentityRow {
  provider: 'google' | 'telegram';
  subject: string;
  user_id: string;
  created_at: Instant;
}

/** A row lives as long as its session: ending one deletes it. */
export interface SessionRow {
  id: string;
  user_id: string;
  user_agent: string;
  ip: string;
  created_at: Instant;
  last_used_at: Instant;
  expires_at: Instant;
}

export interface RefreshTokenRow {
  hash: string;
  session_id: string;
  /** Null for the current one; a used one is kept to know its reuse. */
  used_at: Instant | null;
}

/** Client networks that signed in to an account. */
export interface KnownAddressRow {
  user_id: string;
  network: string;
  signed_in_at: Instant;
}

export interface PendingSignupRow {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  /** The workspace whose invitation it came with. */
  invited_to: string | null;
  /** The Telegram account it came from, which the new account will be linked to. */
  telegram_id: string | null;
  token_hash: string;
  created_at: Instant;
  expires_at: Instant;
}

/** What the Telegram widget signed, kept until it is too old to be presented again. */
export interface UsedTelegramLoginRow {
  hash: string;
  expires_at: Instant;
}

/** One live code per address, known or not. */
export interface LoginCodeRow {
  id: string;
  email: string;
  code_hash: string;
  attempts: number;
  expires_at: Instant;
}

/** Secrets mailed to the owner of an address. */
export interface EmailTokenRow {
  id: string;
  /** What keeps an address undoes, once the account's address was changed, and cancels before. */
  purpose: 'password-reset' | 'email-change' | 'email-keep' | 'email-undo';
  /** Null where the address has no account: such a token is never mailed. */
  user_id: string | null;
  /** The address it was mailed to. */
  email: string;
  token_hash: string;
  created_at: Instant;
  expires_at: Instant;
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
  /** The row of the secret it carries, so that a spent secret's mail goes with it. */
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

export interface WorkspaceRow {
  id: string;
  title: string;
  owner_id: string;
  member_count: number;
  created_at: Instant;
  updated_at: Instant;
}

export type Role = 'owner' | 'admin' | 'member' | 'viewer';

export interface MemberRow {
  workspace_id: string;
  user_id: string;
  role: Role;
  /** The workspace made with the account: first among a user's own. */
  is_default: 0 | 1;
  joined_at: Instant;
}

/** One per workspace and address. */
export interface InvitationRow {
  id: string;
  workspace_id: string;
  email: string;
  role: Exclude<Role, 'owner'>;
  inviter_id: string;
  token_hash: string;
  created_at: Instant;
  expires_at: Instant;
}

export interface StatusTemplateRow {
  id: string;
  workspace_id: string;
  title: string;
  is_default: 0 | 1;
  created_at: Instant;
  updated_at: Instant;
}

export type StatusType = 'unstarted' | 'started' | 'completed' | 'canceled';

export interface StatusRow {
  id: string;
  workspace_id: string;
  template_id: string;
  title: string;
  type: StatusType;
  color: string;
  position: number;
}

export interface SpaceRow {
  id: string;
  workspace_id: string;
  title: string;
  description: string | null;
  position: number;
  created_at: Instant;
  updated_at: Instant;
}

export interface ListRow {
  id: string;
  workspace_id: string;
  space_id: string;
  title: string;
  status_template_id: string;
  position: number;
  created_at: Instant;
  updated_at: Instant;
}

export type NotificationType = 'task.assigned' | 'task.due' | 'workspace.invited' | 'workspace.member_added';

export interface NotificationRow {
  id: string;
  user_id: string;
  workspace_id: string | null;
  /** Whose act it tells of; null for what time brought. */
  actor_id: string | null;
  type: NotificationType;
  title: string;
  body: string;
  /** JSON. */
  data: string;
  read_at: Instant | null;
  created_at: Instant;
}

export interface TaskRow {
  id: string;
  workspace_code: number;
  workspace_id: string;
  /** Of its list. */
  space_id: string;
  list_id: string;
  status_id: string;
  /** From 0 for none to 4 for urgent. */
  priority: number;
  assignee_id: string | null;
  creator_id: string | null;
  start_date: Instant | null;
  due_date: Instant | null;
  /** The due instant that the assignee was told of. */
  due_noticed: Instant | null;
  completed_at: Instant | null;
  position: number;
  /** Null for a task of no series, and for one whose series is gone. */
  recurring_task_id: string | null;
  occurrence_at: Instant | null;
  occurrence_number: number | null;
  /** JSON: names of the fields that differ from the series by intent. */
  overridden: string | null;
  created_at: Instant;
  updated_at: Instant;
  title: string;
  /** How the title sorts: folded and bounded. */
  title_key: string;
  description: string | null;
}

/** What the indexes know a task's ids by. */
export interface TaskCodes {
  list_code: number;
  status_code: number;
  assignee_code: number | null;
  creator_code: number | null;
}

/**
 * How many tasks a workspace has, all of them (value 0) or those with a code in a field (0 for no assignee), by
 * priority and status; kept by triggers and by the insert.
 */
export interface TaskCountRow {
  workspace_code: number;
  field: 'all' | 'list' | 'assignee';
  value: number;
  priority: number;
  status_code: number;
  n: number;
}

export type CatchUp = 'latest' | 'all' | 'none';
export type SeriesState = 'active' | 'paused' | 'ended';

/** A recurring task: the template of its instances, its rule, and where it stands. */
export interface RecurringSeriesRow {
  id: string;
  workspace_id: string;
  list_id: string;
  title: string;
  description: string | null;
  /** As in tasks. */
  priority: number;
  assignee_id: string | null;
  creator_id: string | null;
  /** JSON, with nothing left to imply. */
  interval: string;
  /** JSON; a count is one of the series' numbers. */
  end_condition: string;
  starts_at: Instant;
  catch_up: CatchUp;
  /** Local date of the rule's first occurrence. */
  anchor_date: string;
  /** What is added to a number of the rule to give that of the series, which goes on when the rule changes. */
  number_offset: number;
  rule_version: number;
  /** The zone data that `next_run_at` was computed with. */
  tz_version: string;
  state: SeriesState;
  state_reason: 'completed' | 'error' | null;
  /** When the upcoming occurrence is; null unless active. */
  next_run_at: Instant | null;
  /** Its local time, number and task; a paused series remembers them. */
  next_local: string | null;
  next_number: number | null;
  next_task_id: string | null;
  created_at: Instant;
  updated_at: Instant;
}

/** An occurrence that was decided upon, for good. */
export interface RecurringOccurrenceRow {
  series_id: string;
  rule_version: number;
  /** `YYYY-MM-DDTHH:MM` on the clocks of the zone. */
  occurrence_local: string;
  occurrence_at: Instant;
  number: number;
  state: 'generated' | 'skipped' | 'deleted' | 'missed';
  /** Null once the task is gone. */
  task_id: string | null;
}

/** Something whose deletion has begun; a user or a workspace is not to be seen any more. */
export interface RemovalRow {
  kind: 'user' | 'workspace' | 'space' | 'list';
  id: string;
}
