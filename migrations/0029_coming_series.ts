/** The active series of a workspace in order of their upcoming occurrences, for calendars. */
export const comingSeries = `
create index recurring_series_coming on recurring_series (workspace_id, next_run_at, id) where state = 'active';
`;
