const remember = (table: string, workspace: string) => `
create trigger ${table}_remembered after delete on ${table} when old.id is not null begin
  insert into deleted_ids (id, workspace_code)
    select old.id, code from workspaces where ${workspace}
      and not exists (select 1 from removals where kind = 'workspace' and removals.id = workspaces.id)
    on conflict do update set deleted_at = null;
end;
`;

/**
 * Who made a space or a list, to whom a repeated request answers with it; and the ids of what is gone, which nothing else
 * may take for a while. The triggers know no time: \`deleted_at\` is set within a minute.
 */
export const clientIds = `
alter table spaces add column creator_code integer references users (code) on delete set null;
alter table lists add column creator_code integer references users (code) on delete set null;
create index spaces_by_creator on spaces (creator_code);
create index lists_by_creator on lists (creator_code);

create table deleted_ids (
  id text primary key not null,
  workspace_code integer not null references workspaces (code) on delete cascade,
  deleted_at text
) strict, without rowid;
create index deleted_ids_by_workspace on deleted_ids (workspace_code);
create index deleted_ids_by_time on deleted_ids (deleted_at);
${remember('tasks', 'code = old.workspace_code')}${remember('comments', 'code = old.workspace_code')}${remember('trash_rows', 'code = old.workspace_code')}${['recurring_series', 'lists', 'spaces', 'labels'].map((table) => remember(table, 'id = old.workspace_id')).join('')}`;
