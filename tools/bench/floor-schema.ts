/**
 * The floor's own tables. `lean` leaves out the indexes that no measured request needs: without them the floor could
 * not read by index in every order and for every filter that the interface offers.
 */
export const floorSchema = (lean: boolean): string => `
create table users (id text primary key, email text not null unique, name text not null);
create table sessions (id text primary key, user_id text not null references users, expires_at text not null);
create table workspaces (id text primary key, title text not null);
create table numbers (workspace_id text primary key references workspaces, last integer not null) without rowid;
create table members (
  workspace_id text not null references workspaces, user_id text not null references users, role text not null,
  primary key (workspace_id, user_id)) without rowid;
create table lists (
  id text primary key, workspace_id text not null references workspaces, space_id text not null,
  title text not null, status_template_id text not null);
create table statuses (
  id text primary key, template_id text not null, title text not null, type text not null, position real not null);
create index statuses_by_template on statuses (template_id, position, id);
create table tasks (
  seq integer primary key,
  id text not null,
  workspace_id text not null references workspaces,
  space_id text not null,
  list_id text not null references lists,
  status_id text not null references statuses,
  priority integer not null,
  assignee_id text references users,
  creator_id text references users,
  start_date text,
  due_date text,
  completed_at text,
  position real not null,
  created_at text not null,
  updated_at text not null,
  title text not null,
  title_key text not null,
  description text,
  number integer not null,
  label_ids text,
  checklist text,
  comment_count integer not null,
  version integer not null);
create unique index tasks_number on tasks (workspace_id, number);
create unique index tasks_id on tasks (workspace_id, id);
create index tasks_list on tasks (workspace_id, list_id, position, id);
create index tasks_assignee on tasks (workspace_id, assignee_id, priority desc, id);
create index tasks_priority on tasks (workspace_id, priority desc, id);
${
  lean
    ? ''
    : `
create index tasks_status on tasks (workspace_id, status_id, id);
create index tasks_creator on tasks (workspace_id, creator_id, id);
create index tasks_due on tasks (workspace_id, due_date, id);
create index tasks_updated on tasks (workspace_id, updated_at, id);
create index tasks_position on tasks (workspace_id, position, id);
create index tasks_title on tasks (workspace_id, title_key, id);`
}
create table counts (
  workspace_id text not null, assignee_id text not null, priority integer not null, n integer not null,
  primary key (workspace_id, assignee_id, priority)) without rowid;
create virtual table task_search using fts5 (
  title, description, content = 'tasks', content_rowid = 'seq', tokenize = 'unicode61 remove_diacritics 2');
`;
