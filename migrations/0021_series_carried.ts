const bytesOf = (row: 'new' | 'old') =>
  `octet_length(${row}.title) + ifnull(octet_length(${row}.description), 0)
        + ifnull((select sum(octet_length(value ->> 'title')) from json_each(${row}.checklist)), 0)`;

/**
 * Labels and checklist of series, which their instances are made with. The tables beside the series are for finding it
 * by a label, and what has the id of an item; triggers keep them.
 */
export const seriesCarried = `
alter table recurring_series add column label_ids text;
alter table recurring_series add column checklist text;

create table series_labels (
  label_code integer not null references labels (code) on delete cascade,
  series_id text not null references recurring_series (id) on delete cascade,
  primary key (label_code, series_id)
) strict, without rowid;
create index series_labels_by_series on series_labels (series_id);

create table series_checklist_items (
  id text not null,
  series_id text not null references recurring_series (id) on delete cascade,
  primary key (id, series_id)
) strict, without rowid;
create index series_checklist_items_by_series on series_checklist_items (series_id);

create trigger recurring_series_carried after insert on recurring_series
  when new.label_ids is not null or new.checklist is not null begin
  insert into series_labels (label_code, series_id)
    select code, new.id from json_each(new.label_ids)
      join labels on labels.id = value and labels.workspace_id = new.workspace_id;
  insert into series_checklist_items (id, series_id)
    select value ->> 'id', new.id from json_each(new.checklist);
end;

create trigger recurring_series_labelled after update of label_ids on recurring_series
  when new.label_ids is not old.label_ids begin
  delete from series_labels where series_id = new.id;
  insert into series_labels (label_code, series_id)
    select code, new.id from json_each(new.label_ids)
      join labels on labels.id = value and labels.workspace_id = new.workspace_id;
end;

create trigger recurring_series_checklist_changed after update of checklist on recurring_series
  when new.checklist is not old.checklist begin
  delete from series_checklist_items where series_id = new.id;
  insert into series_checklist_items (id, series_id)
    select value ->> 'id', new.id from json_each(new.checklist);
end;

drop trigger recurring_series_counted;
create trigger recurring_series_counted after insert on recurring_series begin
  insert into series_counts (workspace_code, n, bytes)
    select code, 1, ${bytesOf('new')}
      from workspaces where id = new.workspace_id
    on conflict do update set n = n + 1, bytes = bytes + excluded.bytes;
end;

drop trigger recurring_series_resized;
create trigger recurring_series_resized after update of title, description, checklist on recurring_series begin
  update series_counts
    set bytes = bytes + (${bytesOf('new')})
      - (${bytesOf('old')})
    where workspace_code = (select code from workspaces where id = new.workspace_id);
end;

drop trigger recurring_series_uncounted;
create trigger recurring_series_uncounted after delete on recurring_series begin
  update series_counts
    set n = n - 1, bytes = bytes - (${bytesOf('old')})
    where workspace_code = (select code from workspaces where id = old.workspace_id);
  delete from series_counts
    where n = 0 and workspace_code = (select code from workspaces where id = old.workspace_id);
end;
`;
