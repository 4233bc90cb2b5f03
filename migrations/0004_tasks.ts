/**
 * Tasks, the counters that totals come from, and the words that search knows. `seq` sorts by creation as ids do, and
 * costs an index entry 5 bytes for the 37 of an id; every index ends with it by itself. The code of the workspace stands
 * for its id for the same reason. The wide indexes answer filters and counts without reading a row.
 */
export const tasks = `
create table tasks (
  seq integer primary key,
  id text not null,
  workspace_code integer not null,
  workspace_id text not null,
  space_id text not null,
  list_id text not null references lists (id) on delete cascade,
  status_id text not null references statuses (id),
  priority integer not null check (priority between 0 and 4),
  assignee_id text references users (id) on delete set null,
  creator_id text references users (id) on delete set null,
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
  foreign key (workspace_code, workspace_id) references workspaces (code, id) on delete cascade
) strict;
create unique index tasks_id on tasks (id);
create index tasks_created on tasks (workspace_code);
create index tasks_updated on tasks (workspace_code, updated_at);
create index tasks_position on tasks (workspace_code, position);
create index tasks_title on tasks (workspace_code, title_key);
create index tasks_due on tasks (workspace_code, due_date, seq, status_id, assignee_id, list_id, priority, creator_id);
create index tasks_priority on tasks (workspace_code, priority);
create index tasks_list on tasks (list_id, workspace_code, position, seq, status_id, assignee_id, priority, due_date);
create index tasks_assignee on tasks (assignee_id, workspace_code, seq, status_id, list_id, priority, due_date);
create index tasks_status on tasks (status_id, workspace_code);
create index tasks_creator on tasks (creator_id, workspace_code);
create index tasks_due_watch on tasks (due_date) where assignee_id is not null and due_date is not null;
create index tasks_series on tasks (recurring_task_id, workspace_code, occurrence_at)
  where recurring_task_id is not null;

create table task_counts (
  workspace_code integer not null references workspaces (code) on delete cascade,
  field text not null,
  value text not null,
  priority integer not null,
  status_id text not null,
  n integer not null,
  primary key (workspace_code, field, value, priority, status_id)
) strict, without rowid;

create trigger tasks_uncounted after delete on tasks begin
  update task_counts set n = n - 1
    where workspace_code = old.workspace_code and priority = old.priority and status_id = old.status_id
      and (field, value) in (values ('all', ''), ('list', old.list_id), ('assignee', ifnull(old.assignee_id, '')));
  delete from task_counts
    where n = 0 and workspace_code = old.workspace_code and priority = old.priority and status_id = old.status_id
      and (field, value) in (values ('all', ''), ('list', old.list_id), ('assignee', ifnull(old.assignee_id, '')));
end;

create trigger tasks_recounted after update of list_id, status_id, priority, assignee_id on tasks
  when new.list_id is not old.list_id or new.status_id is not old.status_id
    or new.priority is not old.priority or new.assignee_id is not old.assignee_id begin
  update task_counts set n = n - 1
    where workspace_code = old.workspace_code and priority = old.priority and status_id = old.status_id
      and (field, value) in (values ('all', ''), ('list', old.list_id), ('assignee', ifnull(old.assignee_id, '')));
  insert into task_counts (workspace_code, field, value, priority, status_id, n) values
    (new.workspace_code, 'all', '', new.priority, new.status_id, 1),
    (new.workspace_code, 'list', new.list_id, new.priority, new.status_id, 1),
    (new.workspace_code, 'assignee', ifnull(new.assignee_id, ''), new.priority, new.status_id, 1)
    on conflict do update set n = n + 1;
  delete from task_counts
    where n = 0 and workspace_code = old.workspace_code and priority = old.priority and status_id = old.status_id
      and (field, value) in (values ('all', ''), ('list', old.list_id), ('assignee', ifnull(old.assignee_id, '')));
end;

create virtual table task_search using fts5(
  title, description, tokenize = "ascii tokenchars '_'", detail = full, columnsize = 0);
insert into task_search (task_search, rank) values ('secure-delete', 1);
insert into task_search (task_search, rank) values ('automerge', 0);

create trigger tasks_unsearched after delete on tasks begin
  delete from task_search where rowid = old.seq;
end;
`;
