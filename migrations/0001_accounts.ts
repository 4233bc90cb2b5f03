/** Accounts, what proves them, and the mails about them. */
export const accounts = `
create table users (
  code integer primary key autoincrement,
  id text not null unique,
  email text not null unique,
  name text not null,
  password_hash text,
  password_set_at text,
  is_email_verified integer not null,
  created_at text not null,
  updated_at text not null,
  unique (code, id)
) strict;

create table identities (
  provider text not null,
  subject text not null,
  user_id text not null references users (id) on delete cascade,
  created_at text not null,
  primary key (provider, subject)
) strict, without rowid;
create unique index identities_by_user on identities (user_id, provider);

create table sessions (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  user_agent text not null,
  ip text not null,
  created_at text not null,
  last_used_at text not null,
  expires_at text not null
) strict;
create index sessions_by_user on sessions (user_id, created_at);
create index sessions_by_expiry on sessions (expires_at);

create table refresh_tokens (
  hash text primary key,
  session_id text not null references sessions (id) on delete cascade,
  used_at text
) strict, without rowid;
create index refresh_tokens_by_session on refresh_tokens (session_id);

create table known_addresses (
  user_id text not null references users (id) on delete cascade,
  network text not null,
  signed_in_at text not null,
  primary key (user_id, network)
) strict, without rowid;
create index known_addresses_by_age on known_addresses (signed_in_at);

create table pending_signups (
  id text primary key,
  email text not null,
  name text not null,
  password_hash text,
  invited_to text,
  telegram_id text,
  token_hash text not null unique,
  created_at text not null,
  expires_at text not null
) strict;
create index pending_signups_by_email on pending_signups (email, created_at);
create index pending_signups_by_expiry on pending_signups (expires_at);

create table used_telegram_logins (
  hash text primary key,
  expires_at text not null
) strict, without rowid;
create index used_telegram_logins_by_expiry on used_telegram_logins (expires_at);

create table login_codes (
  id text primary key,
  email text not null unique,
  code_hash text not null,
  attempts integer not null,
  expires_at text not null
) strict;
create index login_codes_by_expiry on login_codes (expires_at);

create table email_tokens (
  id text primary key,
  purpose text not null,
  user_id text references users (id) on delete cascade,
  email text not null,
  token_hash text not null unique,
  created_at text not null,
  expires_at text not null
) strict;
create index email_tokens_by_user on email_tokens (user_id, purpose, created_at);
create index email_tokens_by_email on email_tokens (email, purpose, created_at);
create index email_tokens_by_expiry on email_tokens (expires_at);

create table budgets (
  key text primary key,
  full_at real not null
) strict, without rowid;
create index budgets_by_age on budgets (full_at);

create table outbox (
  id text primary key,
  priority integer not null,
  kind text not null,
  recipient text not null,
  content blob,
  secret_id text,
  user_id text references users (id) on delete cascade,
  state text not null,
  attempts integer not null,
  next_attempt_at text not null,
  expires_at text not null,
  created_at text not null,
  sent_at text,
  last_error text
) strict;
create index outbox_waiting on outbox (priority, next_attempt_at, id) where state in ('queued', 'decoy');
create index outbox_by_secret on outbox (secret_id) where secret_id is not null;
create index outbox_by_user on outbox (user_id);
create index outbox_by_recipient on outbox (recipient);
create index outbox_by_expiry on outbox (expires_at);
create index outbox_readable on outbox (state, expires_at) where content is not null;
create index outbox_failed on outbox (id) where state = 'failed';

create table meta (
  key text primary key,
  value text not null
) strict, without rowid;
`;
