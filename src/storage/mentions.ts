/** A label is at most as long as it need be to hold a name. */
const MENTION = /\[@[^\]\n]{1,400}\]\(errand:user\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/g;

/** The ids of the users that a comment mentions, each once. */
export const mentionsIn = (body: string): string[] => [
  ...new Set([...body.matchAll(MENTION)].map(([, userId = '']) => userId)),
];

/** As long as an id, so that no count of bytes changes. */
export const NOBODY = '00000000-0000-0000-0000-000000000000';

/** A body whose mentions name others by now, or nobody; and who is mentioned in it, each once. */
export function replaceMentions(
  body: string,
  idFor: (userId: string) => string | null,
): { body: string; mentioned: string[] } {
  const mentioned = new Set<string>();
  const replaced = body.replace(MENTION, (link, userId: string) => {
    const id = idFor(userId);
    if (id !== null) mentioned.add(id);
    return link.replace(`errand:user/${userId}`, `errand:user/${id ?? NOBODY}`);
  });
  return { body: replaced, mentioned: [...mentioned] };
}

/** The text that a comment is found by: of a mention its words, not the id. */
export const searchedText = (body: string): string =>
  body.replace(MENTION, (link) => link.slice(1, link.indexOf(']')));
