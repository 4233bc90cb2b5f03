/** Workspaces that an import is still filling: nobody is a member yet, and an interrupted one is deleted. */
export const imports = `
create table imports (
  workspace_id text primary key references workspaces (id) on delete cascade,
  source text not null check (source in ('api', 'command')),
  alive_at text not null
) strict, without rowid;
`;
