/** What people are told inside the application. A notice goes with its workspace and with its actor. */
export const notifications = `
create table notifications (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  workspace_id text references workspaces (id) on delete cascade,
  actor_id text references users (id) on delete cascade,
  type text not null,
  title text not null,
  body text not null,
  data text not null,
  read_at text,
  created_at text not null
) strict;
create index notifications_by_user on notifications (user_id, created_at, id);
create index notifications_unread on notifications (user_id, created_at, id) where read_at is null;
create index notifications_by_workspace on notifications (workspace_id);
create index notifications_by_actor on notifications (actor_id);
create index notifications_by_reading on notifications (read_at) where read_at is not null;
`;
