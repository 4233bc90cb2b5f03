/**
 * What was deleted and can be restored: an entry for each thing that was deleted, and the rows that went with it as JSON,
 * one for each thing. Their people and labels are there by keys, which are never given twice, and a removed account is
 * found in the mentions. A list or space with `in_transit` is on its way into the trash or out of it.
 */
export const trash = `
create table trash (
  code integer primary key autoincrement,
  id text not null unique,
  workspace_code integer not null references workspaces (code) on delete cascade,
  kind text not null check (kind in ('task', 'list', 'space')),
  title text not null,
  place_id text,
  deleted_at text not null,
  deleted_by integer references users (code) on delete set null,
  purge_at text not null,
  item_count integer not null,
  state text not null check (state in ('kept', 'moving', 'restoring', 'purging'))
) strict;
create index trash_by_workspace on trash (workspace_code, deleted_at, code);
create index trash_by_purge on trash (purge_at);
create index trash_by_deleter on trash (deleted_by);
create index trash_in_steps on trash (code) where state <> 'kept';

create table trash_rows (
  code integer primary key,
  entry_code integer not null references trash (code) on delete cascade,
  workspace_code integer not null,
  kind text not null check (kind in ('space', 'list', 'series', 'occurrences', 'task', 'comment')),
  id text,
  series_id text,
  bytes integer not null,
  content text not null
) strict;
create unique index trash_rows_id on trash_rows (id) where id is not null;
create index trash_rows_by_entry on trash_rows (entry_code, kind, code);
create index trash_rows_by_workspace on trash_rows (workspace_code);
create index trash_rows_by_series on trash_rows (series_id) where series_id is not null;

create table trash_items (
  id text not null,
  row_code integer not null references trash_rows (code) on delete cascade,
  primary key (id, row_code)
) strict, without rowid;
create index trash_items_by_row on trash_items (row_code);

create table trash_mentions (
  user_code integer not null references users (code) on delete cascade,
  row_code integer not null references trash_rows (code) on delete cascade,
  primary key (user_code, row_code)
) strict, without rowid;
create index trash_mentions_by_row on trash_mentions (row_code);

create table trash_counts (
  workspace_code integer not null references workspaces (code) on delete cascade,
  kind text not null,
  n integer not null,
  bytes integer not null,
  primary key (workspace_code, kind)
) strict, without rowid;

create trigger trash_rows_counted after insert on trash_rows begin
  insert into trash_counts (workspace_code, kind, n, bytes) values (new.workspace_code, new.kind, 1, new.bytes)
    on conflict do update set n = n + 1, bytes = bytes + excluded.bytes;
end;

create trigger trash_rows_uncounted after delete on trash_rows begin
  update trash_counts set n = n - 1, bytes = bytes - old.bytes
    where workspace_code = old.workspace_code and kind = old.kind;
  delete from trash_counts where workspace_code = old.workspace_code and kind = old.kind and n = 0;
end;

alter table spaces add column in_transit integer not null default 0;
alter table lists add column in_transit integer not null default 0;
create index lists_in_transit on lists (in_transit, code, id) where in_transit = 1;
`;
