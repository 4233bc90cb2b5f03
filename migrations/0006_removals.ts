/** Things whose deletion has begun and takes many steps: hidden accounts and workspaces, and spaces and lists on their way. */
export const removals = `
create table removals (
  kind text not null check (kind in ('user', 'workspace', 'space', 'list')),
  id text not null,
  primary key (kind, id)
) strict, without rowid;
`;
