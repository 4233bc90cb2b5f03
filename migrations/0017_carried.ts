/**
 * What a task carries: labels, a checklist, comments. The row of a task holds what is shown of them, so that reading a
 * page joins nothing; the tables beside it are for finding tasks by label, and items by id. `more_bytes` are those of the
 * texts of items and comments. A comment is in the search index under its code, negated.
 */
export const carried = `
create table labels (
  code integer primary key autoincrement,
  id text not null unique,
  workspace_id text not null references workspaces (id) on delete cascade,
  title text not null,
  title_key text not null,
  color text not null,
  position real not null,
  creator_code integer references users (code) on delete set null,
  version integer not null default 1,
  created_at text not null,
  updated_at text not null,
  unique (workspace_id, title_key)
) strict;
create index labels_by_workspace on labels (workspace_id, position, id);
create index labels_by_creator on labels (creator_code);

alter table tasks add column label_ids text;
alter table tasks add column checklist text;
alter table tasks add column comment_count integer not null default 0;
alter table tasks add column more_bytes integer not null default 0;

create table task_labels (
  label_code integer not null references labels (code) on delete cascade,
  task_seq integer not null references tasks (seq) on delete cascade,
  primary key (label_code, task_seq)
) strict, without rowid;
create index task_labels_by_task on task_labels (task_seq);

create table checklist_items (
  id text not null,
  task_seq integer not null references tasks (seq) on delete cascade,
  primary key (id, task_seq)
) strict, without rowid;
create index checklist_items_by_task on checklist_items (task_seq);

create table comments (
  code integer primary key autoincrement,
  id text not null unique,
  workspace_code integer not null references workspaces (code) on delete cascade,
  task_seq integer not null references tasks (seq) on delete cascade,
  author_code integer references users (code) on delete set null,
  body text not null,
  version integer not null default 1,
  created_at text not null,
  edited_at text
) strict;
create index comments_by_task on comments (task_seq);
create index comments_by_workspace on comments (workspace_code);
create index comments_by_author on comments (author_code);

create table comment_mentions (
  comment_code integer not null references comments (code) on delete cascade,
  user_code integer not null references users (code) on delete cascade,
  primary key (comment_code, user_code)
) strict, without rowid;
create index comment_mentions_by_user on comment_mentions (user_code);

create trigger comments_unsearched after delete on comments begin
  delete from task_search where rowid = - old.code;
end;

drop trigger tasks_uncounted;
create trigger tasks_uncounted after delete on tasks begin
  update task_counts
    set n = n - 1,
      bytes = bytes - iif(field = 'all',
        octet_length(old.title) + ifnull(octet_length(old.description), 0) + old.more_bytes, 0)
    where workspace_code = old.workspace_code and priority = old.priority and status_code = old.status_code
      and (field, value) in (values ('all', 0), ('list', old.list_code), ('assignee', ifnull(old.assignee_code, 0)));
  delete from task_counts
    where n = 0
      and workspace_code = old.workspace_code and priority = old.priority and status_code = old.status_code
      and (field, value) in (values ('all', 0), ('list', old.list_code), ('assignee', ifnull(old.assignee_code, 0)));
end;

drop trigger tasks_recounted;
create trigger tasks_recounted after update of list_code, status_code, priority, assignee_code on tasks
  when new.list_code is not old.list_code or new.status_code is not old.status_code
    or new.priority is not old.priority or new.assignee_code is not old.assignee_code begin
  insert into task_counts (workspace_code, field, value, priority, status_code, n, bytes) values
    (new.workspace_code, 'all', 0, new.priority, new.status_code, 1,
      octet_length(new.title) + ifnull(octet_length(new.description), 0) + new.more_bytes),
    (new.workspace_code, 'list', new.list_code, new.priority, new.status_code, 1, 0),
    (new.workspace_code, 'assignee', ifnull(new.assignee_code, 0), new.priority, new.status_code, 1, 0),
    (old.workspace_code, 'all', 0, old.priority, old.status_code, -1,
      - octet_length(old.title) - ifnull(octet_length(old.description), 0) - old.more_bytes),
    (old.workspace_code, 'list', old.list_code, old.priority, old.status_code, -1, 0),
    (old.workspace_code, 'assignee', ifnull(old.assignee_code, 0), old.priority, old.status_code, -1, 0)
    on conflict do update set n = n + excluded.n, bytes = bytes + excluded.bytes;
  delete from task_counts
    where n = 0
      and workspace_code = old.workspace_code and priority = old.priority and status_code = old.status_code
      and (field, value) in (values ('all', 0), ('list', old.list_code), ('assignee', ifnull(old.assignee_code, 0)));
end;

drop trigger tasks_resized;
create trigger tasks_resized after update of title, description, more_bytes on tasks
  when new.list_code is old.list_code and new.status_code is old.status_code
    and new.priority is old.priority and new.assignee_code is old.assignee_code begin
  update task_counts
    set bytes = bytes + octet_length(new.title) + ifnull(octet_length(new.description), 0) + new.more_bytes
      - octet_length(old.title) - ifnull(octet_length(old.description), 0) - old.more_bytes
    where workspace_code = new.workspace_code and field = 'all' and value = 0
      and priority = new.priority and status_code = new.status_code;
end;
`;
