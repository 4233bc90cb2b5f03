import { DAY } from '../kernel/instants.ts';
import { SHOWN_COMMENTS } from './comments.ts';
import { MEMBERS_SHOWN } from './contents.ts';
import {
  clearAuthor,
  clearSeriesReference,
  clearTaskReference,
  deleteLists,
  deleteOccurrences,
  deleteRefreshTokens,
  deleteSeries,
  deletes,
  deleteTasks,
  deleteTrashed,
  eraseMentions,
  eraseTrashedMentions,
  IS_USER,
  IS_WORKSPACE,
  type RemovalPart,
  releaseTasks,
  updateRows,
} from './removal-parts.ts';
import { KNOWN_NETWORK_MS } from './sessions.ts';
import { CONFLICT_MS } from './signup-attempts.ts';
import type { RemovalRow, Tables } from './tables.ts';

/** Which rows are past their time, and what tells rows apart. */
interface Expiry {
  /** True of an expired row; `?` stands for the instant up to which rows have expired. */
  where: string;
  /** How long after that they are kept. */
  keptMs?: number;
  /** `id` unless it says so. */
  key?: string;
}

/** What becomes of the rows of a table: read by purges, restores, deletions and the export. */
export interface TableTraits {
  /** How rows expire; 'own' by a rule of the table's own file, never where it is left out. */
  expires?: Expiry | 'own';
  /** What a restore does with rows that must not come back: deletes them, or runs this statement. They stay otherwise. */
  onRestore?: 'delete' | `update ${string}` | `delete from ${string}`;
  /**
   * What rows go with, or lose a reference to: by a foreign key, in the commit that asks for the deletion, or in steps,
   * a table after the other in the order of this file.
   */
  goesWith?: Partial<Record<RemovalRow['kind'], 'reference' | 'at once' | readonly RemovalPart[]>>;
  /** Where an export has its rows, as an array or inside another object; left out where no one takes them along. */
  exported?: ExportedRows | string;
}

/** Rows that are an array of their own in an export, read in the order of `by`, which together tells them apart. */
export interface ExportedRows {
  at: string;
  /** The column of what they belong to. */
  of: 'workspace_id' | 'workspace_code' | 'task_seq' | 'series_id' | 'user_id';
  by: readonly string[];
  isNewestFirst?: true;
  /** The table, unless it says so. */
  from?: string;
}

const EXPIRES: Expiry = { where: 'expires_at <= ?' };
/** Rows of what is in a workspace. */
const OF_WORKSPACE = { goesWith: { workspace: 'reference' } } as const;
/** Rows of a workspace in the order in which people put them. */
const PLACED = { of: 'workspace_id', by: ['position', 'id'] } as const;

/** Tables whose rows go in steps come after those that refer to them. */
export const TABLE_TRAITS = {
  // People
  user_preferences: { goesWith: { user: 'reference' }, exported: 'profile' },
  identities: { goesWith: { user: 'at once' }, exported: 'profile' },
  // Sessions would take them along, but one may have thousands.
  refresh_tokens: {
    expires: { where: 'session_id in (select id from sessions where expires_at <= ?)', key: 'hash' },
    goesWith: { user: [deleteRefreshTokens] },
  },
  sessions: { expires: EXPIRES, onRestore: 'delete', goesWith: { user: 'at once' } },
  api_token_workspaces: OF_WORKSPACE,
  api_tokens: { expires: EXPIRES, onRestore: 'delete', goesWith: { user: 'at once' } },
  known_addresses: {
    expires: { where: 'signed_in_at <= ?', keptMs: KNOWN_NETWORK_MS, key: 'user_id, network' },
    goesWith: { user: 'at once' },
  },
  pending_signups: { expires: EXPIRES, onRestore: 'delete', goesWith: { user: 'at once' } },
  signup_attempts: {
    expires: { where: 'made_at <= ?', keptMs: CONFLICT_MS, key: 'email, password_tag' },
  },
  used_telegram_logins: { expires: { ...EXPIRES, key: 'hash' } },
  login_codes: { expires: EXPIRES, onRestore: 'delete', goesWith: { user: 'at once' } },
  email_tokens: { expires: EXPIRES, onRestore: 'delete', goesWith: { user: 'at once' } },

  // The server
  audit_log: { expires: 'own' },
  budgets: { expires: 'own', goesWith: { user: 'at once' } },
  outbox: {
    expires: 'own',
    onRestore: `delete from outbox where state <> 'sent'`,
    goesWith: { user: 'at once' },
  },
  meta: {},
  removals: {},
  imports: OF_WORKSPACE,
  notifications: {
    expires: { where: 'read_at <= ?', keptMs: 90 * DAY },
    goesWith: {
      user: [deletes('notifications', 'user_id = ?'), deletes('notifications', 'actor_id = ?')],
      workspace: [deletes('notifications', 'workspace_id = ?')],
    },
    exported: { at: 'notifications', of: 'user_id', by: ['created_at', 'id'], isNewestFirst: true },
  },

  // What a list holds, the tasks first: a series that goes before its tasks would have to let each of them go.
  task_counts: OF_WORKSPACE,
  task_numbers: { ...OF_WORKSPACE, exported: 'workspaces.lastTaskNumber' },
  last_task: {},
  task_labels: { exported: 'workspaces.tasks.labelIds' },
  checklist_items: { exported: 'workspaces.tasks.checklist' },
  tasks: {
    goesWith: {
      user: [clearTaskReference('assignee'), clearTaskReference('creator')],
      workspace: [deleteTasks('workspace')],
      space: [deleteTasks('space')],
      list: [deleteTasks('list')],
    },
    exported: { at: 'workspaces.tasks', of: 'workspace_code', by: ['seq'] },
  },
  comments: {
    goesWith: { user: [clearAuthor, eraseMentions], workspace: 'reference' },
    exported: { at: 'workspaces.tasks.comments', of: 'task_seq', by: ['code'], from: `(${SHOWN_COMMENTS})` },
  },
  // Erased with what the comments say.
  comment_mentions: { goesWith: { user: 'reference' } },
  series_counts: OF_WORKSPACE,
  series_labels: { exported: 'workspaces.recurringTasks.labelIds' },
  series_checklist_items: { exported: 'workspaces.recurringTasks.checklist' },
  series_steps: { exported: { at: 'workspaces.recurringTasks.steps', of: 'series_id', by: ['number'] } },
  recurring_occurrences: {
    goesWith: {
      workspace: [deleteOccurrences('workspace')],
      space: [deleteOccurrences('space')],
      list: [deleteOccurrences('list')],
    },
    exported: {
      at: 'workspaces.recurringTasks.occurrences',
      of: 'series_id',
      by: ['rule_version', 'occurrence_local'],
    },
  },
  recurring_series: {
    goesWith: {
      user: [clearSeriesReference('assignee'), clearSeriesReference('creator')],
      workspace: [deleteSeries('workspace')],
      space: [releaseTasks('space'), deleteSeries('space')],
      list: [releaseTasks('list'), deleteSeries('list')],
    },
    exported: { at: 'workspaces.recurringTasks', of: 'workspace_id', by: ['created_at', 'id'] },
  },

  // The trash
  trash_items: {},
  trash_rows: {
    goesWith: {
      user: [eraseTrashedMentions],
      workspace: [deleteTrashed],
    },
    exported: 'workspaces.trash',
  },
  trash_mentions: {
    goesWith: { user: [deletes('trash_mentions', IS_USER('user_code'), 'user_code, row_code')] },
  },
  trash_counts: OF_WORKSPACE,
  trash: {
    expires: 'own',
    goesWith: {
      user: [updateRows('trash', 'deleted_by = null', IS_USER('deleted_by'))],
      workspace: [deletes('trash', IS_WORKSPACE)],
    },
    exported: {
      at: 'workspaces.trash',
      of: 'workspace_code',
      by: ['code'],
      from: `(select * from trash where state <> 'purging')`,
    },
  },

  // Workspaces and what stays in them to the end
  changes: {
    expires: 'own',
    goesWith: { workspace: [deletes('changes', IS_WORKSPACE, 'workspace_code, seq', 10)] },
  },
  deleted_ids: {
    expires: 'own',
    goesWith: { workspace: [deletes('deleted_ids', IS_WORKSPACE, 'id', 10)] },
  },
  // Its mailed link is void after a restore.
  invitations: {
    expires: EXPIRES,
    onRestore: `update invitations set token_hash = 'ended ' || id`,
    goesWith: { user: 'at once', workspace: 'reference' },
  },
  labels: {
    goesWith: { user: 'reference', workspace: 'reference' },
    exported: { at: 'workspaces.labels', ...PLACED },
  },
  statuses: { ...OF_WORKSPACE, exported: 'workspaces.statusTemplates.statuses' },
  lists: {
    goesWith: {
      user: 'reference',
      workspace: [deletes('lists', 'workspace_id = ?')],
      space: [deleteLists],
    },
    exported: { at: 'workspaces.lists', ...PLACED },
  },
  status_templates: {
    ...OF_WORKSPACE,
    exported: { at: 'workspaces.statusTemplates', of: 'workspace_id', by: ['created_at', 'id'] },
  },
  spaces: {
    goesWith: { user: 'reference', workspace: 'reference' },
    exported: { at: 'workspaces.spaces', ...PLACED },
  },
  members: {
    goesWith: { user: 'at once', workspace: 'reference' },
    exported: { at: 'workspaces.members', of: 'workspace_id', by: ['user_id'], from: MEMBERS_SHOWN },
  },
  // Those they own are passed on, or deleted where nobody could own them.
  workspaces: { goesWith: { user: 'at once' }, exported: 'workspaces' },
  users: { exported: 'profile' },
} as const satisfies Record<keyof Tables, TableTraits>;
