/**
 * Numbers of tasks and keys of workspaces: `HOME-12`. Neither a number nor a `seq` is given twice: the next one follows
 * the highest of the tasks there are and of those that were.
 */
export const numbers = `
alter table workspaces add column key text not null default '';
with recursive walk (code, rest, before, initials, letters) as (
  select code, title, ' ', '', '' from workspaces
  union all
  select code, substr(rest, 2), substr(rest, 1, 1),
    initials || iif(
      unicode(before) < 128 and before not glob '[A-Za-z0-9'']' and substr(rest, 1, 1) glob '[A-Za-z]',
      upper(substr(rest, 1, 1)), ''),
    letters || iif(substr(rest, 1, 1) glob '[A-Za-z]', upper(substr(rest, 1, 1)), '')
  from walk where rest <> ''
)
update workspaces set key = (
  select case
    when length(initials) > 1 then substr(initials, 1, 6)
    when length(letters) > 1 then substr(letters, 1, 3)
    else 'WS' end
  from walk where walk.code = workspaces.code and rest = '');

alter table tasks add column number integer not null default 0;
update tasks set number = ranked.number
  from (select seq, row_number() over (partition by workspace_code order by seq) as number from tasks) as ranked
  where tasks.seq = ranked.seq;
create unique index tasks_number on tasks (workspace_code, number);

create table task_numbers (
  workspace_code integer primary key not null references workspaces (code) on delete cascade,
  last integer not null
) strict, without rowid;
create table last_task (
  id integer primary key check (id = 1),
  seq integer not null
) strict;
insert into last_task (id, seq) values (1, 0);

create trigger tasks_numbered after delete on tasks begin
  insert into task_numbers (workspace_code, last)
    select code, old.number from workspaces where code = old.workspace_code
    on conflict do update set last = excluded.last where excluded.last > last;
  update last_task set seq = old.seq where seq < old.seq;
end;
`;
