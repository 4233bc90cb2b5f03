/**
 * Tasks, the counters that totals come from, and the words that search knows. `seq` sorts by creation as ids do; every
 * index ends with it by itself. Codes stand for ids in the indexes: each takes 3 bytes of an entry for the 37 of an id.
 * The wide indexes answer filters and counts without reading a row.
 */
export const tasks = `
create table tasks (
  seq integer primary key,
  id text not null,
  workspace_code integer not null,
  workspace_id text not null,
  space_id text not null,
  list_code integer not null,
  list_id text not null,
  status_code integer not null,
  status_id text not null,
  priority integer not null check (priority between 0 and 4),
  assignee_code integer,
  assignee_id text,
  creator_code integer,
  creator_id text,
  start_date text,
  due_date text,
  due_noticed text,
  completed_at text,
  position real not null,
  recurring_task_id text,
  occurrence_at text,
  occurrence_number integer,
  overridden text,
  created_at text not null,
  updated_at text not null,
  title text not null,
  title_key text not null,
  description text,
  check ((assignee_code is null) = (assignee_id is null) and (creator_code is null) = (creator_id is null)),
  foreign key (workspace_code, workspace_id) references workspaces (code, id) on delete cascade,
  foreign key (list_code, list_id) references lists (code, id) on delete cascade,
  foreign key (status_code, status_id) references statuses (code, id),
  foreign key (assignee_code, assignee_id) references users (code, id) on delete set null,
  foreign key (creator_code, creator_id) references users (code, id) on delete set null
) strict;
create unique index tasks_id on tasks (id);
create index tasks_created on tasks (workspace_code);
create index tasks_updated on tasks (workspace_code, updated_at);
create index tasks_position on tasks (workspace_code, position);
create index tasks_title on tasks (workspace_code, title_key);
create index tasks_due on tasks
  (workspace_code, due_date, seq, status_code, assignee_code, list_code, priority, creator_code);
create index tasks_priority on tasks (workspace_code, priority);
create index tasks_list on tasks
  (list_code, workspace_code, position, seq, status_code, assignee_code, priority, due_date);
create index tasks_assignee on tasks
  (assignee_code, workspace_code, seq, status_code, list_code, priority, due_date);
create index tasks_status on tasks (status_code, workspace_code);
create index tasks_creator on tasks (creator_code, workspace_code);
create index tasks_due_watch on tasks (due_date) where assignee_id is not null and due_date is not null;
create index tasks_series on tasks (recurring_task_id, workspace_code, occurrence_at)
  where recurring_task_id is not null;

create table task_counts (
  workspace_code integer not null references workspaces (code) on delete cascade,
  field text not null,
  value integer not null,
  priority integer not null,
  status_code integer not null,
  n integer not null,
  primary key (workspace_code, field, value, priority, status_code)
) strict, without rowid;

create trigger tasks_uncounted after delete on tasks begin
  update task_counts set n = n - 1
    where workspace_code = old.workspace_code and priority = old.priority and status_code = old.status_code
      and (field, value) in (values ('all', 0), ('list', old.list_code), ('assignee', ifnull(old.assignee_code, 0)));
  delete from task_counts
    where n = 0
      and workspace_code = old.workspace_code and priority = old.priority and status_code = old.status_code
      and (field, value) in (values ('all', 0), ('list', old.list_code), ('assignee', ifnull(old.assignee_code, 0)));
end;

create trigger tasks_recounted after update of list_code, status_code, priority, assignee_code on tasks
  when new.list_code is not old.list_code or new.status_code is not old.status_code
    or new.priority is not old.priority or new.assignee_code is not old.assignee_code begin
  insert into task_counts (workspace_code, field, value, priority, status_code, n) values
    (new.workspace_code, 'all', 0, new.priority, new.status_code, 1),
    (new.workspace_code, 'list', new.list_code, new.priority, new.status_code, 1),
    (new.workspace_code, 'assignee', ifnull(new.assignee_code, 0), new.priority, new.status_code, 1),
    (old.workspace_code, 'all', 0, old.priority, old.status_code, -1),
    (old.workspace_code, 'list', old.list_code, old.priority, old.status_code, -1),
    (old.workspace_code, 'assignee', ifnull(old.assignee_code, 0), old.priority, old.status_code, -1)
    on conflict do update set n = n + excluded.n;
  delete from task_counts
    where n = 0
      and workspace_code = old.workspace_code and priority = old.priority and status_code = old.status_code
      and (field, value) in (values ('all', 0), ('list', old.list_code), ('assignee', ifnull(old.assignee_code, 0)));
end;

create virtual table task_search using fts5(
  title, description, tokenize = "ascii tokenchars '_'", detail = full, columnsize = 0);
insert into task_search (task_search, rank) values ('secure-delete', 1);
insert into task_search (task_search, rank) values ('automerge', 0);

create trigger tasks_unsearched after delete on tasks begin
  delete from task_search where rowid = old.seq;
end;
`;
