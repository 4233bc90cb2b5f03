/** A person's time zone, first day of the week, and what clients keep for them. */
export const userSettings = `
alter table users add column timezone text;
alter table users add column week_start text not null default 'monday';

create table user_preferences (
  user_code integer primary key references users (code) on delete cascade,
  preferences text not null
) strict, without rowid;
`;
