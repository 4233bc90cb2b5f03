/** How often what a thing shows has changed: its ETag. Labels and comments were made with one. */
export const versions = `
alter table tasks add column version integer not null default 1;
alter table recurring_series add column version integer not null default 1;
alter table spaces add column version integer not null default 1;
alter table lists add column version integer not null default 1;

drop trigger recurring_series_left;
create trigger recurring_series_left after delete on recurring_series begin
  update tasks set recurring_task_id = null, version = version + 1 where recurring_task_id = old.id;
end;

drop trigger tasks_left_series;
create trigger tasks_left_series after delete on tasks when old.recurring_task_id is not null begin
  update recurring_occurrences set state = 'deleted', task_id = null
    where series_id = old.recurring_task_id and number = old.occurrence_number and task_id = old.id;
  update recurring_series set next_task_id = null, version = version + 1
    where id = old.recurring_task_id and next_task_id = old.id;
end;
`;
