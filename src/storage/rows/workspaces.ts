import type { Instant } from '../../kernel/instants.ts';

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
