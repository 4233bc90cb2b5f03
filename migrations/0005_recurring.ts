/**
 * Series and the occurrences that were decided upon. An occurrence is known by its local time, which survives new zone
 * data, and outlives its task, so that nothing is made twice; the triggers keep both in step however a task goes.
 */
export const recurring = `
create table recurring_series (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  list_id text not null references lists (id) on delete cascade,
  title text not null,
  description text,
  priority integer not null check (priority between 0 and 4),
  assignee_id text references users (id) on delete set null,
  creator_id text references users (id) on delete set null,
  interval text not null,
  end_condition text not null,
  starts_at text not null,
  catch_up text not null check (catch_up in ('latest', 'all', 'none')),
  anchor_date text not null,
  number_offset integer not null,
  rule_version integer not null,
  tz_version text not null,
  state text not null check (state in ('active', 'paused', 'ended')),
  state_reason text,
  next_run_at text,
  next_local text,
  next_number integer,
  next_task_id text,
  created_at text not null,
  updated_at text not null
) strict;
create index recurring_series_by_workspace on recurring_series (workspace_id, created_at, id);
create index recurring_series_by_state on recurring_series (workspace_id, state, created_at, id);
create index recurring_series_by_list on recurring_series (list_id, created_at, id);
create index recurring_series_by_assignee on recurring_series (assignee_id);
create index recurring_series_by_creator on recurring_series (creator_id);
create index recurring_series_due on recurring_series (next_run_at, id) where state = 'active';

create table recurring_occurrences (
  series_id text not null references recurring_series (id) on delete cascade,
  rule_version integer not null,
  occurrence_local text not null,
  occurrence_at text not null,
  number integer not null,
  state text not null check (state in ('generated', 'skipped', 'deleted', 'missed')),
  task_id text,
  primary key (series_id, rule_version, occurrence_local)
) strict, without rowid;
create index recurring_occurrences_by_number on recurring_occurrences (series_id, number);

create trigger recurring_series_left after delete on recurring_series begin
  update tasks set recurring_task_id = null where recurring_task_id = old.id;
end;

create trigger tasks_left_series after delete on tasks when old.recurring_task_id is not null begin
  update recurring_occurrences set state = 'deleted', task_id = null
    where series_id = old.recurring_task_id and number = old.occurrence_number and task_id = old.id;
  update recurring_series set next_task_id = null
    where id = old.recurring_task_id and next_task_id = old.id;
end;
`;
