/** An account's rows are found again when it is deleted. */
export const memberChanges = `
create index changes_members on changes (thing_id) where kind = 'member';
`;
