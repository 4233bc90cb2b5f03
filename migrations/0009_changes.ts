/**
 * What each commit changed in a workspace, with ids and no content, in the order of commits. `seq` is given once over
 * all workspaces; `tag` tells a row from another one of that number in a file that was set back.
 */
export const changes = `
create table changes (
  workspace_code integer not null references workspaces (code) on delete cascade,
  seq integer not null,
  tag integer not null,
  kind text not null,
  thing_id text not null,
  op text not null check (op in ('put', 'delete', 'refetch')),
  fields text,
  actor_code integer,
  client_id text,
  changed_at text not null,
  primary key (workspace_code, seq)
) strict, without rowid;
insert into changes (workspace_code, seq, tag, kind, thing_id, op, changed_at)
  select code, row_number() over (order by code), 0, 'workspace', id, 'refetch', updated_at
  from workspaces;
`;
