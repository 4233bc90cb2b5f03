/**
 * `secure-delete` overwrites in the search index what goes, at once; SQLite 3.54.1 at least loses its way then where a
 * word of thousands of tasks goes from all of them: searches miss tasks, and later no backup is whole. Without it what
 * goes is marked, and merges take it away. The index is made again, as it may have been damaged so.
 */
export const searchErasure = `
insert into task_search (task_search, rank) values ('secure-delete', 0);
insert into task_search (task_search) values ('rebuild');
`;
