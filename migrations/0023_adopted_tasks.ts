/** The task that a series was made of, its first instance: it is nothing that the series made. */
export const adoptedTasks = `
alter table recurring_series add column adopted_task_id text;
`;
