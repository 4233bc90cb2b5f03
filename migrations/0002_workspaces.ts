/** Workspaces, who belongs to them, and the order inside: spaces, lists, statuses. */
export const workspaces = `
create table workspaces (
  code integer primary key autoincrement,
  id text not null unique,
  title text not null,
  owner_id text not null references users (id),
  member_count integer not null default 0,
  created_at text not null,
  updated_at text not null,
  unique (code, id)
) strict;
create index workspaces_by_owner on workspaces (owner_id);

create table members (
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null references users (id),
  role text not null check (role in ('owner', 'admin', 'member', 'viewer')),
  is_default integer not null,
  joined_at text not null,
  primary key (workspace_id, user_id)
) strict, without rowid;
create index members_by_user on members (user_id);
create unique index members_one_owner on members (workspace_id) where role = 'owner';

create trigger members_counted after insert on members begin
  update workspaces set member_count = member_count + 1 where id = new.workspace_id;
end;
create trigger members_discounted after delete on members begin
  update workspaces set member_count = member_count - 1 where id = old.workspace_id;
end;

create table invitations (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  email text not null,
  role text not null check (role in ('admin', 'member', 'viewer')),
  inviter_id text not null references users (id) on delete cascade,
  token_hash text not null unique,
  created_at text not null,
  expires_at text not null
) strict;
create unique index invitations_one_each on invitations (email, workspace_id);
create index invitations_by_workspace on invitations (workspace_id, created_at, id);
create index invitations_by_inviter on invitations (inviter_id);
create index invitations_by_expiry on invitations (expires_at);

create table status_templates (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  title text not null,
  is_default integer not null,
  created_at text not null,
  updated_at text not null
) strict;
create index status_templates_by_workspace on status_templates (workspace_id, created_at, id);
create unique index status_templates_one_default on status_templates (workspace_id) where is_default = 1;

create table statuses (
  code integer primary key autoincrement,
  id text not null unique,
  workspace_id text not null references workspaces (id) on delete cascade,
  template_id text not null references status_templates (id) on delete cascade,
  title text not null,
  type text not null check (type in ('unstarted', 'started', 'completed', 'canceled')),
  color text not null,
  position real not null,
  unique (code, id)
) strict;
create index statuses_by_template on statuses (template_id, position, id);
create index statuses_by_workspace on statuses (workspace_id);

create table spaces (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  title text not null,
  description text,
  position real not null,
  created_at text not null,
  updated_at text not null
) strict;
create index spaces_by_workspace on spaces (workspace_id, position, id);

create table lists (
  code integer primary key autoincrement,
  id text not null unique,
  workspace_id text not null references workspaces (id) on delete cascade,
  space_id text not null references spaces (id) on delete cascade,
  title text not null,
  status_template_id text not null references status_templates (id),
  position real not null,
  created_at text not null,
  updated_at text not null,
  unique (code, id)
) strict;
create index lists_by_workspace on lists (workspace_id, position, id);
create index lists_by_space on lists (space_id, position, id);
create index lists_by_template on lists (status_template_id);
`;
