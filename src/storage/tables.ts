import type { Generated } from 'kysely';
import type { Weekday } from '../kernel/weekdays.ts';
import type {
  ApiTokenRow,
  ApiTokenWorkspaceRow,
  EmailTokenRow,
  IdentityRow,
  KnownAddressRow,
  LoginCodeRow,
  PendingSignupRow,
  RefreshTokenRow,
  SessionRow,
  SignupAttemptRow,
  UsedTelegramLoginRow,
  UserPreferencesRow,
  UserRow,
} from './rows/accounts.ts';
import type {
  RecurringOccurrenceRow,
  RecurringSeriesRow,
  SeriesChecklistItemRow,
  SeriesCountRow,
  SeriesLabelRow,
  SeriesStepRow,
} from './rows/series.ts';
import type {
  AuditRow,
  BudgetRow,
  ChangeRow,
  DeletedIdRow,
  ImportRow,
  MetaRow,
  OutboxRow,
  RemovalRow,
} from './rows/system.ts';
import type {
  ChecklistItemRow,
  CommentMentionRow,
  CommentRow,
  LastTaskRow,
  TaskCountRow,
  TaskKeys,
  TaskLabelRow,
  TaskNumberRow,
  TaskRow,
} from './rows/tasks.ts';
import type { TrashCountRow, TrashedRow, TrashItemRow, TrashMentionRow, TrashRow } from './rows/trash.ts';
import type {
  InvitationRow,
  LabelRow,
  ListRow,
  MemberRow,
  NotificationRow,
  SpaceRow,
  StatusRow,
  StatusTemplateRow,
  WorkspaceRow,
} from './rows/workspaces.ts';

export type * from './rows/accounts.ts';
export type * from './rows/series.ts';
export type * from './rows/system.ts';
export type * from './rows/tasks.ts';
export type * from './rows/trash.ts';
export type * from './rows/workspaces.ts';

/** The rows of every table as they lie in the file. Wire names differ: mappers turn one into the other. */
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
