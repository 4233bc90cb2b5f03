/** Secrets that scripts sign in with, each capped to a role and, where limited, to workspaces. */
export const apiTokens = `
create table api_tokens (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  title text not null,
  role text not null,
  is_limited integer not null,
  hash text not null unique,
  last_four text not null,
  created_at text not null,
  expires_at text,
  notice_at text,
  last_used_at text
) strict;
create index api_tokens_by_user on api_tokens (user_id, created_at);
create index api_tokens_by_expiry on api_tokens (expires_at);
create index api_tokens_by_notice on api_tokens (notice_at);

create table api_token_workspaces (
  token_id text not null references api_tokens (id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  primary key (token_id, workspace_id)
) strict, without rowid;
create index api_token_workspaces_by_workspace on api_token_workspaces (workspace_id);
`;
