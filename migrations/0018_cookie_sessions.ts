/** Sessions whose secret is a cookie: its SHA-256; null for those with refresh tokens. */
export const cookieSessions = `
alter table sessions add column cookie_hash text;
create unique index sessions_by_cookie on sessions (cookie_hash);
`;
