/**
 * What made a series advance before its time, newest last, so that it can be taken back: the occurrence that was
 * completed, skipped or deleted, and its task as it was.
 */
export const seriesSteps = `
create table series_steps (
  series_id text not null references recurring_series (id) on delete cascade,
  number integer not null,
  rule_version integer not null,
  occurrence_local text not null,
  task_id text,
  task text,
  status_id text,
  was_status_overridden integer not null,
  primary key (series_id, number)
) strict, without rowid;

create trigger tasks_left_step after delete on tasks when old.recurring_task_id is not null begin
  update series_steps set task = json_set(task, '$.version', old.version)
    where series_id = old.recurring_task_id and number = old.occurrence_number and task_id = old.id;
end;

alter table recurring_series add column brought_back text;
`;
