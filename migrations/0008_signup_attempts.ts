/** Whether an address was signed up with more than one password within a day; a tag of 16 bits stands for each. */
export const signupAttempts = `
alter table pending_signups add column password_tag integer;

create table signup_attempts (
  email text not null,
  password_tag integer not null,
  made_at text not null,
  primary key (email, password_tag)
) strict, without rowid;
create index signup_attempts_by_age on signup_attempts (made_at);
`;
