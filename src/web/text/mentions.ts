/** A person as a text can name them. */
export interface Mentionable {
  userId: string;
  name: string;
}

const MARKUP = /\[@([^\]\n]{1,400})\]\(errand:user\/([\w-]+)\)/g;
const ENDS = /^[^\p{L}\p{N}_]|^$/u;

const plainName = (name: string): string => name.replaceAll(/[[\]\n]/g, '');

/** `[@Ada](errand:user/ID)` as people read it: `@Ada`. */
export const plainMentions = (body: string): string => body.replaceAll(MARKUP, '@$1');

/** Those whom a text names by markup already: they come before others of the same name. */
export const mentionedIn = (body: string, people: readonly Mentionable[]): Mentionable[] =>
  [...body.matchAll(MARKUP)].flatMap(([, , id]) => people.find(({ userId }) => userId === id) ?? []);

/** Puts markup in place of each `@Name` of a person; of names that begin alike the longest counts. */
export function withMentions(text: string, people: readonly Mentionable[]): string {
  const known = people
    .map(({ userId, name }) => ({ userId, name: plainName(name) }))
    .filter(({ name }) => name !== '')
    .sort((a, b) => b.name.length - a.name.length);
  return text.split(/(?<![\p{L}\p{N}_@[])@/u).reduce((done, rest) => {
    const person = known.find(
      ({ name }) => rest.toLowerCase().startsWith(name.toLowerCase()) && ENDS.test(rest.slice(name.length)),
    );
    return person
      ? `${done}[@${person.name}](errand:user/${person.userId})${rest.slice(person.name.length)}`
      : `${done}@${rest}`;
  });
}

interface MentionBegun {
  query: string;
  start: number;
}

/** The name that is being written at the caret; it may have spaces while people match it. */
export function mentionAt(text: string, caret: number): MentionBegun | null {
  const found = /(?:^|[^\p{L}\p{N}_@])@([^@\n]{0,60})$/u.exec(text.slice(0, caret));
  const query = found?.[1];
  return query === undefined || query.startsWith(' ') ? null : { query, start: caret - query.length - 1 };
}

/** The people with a word in their name that begins with what was typed. */
export function mentionChoices<Person extends Mentionable>(
  query: string,
  people: readonly Person[],
): Person[] {
  const wanted = query.toLocaleLowerCase();
  return people
    .filter(({ name }) => {
      const words = name.toLocaleLowerCase();
      return (words.startsWith(wanted) || words.includes(` ${wanted}`)) && words !== wanted.trimEnd();
    })
    .slice(0, 6);
}
