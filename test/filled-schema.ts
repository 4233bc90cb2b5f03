import type SqliteDatabase from 'better-sqlite3';
import { tablesIn } from '../src/backup/check.ts';

const AT = '2026-03-27T10:00:00.000Z';
const LATER = '2099-03-27T10:00:00.000Z';

/** Rows for every table that a migration makes, as the Errand of that schema would have left them. */
export const ROWS_OF_SCHEMA: Record<string, string> = {
  '0001_accounts': `
    insert into users (id, email, name, password_hash, password_set_at, is_email_verified, created_at, updated_at) values
      ('ada', 'ada@example.com', 'Ada', 'hash', '${AT}', 1, '${AT}', '${AT}'),
      ('bob', 'bob@example.com', 'Bob', null, null, 1, '${AT}', '${AT}');
    insert into identities values ('google', '1234', 'bob', '${AT}');
    insert into sessions values ('session', 'ada', 'curl', '127.0.0.1', '${AT}', '${AT}', '${LATER}');
    insert into refresh_tokens values ('used', 'session', '${AT}'), ('unused', 'session', null);
    insert into known_addresses values ('ada', '127.0.0.0/24', '${AT}');
    insert into pending_signups values ('signup', 'eve@example.com', 'Eve', 'hash', null, null, 'h1', '${AT}', '${LATER}');
    insert into used_telegram_logins values ('hash', '${LATER}');
    insert into login_codes values ('code', 'ada@example.com', 'hash', 1, '${LATER}');
    insert into email_tokens values ('token', 'reset', 'ada', 'ada@example.com', 'h2', '${AT}', '${LATER}');
    insert into budgets values ('mail:ada', 1774605600000.5);
    insert into outbox values ('mail', 1, 'confirm-signup', 'eve@example.com', x'00ff', 'signup', null, 'queued', 0,
      '${AT}', '${LATER}', '${AT}', null, null);
    insert into meta values ('checked_at', '${AT}');`,
  '0002_workspaces': `
    insert into workspaces (id, title, owner_id, created_at, updated_at) values
      ('home', 'Ada''s', 'ada', '${AT}', '${AT}'), ('other', 'Bob''s', 'bob', '${AT}', '${AT}');
    insert into members values
      ('home', 'ada', 'owner', 1, '${AT}'), ('other', 'bob', 'owner', 1, '${AT}'), ('home', 'bob', 'member', 0, '${AT}');
    insert into invitations values ('invitation', 'home', 'eve@example.com', 'viewer', 'ada', 'h3', '${AT}', '${LATER}');
    insert into status_templates values ('template', 'home', 'Default', 1, '${AT}', '${AT}');
    insert into statuses (id, workspace_id, template_id, title, type, color, position) values
      ('to do', 'home', 'template', 'To Do', 'unstarted', '#8a8f98', 1024),
      ('done', 'home', 'template', 'Done', 'completed', '#2da44e', 2048);
    insert into spaces values ('space', 'home', 'General', null, 1024, '${AT}', '${AT}');
    insert into lists values (1, 'list', 'home', 'space', 'Tasks', 'template', 1024.5, '${AT}', '${AT}');`,
  '0003_notifications': `
    insert into notifications values
      ('notice', 'bob', 'home', 'ada', 'task.assigned', 'A task is yours', 'Buy milk', '{}', null, '${AT}');`,
  '0004_tasks': `
    insert into tasks values (1, 'task', 1, 'home', 'space', 1, 'list', 1, 'to do', 3, 2, 'bob', 1, 'ada', null, '${LATER}', null,
      null, 1024, null, null, null, null, '${AT}', '${AT}', 'Buy milk 🥛', 'buy milk 🥛', 'Two litres');
    insert into task_counts values
      (1, 'all', 0, 3, 1, 1), (1, 'list', 1, 3, 1, 1), (1, 'assignee', 2, 3, 1, 1);
    insert into task_search (rowid, title, description) values (1, 'buy milk', 'two litres');`,
  '0005_recurring': `
    insert into recurring_series values ('series', 'home', 'list', 'Water the plants', null, 0, null, 'ada',
      '{"frequency":"day"}', '{"type":"never"}', '${AT}', 'latest', '2026-03-27', 0, 1, '2026a', 'active', null,
      '${LATER}', '2099-03-27T11:00', 2, null, '${AT}', '${AT}');
    insert into recurring_occurrences values ('series', 1, '2026-03-27T11:00', '${AT}', 1, 'skipped', null);`,
  '0006_removals': `insert into removals values ('list', 'gone');`,
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
