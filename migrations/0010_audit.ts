/** Disabled accounts, the last sign-in of each, and the trail of what was done to accounts, keys and the database. */
export const audit = `
alter table users add column disabled_at text;
alter table users add column last_signed_in_at text;
update users set last_signed_in_at = (select max(created_at) from sessions where user_id = users.id);

create table audit_log (
  id text primary key,
  at text not null,
  source text not null check (source in ('api', 'command')),
  event text not null,
  user_id text,
  actor_id text,
  details text not null,
  is_rejected integer not null,
  is_logged integer not null
) strict;
create index audit_log_by_user on audit_log (user_id, id);
create index audit_log_by_actor on audit_log (actor_id, id) where actor_id is not null;
create index audit_log_by_age on audit_log (at);
create index audit_log_rejected on audit_log (id) where is_rejected = 1;
create index audit_log_unlogged on audit_log (id) where is_logged = 0;
`;
