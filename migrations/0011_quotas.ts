/**
 * Bytes of text: beside the number of all tasks of a workspace those of their titles and descriptions, and the number and
 * text of its series.
 */
export const quotas = `
alter table task_counts add column bytes integer not null default 0;

update task_counts set bytes = found.bytes
  from (
    select workspace_code, priority, status_code,
        sum(octet_length(title) + ifnull(octet_length(description), 0)) as bytes
      from tasks group by workspace_code, priority, status_code
  ) as found
  where task_counts.field = 'all' and task_counts.workspace_code = found.workspace_code
    and task_counts.priority = found.priority and task_counts.status_code = found.status_code;

create table series_counts (
  workspace_code integer primary key not null references workspaces (code) on delete cascade,
  n integer not null,
  bytes integer not null
) strict, without rowid;
insert into series_counts (workspace_code, n, bytes)
  select workspaces.code, count(*), sum(octet_length(series.title) + ifnull(octet_length(series.description), 0))
    from recurring_series as series join workspaces on workspaces.id = series.workspace_id
    group by workspaces.code;

drop trigger tasks_uncounted;
create trigger tasks_uncounted after delete on tasks begin
  update task_counts
    set n = n - 1,
      bytes = bytes - iif(field = 'all', octet_length(old.title) + ifnull(octet_length(old.description), 0), 0)
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
      octet_length(new.title) + ifnull(octet_length(new.description), 0)),
    (new.workspace_code, 'list', new.list_code, new.priority, new.status_code, 1, 0),
    (new.workspace_code, 'assignee', ifnull(new.assignee_code, 0), new.priority, new.status_code, 1, 0),
    (old.workspace_code, 'all', 0, old.priority, old.status_code, -1,
      - octet_length(old.title) - ifnull(octet_length(old.description), 0)),
    (old.workspace_code, 'list', old.list_code, old.priority, old.status_code, -1, 0),
    (old.workspace_code, 'assignee', ifnull(old.assignee_code, 0), old.priority, old.status_code, -1, 0)
    on conflict do update set n = n + excluded.n, bytes = bytes + excluded.bytes;
  delete from task_counts
    where n = 0
      and workspace_code = old.workspace_code and priority = old.priority and status_code = old.status_code
      and (field, value) in (values ('all', 0), ('list', old.list_code), ('assignee', ifnull(old.assignee_code, 0)));
end;

create trigger tasks_resized after update of title, description on tasks
  when new.list_code is old.list_code and new.status_code is old.status_code
    and new.priority is old.priority and new.assignee_code is old.assignee_code begin
  update task_counts
    set bytes = bytes + octet_length(new.title) + ifnull(octet_length(new.description), 0)
      - octet_length(old.title) - ifnull(octet_length(old.description), 0)
    where workspace_code = new.workspace_code and field = 'all' and value = 0
      and priority = new.priority and status_code = new.status_code;
end;

create trigger recurring_series_counted after insert on recurring_series begin
  insert into series_counts (workspace_code, n, bytes)
    select code, 1, octet_length(new.title) + ifnull(octet_length(new.description), 0)
      from workspaces where id = new.workspace_id
    on conflict do update set n = n + 1, bytes = bytes + excluded.bytes;
end;

create trigger recurring_series_resized after update of title, description on recurring_series begin
  update series_counts
    set bytes = bytes + octet_length(new.title) + ifnull(octet_length(new.description), 0)
      - octet_length(old.title) - ifnull(octet_length(old.description), 0)
    where workspace_code = (select code from workspaces where id = new.workspace_id);
end;

create trigger recurring_series_uncounted after delete on recurring_series begin
  update series_counts
    set n = n - 1, bytes = bytes - octet_length(old.title) - ifnull(octet_length(old.description), 0)
    where workspace_code = (select code from workspaces where id = old.workspace_id);
  delete from series_counts
    where n = 0 and workspace_code = (select code from workspaces where id = old.workspace_id);
end;
`;
