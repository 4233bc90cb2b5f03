/** Who was mentioned in a comment once is told of it once: a row stays when an edit takes the mention away. */
export const mentions = `
alter table comment_mentions add column is_current integer not null default 1;
`;
