/** Losing the task of its upcoming occurrence raises the version of a series only where it showed that task: while active. */
export const seriesVersions = `
drop trigger tasks_left_series;
create trigger tasks_left_series after delete on tasks when old.recurring_task_id is not null begin
  update recurring_occurrences set state = 'deleted', task_id = null
    where series_id = old.recurring_task_id and number = old.occurrence_number and task_id = old.id;
  update recurring_series set next_task_id = null, version = version + iif(state = 'active', 1, 0)
    where id = old.recurring_task_id and next_task_id = old.id;
end;
`;
