import type SqliteDatabase from 'better-sqlite3';
import { tablesIn } from '../src/storage/integrity.ts';

const AT = '2026-03-27T10:00:00.000Z';
const LATER = '2099-03-27T10:00:00.000Z';

const TRASHED_TASK = JSON.stringify({
  row: {
    seq: 7,
    id: 'old',
    workspace_code: 1,
    space_id: 'space',
    list_code: 1,
    list_id: 'list',
    status_code: 1,
    status_id: 'to do',
    priority: 0,
    start_date: null,
    due_date: '2026-04-01',
    due_noticed: null,
    completed_at: null,
    position: 2048,
    recurring_task_id: null,
    occurrence_at: null,
    occurrence_number: null,
    overridden: null,
    created_at: AT,
    updated_at: AT,
    title: 'Old',
    title_key: 'old',
    description: null,
    number: 7,
    checklist: '[{"id":"bag","title":"Bag","isDone":false}]',
    comment_count: 1,
    more_bytes: 7,
    version: 2,
  },
  people: { assignee: 2, creator: 1 },
  labels: [1],
  status: { id: 'to do', title: 'To Do', type: 'unstarted' },
});
const TRASHED_COMMENT = JSON.stringify({
  row: {
    code: 2,
    id: 'said',
    workspace_code: 1,
    task_seq: 7,
    author_code: 1,
    body: 'Gone',
    version: 1,
    created_at: AT,
    edited_at: null,
  },
  mentions: [{ user_code: 2, is_current: 1 }],
});

/** Rows for every table that a migration makes, as the Errand of that schema would have left them. */
export const ROWS_OF_SCHEMA: Record<string, string> = {
  '0001_accounts': `
    insert into users (id, email, name, password_hash, password_set_at, is_email_verified, created_at,
      updated_at)
      values
      ('ada', 'ada@example.com', 'Ada', 'hash', '${AT}', 1, '${AT}', '${AT}'),
      ('bob', 'bob@example.com', 'Bob', null, null, 1, '${AT}', '${AT}');
    insert into identities (provider, subject, user_id, created_at) values ('google', '1234', 'bob', '${AT}');
    insert into sessions (id, user_id, user_agent, ip, created_at, last_used_at, expires_at)
      values ('session', 'ada', 'curl', '127.0.0.1', '${AT}', '${AT}', '${LATER}');
    insert into refresh_tokens (hash, session_id, used_at)
      values ('used', 'session', '${AT}'), ('unused', 'session', null);
    insert into known_addresses (user_id, network, signed_in_at) values ('ada', '127.0.0.0/24', '${AT}');
    insert into pending_signups (id, email, name, password_hash, invited_to, telegram_id, token_hash, created_at, expires_at)
      values ('signup', 'eve@example.com', 'Eve', 'hash', null, null, 'h1', '${AT}', '${LATER}');
    insert into used_telegram_logins (hash, expires_at) values ('hash', '${LATER}');
    insert into login_codes (id, email, code_hash, attempts, expires_at)
      values ('code', 'ada@example.com', 'hash', 1, '${LATER}');
    insert into email_tokens (id, purpose, user_id, email, token_hash, created_at, expires_at)
      values ('token', 'password-reset', 'ada', 'ada@example.com', 'h2', '${AT}', '${LATER}');
    insert into budgets (key, full_at) values ('mail:ada', 1774605600000.5);
    insert into outbox (id, priority, kind, recipient, content, secret_id, user_id, state, attempts,
      next_attempt_at, expires_at, created_at, sent_at, last_error)
      values ('mail', 1, 'confirm-signup', 'eve@example.com', x'00ff', 'signup', null, 'queued', 0,
      '${AT}', '${LATER}', '${AT}', null, null);
    insert into meta (key, value) values ('checked_at', '${AT}');`,
  '0002_workspaces': `
    insert into workspaces (id, title, owner_id, created_at, updated_at) values
      ('home', 'Ada''s', 'ada', '${AT}', '${AT}'), ('other', 'Bob''s', 'bob', '${AT}', '${AT}');
    insert into members (workspace_id, user_id, role, is_default, joined_at) values
      ('home', 'ada', 'owner', 1, '${AT}'), ('other', 'bob', 'owner', 1, '${AT}'), ('home', 'bob', 'member', 0, '${AT}');
    insert into invitations (id, workspace_id, email, role, inviter_id, token_hash, created_at, expires_at)
      values ('invitation', 'home', 'eve@example.com', 'viewer', 'ada', 'h3', '${AT}', '${LATER}');
    insert into status_templates (id, workspace_id, title, is_default, created_at, updated_at)
      values ('template', 'home', 'Default', 1, '${AT}', '${AT}'), ('other template', 'other', 'Default', 1, '${AT}', '${AT}');
    insert into statuses (id, workspace_id, template_id, title, type, color, position) values
      ('to do', 'home', 'template', 'To Do', 'unstarted', '#8a8f98', 1024),
      ('done', 'home', 'template', 'Done', 'completed', '#2da44e', 2048),
      ('other to do', 'other', 'other template', 'To Do', 'unstarted', '#8a8f98', 1024),
      ('other done', 'other', 'other template', 'Done', 'completed', '#2da44e', 2048);
    insert into spaces (id, workspace_id, title, description, position, created_at, updated_at)
      values ('space', 'home', 'General', null, 1024, '${AT}', '${AT}');
    insert into lists (code, id, workspace_id, space_id, title, status_template_id, position, created_at,
      updated_at)
      values (1, 'list', 'home', 'space', 'Tasks', 'template', 1024.5, '${AT}', '${AT}');`,
  '0003_notifications': `
    insert into notifications (id, user_id, workspace_id, actor_id, type, title, body, data, read_at,
      created_at)
      values
      ('notice', 'bob', 'home', 'ada', 'task.assigned', 'A task is yours', 'Buy milk', '{}', null, '${AT}');`,
  '0004_tasks': `
    insert into tasks (seq, id, workspace_code, workspace_id, space_id, list_code, list_id, status_code,
      status_id, priority, assignee_code, assignee_id, creator_code, creator_id, start_date, due_date,
      due_noticed, completed_at, position, recurring_task_id, occurrence_at, occurrence_number, overridden,
      created_at, updated_at, title, title_key, description)
      values (1, 'task', 1, 'home', 'space', 1, 'list', 1, 'to do', 3, 2, 'bob', 1, 'ada', null, '${LATER}', null,
      null, 1024, null, null, null, null, '${AT}', '${AT}', 'Buy milk 🥛', 'buy milk 🥛', 'Two litres');
    insert into task_counts (workspace_code, field, value, priority, status_code, n) values
      (1, 'all', 0, 3, 1, 1), (1, 'list', 1, 3, 1, 1), (1, 'assignee', 2, 3, 1, 1);
    insert into task_search (rowid, title, description) values (1, 'buy milk', 'two litres');`,
  '0005_recurring': `
    insert into recurring_series (id, workspace_id, list_id, title, description, priority, assignee_id,
      creator_id, interval, end_condition, starts_at, catch_up, anchor_date, number_offset, rule_version,
      tz_version, state, state_reason, next_run_at, next_local, next_number, next_task_id, created_at,
      updated_at)
      values ('series', 'home', 'list', 'Water the plants', null, 0, null, 'ada',
      '{"frequency":"day","every":1,"timeOfDay":"11:00","timezone":"Europe/Paris"}', '{"type":"never"}', '${AT}', 'latest', '2026-03-27', 0, 1, '2026a', 'active', null,
      '${LATER}', '2099-03-27T11:00', 2, null, '${AT}', '${AT}');
    insert into recurring_occurrences (series_id, rule_version, occurrence_local, occurrence_at, number,
      state, task_id)
      values ('series', 1, '2026-03-27T11:00', '${AT}', 1, 'skipped', null);`,
  '0006_removals': `insert into removals (kind, id) values ('list', 'gone');`,
  '0008_signup_attempts': `
    insert into signup_attempts (email, password_tag, made_at) values ('eve@example.com', 4711, '${AT}');`,
  '0009_changes': `
    insert into changes (workspace_code, seq, tag, kind, thing_id, op, fields, actor_code, client_id, changed_at)
      values (1, 1, 4711, 'task', 'task', 'put', 'title', 1, 'tab', '${AT}');`,
  '0010_audit': `
    update users set disabled_at = '${AT}' where id = 'bob';
    insert into audit_log (id, at, source, event, user_id, actor_id, details, is_rejected, is_logged) values
      ('act', '${AT}', 'command', 'account-disabled', 'bob', null, '{}', 0, 1);`,
  '0011_quotas': `update task_counts set bytes = 23 where field = 'all';`,
  '0012_user_settings': `
    update users set timezone = 'Europe/Paris', week_start = 'sunday' where id = 'ada';
    insert into user_preferences (user_code, preferences) values (1, '{"theme":"dark"}');`,
  '0014_numbers': `
    update workspaces set key = iif(id = 'home', 'AS', 'BS');
    update tasks set number = 6;
    insert into task_numbers (workspace_code, last) values (1, 7);`,
  '0017_carried': `
    insert into labels (code, id, workspace_id, title, title_key, color, position, creator_code, created_at,
      updated_at)
      values (1, 'label', 'home', 'Shop', 'shop', '#8a8f98', 1024, 1, '${AT}', '${AT}');
    insert into task_labels (label_code, task_seq) values (1, 1);
    insert into checklist_items (id, task_seq) values ('item', 1);
    insert into comments (code, id, workspace_code, task_seq, author_code, body, created_at)
      values (1, 'comment', 1, 1, 1, 'Oat or cow', '${AT}');
    insert into comment_mentions (comment_code, user_code) values (1, 2);
    insert into task_search (rowid, title, description) values (-1, '', '1_cow 1_oat 1_or ');
    update tasks set label_ids = '["label"]', checklist = '[{"id":"item","title":"Bag","isDone":true}]',
      comment_count = 1, more_bytes = 13 where seq = 1;`,
  '0018_cookie_sessions': `
    insert into sessions (id, user_id, user_agent, ip, created_at, last_used_at, expires_at, cookie_hash)
      values ('cookie', 'bob', 'curl', '127.0.0.1', '${AT}', '${AT}', '${LATER}', 'h4');`,
  '0019_mentions': 'update comment_mentions set is_current = 0;',
  '0020_api_tokens': `
    insert into api_tokens (id, user_id, title, role, is_limited, hash, last_four, created_at, expires_at,
      notice_at, last_used_at)
      values ('token', 'ada', 'Report', 'member', 1, 'h5', 'x7Kd', '${AT}', '${LATER}', '${LATER}', null);
    insert into api_token_workspaces (token_id, workspace_id) values ('token', 'home');`,
  '0021_series_carried': `
    update recurring_series set label_ids = '["label"]', checklist = '[{"id":"drop","title":"Can","isDone":false}]';`,
  '0024_trash': `
    insert into trash (code, id, workspace_code, kind, title, place_id, deleted_at, deleted_by, purge_at,
      item_count, state)
      values (1, 'old', 1, 'task', 'Old', 'list', '${AT}', 1, '${LATER}', 1, 'kept');
    insert into trash_rows (code, entry_code, workspace_code, kind, id, series_id, bytes, content) values
      (1, 1, 1, 'task', 'old', null, 3, '${TRASHED_TASK}'), (2, 1, 1, 'comment', 'said', null, 4, '${TRASHED_COMMENT}');
    insert into trash_items (id, row_code) values ('bag', 1);
    insert into trash_mentions (user_code, row_code) values (2, 2);`,
  '0026_series_steps': `
    insert into series_steps (series_id, number, rule_version, occurrence_local, task_id, task, status_id,
      was_status_overridden)
      values ('series', 1, 1, '2026-03-27T11:00', 'gone', 
      '{"id":"gone","seq":5,"number":5,"position":512,"created_at":"${AT}","version":1}', 'to do', 0);`,
  '0027_imports': `
    insert into imports (workspace_id, source, alive_at) values ('other', 'api', '${AT}');`,
  '0028_client_ids': `insert into deleted_ids (id, workspace_code, deleted_at) values ('gone', 1, '${AT}');`,
};

/** Every row of every table, by its columns' names, in an order of its own. */
export function rowsIn(database: SqliteDatabase.Database): Record<string, Record<string, unknown>[]> {
  const rows = (table: string) => {
    const found = database.prepare<[], Record<string, unknown>>(`select * from "${table}"`).all();
    return found.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  };
  return Object.fromEntries(
    tablesIn(database)
      .filter((table) => !table.startsWith('kysely'))
      .map((table) => [table, rows(table)]),
  );
}
