import type { Generated } from 'kysely';
import type { ChangeKind } from '../db/journal.ts';
import type { Day } from '../kernel/days.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Weekday } from '../kernel/weekdays.ts';

/** The rows of every table as they lie in the file. Wire names differ: `store` files turn one into the other. */
export interface Tables {
  users: Omit<UserRow, 'week_start'> & { code: Generated<number>; week_start: Generated<Weekday> };
  user_preferences: UserPreferencesRow;
  audit_log: AuditRow;
  identities: IdentityRow;
  sessions: SessionRow;
  refresh_tokens: RefreshTokenRow;
  api_tokens: ApiTokenRow;
  api_token_workspaces: ApiTokenWorkspaceRow;
  known_addresses: KnownAddressRow;
  pending_signups: PendingSignupRow;
  signup_attempts: SignupAttemptRow;
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
  spaces: SpaceRow & { in_transit: Generated<0 | 1> };
  lists: ListRow & { code: Generated<number>; in_transit: Generated<0 | 1> };
  tasks: TaskRow & TaskKeys & { seq: Generated<number> };
  task_counts: TaskCountRow;
  task_numbers: TaskNumberRow;
  last_task: LastTaskRow;
  series_counts: SeriesCountRow;
  labels: LabelRow & { code: Generated<number> };
  task_labels: TaskLabelRow;
  checklist_items: ChecklistItemRow;
  comments: CommentRow & { code: Generated<number> };
  comment_mentions: CommentMentionRow;
  recurring_series: RecurringSeriesRow;
  series_labels: SeriesLabelRow;
  series_checklist_items: SeriesChecklistItemRow;
  series_steps: SeriesStepRow;
  recurring_occurrences: RecurringOccurrenceRow;
  notifications: NotificationRow;
  trash: TrashRow & { code: Generated<number> };
  trash_rows: TrashedRow & { code: Generated<number> };
  trash_items: TrashItemRow;
  trash_mentions: TrashMentionRow;
  trash_counts: TrashCountRow;
  removals: RemovalRow;
  imports: ImportRow;
  changes: ChangeRow;
  deleted_ids: DeletedIdRow;
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
  /** Since when nobody may sign in to it; null for an account in use. */
  disabled_at: Instant | null;
  last_signed_in_at: Instant | null;
  /** An IANA name; null until the person chose one. */
  timezone: string | null;
  week_start: Weekday;
}

/** What clients keep for a person; apart from `users`, since a write there clears cached rows. */
export interface UserPreferencesRow {
  user_code: number;
  /** JSON: an object. */
  preferences: string;
}

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
  /** The hash of the secret in its cookie; null for a session that has refresh tokens. */
  cookie_hash: string | null;
}

/** A secret that a script signs in with. */
export interface ApiTokenRow {
  id: string;
  user_id: string;
  title: string;
  role: 'viewer' | 'member' | 'admin';
  /** 1 where it is limited to the workspaces in `api_token_workspaces`, be there none left. */
  is_limited: 0 | 1;
  hash: string;
  last_four: string;
  created_at: Instant;
  /** Null for one that does not end. */
  expires_at: Instant | null;
  /** When its owner is to be told that it ends; null once they were, or where they need not be. */
  notice_at: Instant | null;
  last_used_at: Instant | null;
}

export interface ApiTokenWorkspaceRow {
  token_id: string;
  workspace_id: string;
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
  /** As in `signup_attempts`; null where an older Errand stored it. */
  password_tag: number | null;
}

/** That an address was signed up lately, whatever became of it; kept for the two newest passwords of an address. */
export interface SignupAttemptRow {
  email: string;
  /** 16 bits of a keyed hash of the password: tells two apart, and is worth nothing to who guesses. -1 for none. */
  password_tag: number;
  made_at: Instant;
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
  /** Two to six of A to Z, in front of the numbers of its tasks. */
  key: string;
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
  /** Who made it; null for one that a workspace started with, and once that account is gone. */
  creator_code: number | null;
  version: number;
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
  /** Who made it; null for one that a workspace started with, and once that account is gone. */
  creator_code: number | null;
  version: number;
  created_at: Instant;
  updated_at: Instant;
}

export type NotificationType =
  | 'task.assigned'
  | 'task.due'
  | 'comment.added'
  | 'comment.mentioned'
  | 'token.expiring'
  | 'workspace.invited'
  | 'workspace.member_added'
  | 'workspace.owner_changed';

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

/** A day of ten characters, or an instant. */
export type DateText = Day | Instant;

export interface TaskRow {
  id: string;
  /** Counts up in its workspace, never given twice. */
  number: number;
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
  start_date: DateText | null;
  due_date: DateText | null;
  /** The due date that the assignee was told of. */
  due_noticed: DateText | null;
  completed_at: Instant | null;
  position: number;
  /** Null for a task of no series, and for one whose series is gone. */
  recurring_task_id: string | null;
  occurrence_at: Instant | null;
  occurrence_number: number | null;
  /** JSON: names of the fields that differ from the series by intent. */
  overridden: string | null;
  /** Raised by each change of what it shows. */
  version: number;
  created_at: Instant;
  updated_at: Instant;
  title: string;
  /** How the title sorts: folded and bounded. */
  title_key: string;
  description: string | null;
  /** JSON: ids, in the order they were given; null for none. */
  label_ids: string | null;
  /** JSON: items with id, title and whether they are done; null for none. */
  checklist: string | null;
  comment_count: number;
  /** UTF-8 bytes of the titles of its items and of its comments. */
  more_bytes: number;
}

/** What the indexes know a task's ids by. */
export interface TaskKeys {
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
  /** Of the text of all tasks; 0 for the other fields. */
  bytes: number;
}

export interface LabelRow {
  id: string;
  workspace_id: string;
  title: string;
  /** The title without case: unique in its workspace. */
  title_key: string;
  color: string;
  position: number;
  creator_code: number | null;
  version: number;
  created_at: Instant;
  updated_at: Instant;
}

/** For finding tasks by label; what a task shows is in `label_ids`. */
export interface TaskLabelRow {
  label_code: number;
  task_seq: number;
}

/** For finding a task by an item of its checklist; instances of a series share the ids of its template. */
export interface ChecklistItemRow {
  id: string;
  task_seq: number;
}

export interface CommentRow {
  id: string;
  workspace_code: number;
  task_seq: number;
  /** Null once that account is gone. */
  author_code: number | null;
  body: string;
  version: number;
  created_at: Instant;
  edited_at: Instant | null;
}

export interface CommentMentionRow {
  comment_code: number;
  user_code: number;
  /** 0 once an edit took the mention away: nobody is told of the same one twice. */
  is_current: 0 | 1;
}

/** The highest number of the tasks of a workspace that are gone; kept by a trigger. */
export interface TaskNumberRow {
  workspace_code: number;
  last: number;
}

/** One row: the highest `seq` of the tasks that are gone; kept by a trigger. */
export interface LastTaskRow {
  id: 1;
  seq: number;
}

/** How many series a workspace has, and the bytes of their text; kept by triggers, and gone with the last of them. */
export interface SeriesCountRow {
  workspace_code: number;
  n: number;
  bytes: number;
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
  version: number;
  created_at: Instant;
  updated_at: Instant;
  /** As in tasks. */
  label_ids: string | null;
  /** As in tasks; no item is done. */
  checklist: string | null;
  /** The task that it was made of, its first instance. */
  adopted_task_id: string | null;
  /** A digest of the upcoming task as a step back left it; null where the series made it. */
  brought_back: string | null;
}

/** That a series advanced before its time, and from where. */
export interface SeriesStepRow {
  series_id: string;
  /** Of the occurrence that was completed, skipped or deleted. */
  number: number;
  rule_version: number;
  occurrence_local: string;
  /** Null where it had no task. */
  task_id: string | null;
  /** JSON: what its task must have if it is made again. */
  task: string | null;
  status_id: string | null;
  was_status_overridden: 0 | 1;
}

/** For finding series by label; kept by triggers. */
export interface SeriesLabelRow {
  label_code: number;
  series_id: string;
}

/** For finding what has the id of an item; kept by triggers. */
export interface SeriesChecklistItemRow {
  id: string;
  series_id: string;
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

/** A thing that was deleted and can be restored, with all it contained. */
export interface TrashRow {
  id: string;
  workspace_code: number;
  kind: 'task' | 'list' | 'space';
  title: string;
  /** Of a task its list, of a list its space. */
  place_id: string | null;
  deleted_at: Instant;
  /** Null once that account is gone. */
  deleted_by: number | null;
  purge_at: Instant;
  /** Its tasks. */
  item_count: number;
  /** Of what goes in steps, where it is going; otherwise kept. */
  state: 'kept' | 'moving' | 'restoring' | 'purging';
}

/** One thing of an entry of the trash; of a series, its occurrences are rows of their own, many in each. */
export interface TrashedRow {
  entry_code: number;
  workspace_code: number;
  kind: 'space' | 'list' | 'series' | 'occurrences' | 'task' | 'comment';
  /** Null for occurrences. */
  id: string | null;
  /** Of a task that a series made, and of occurrences. */
  series_id: string | null;
  /** UTF-8 bytes of its text, as quotas count them. */
  bytes: number;
  /** JSON. */
  content: string;
}

/** An item of the checklist of a task in the trash: its id is taken. */
export interface TrashItemRow {
  id: string;
  row_code: number;
}

/** Who is mentioned in a comment in the trash. */
export interface TrashMentionRow {
  user_code: number;
  row_code: number;
}

/** What the trash of a workspace holds of each kind; kept by triggers. */
export interface TrashCountRow {
  workspace_code: number;
  kind: TrashedRow['kind'];
  n: number;
  bytes: number;
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
