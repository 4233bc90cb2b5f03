export interface Match {
  score: number;
  /** Indexes into the text, for highlighting. */
  at: number[];
}

/** Lower case without accents. */
export const fold = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ł', 'l')
    .replaceAll('ø', 'o');

const folded = new Map<string, { letters: string; from: number[] }>();

/** The folded letters of a text, and from which index each came. */
function lettersOf(text: string): { letters: string; from: number[] } {
  const known = folded.get(text);
  if (known) return known;
  let letters = '';
  const from: number[] = [];
  let index = 0;
  for (const character of text) {
    for (const letter of fold(character)) {
      letters += letter;
      for (let unit = 0; unit < letter.length; unit++) from.push(index);
    }
    index += character.length;
  }
  if (folded.size > 20_000) folded.clear();
  const result = { letters, from };
  folded.set(text, result);
  return result;
}

const isBoundary = (letters: string, index: number): boolean =>
  index === 0 || !/[\p{L}\p{N}]/u.test(letters[index - 1] ?? '');

/** Scores one alignment that starts at `start`: runs and beginnings of words count most. */
function align(needle: string, letters: string, start: number): { score: number; at: number[] } | null {
  let score = 0;
  let previous = -2;
  const at: number[] = [];
  let index = start;
  for (const letter of needle) {
    const next = letters.indexOf(letter, index);
    if (next === -1) return null;
    // The beginning of a later word beats a letter in the middle of this one.
    let chosen = next;
    if (next !== previous + 1 && !isBoundary(letters, next)) {
      for (let at = next; at !== -1; at = letters.indexOf(letter, at + 1)) {
        if (isBoundary(letters, at)) {
          chosen = at;
          break;
        }
      }
      const rest = needle.slice(at.length + 1);
      if (chosen !== next && !isSubsequence(rest, letters, chosen + letter.length)) chosen = next;
    }
    score += chosen === previous + 1 ? 8 : isBoundary(letters, chosen) ? 6 : 1;
    at.push(chosen);
    previous = chosen + letter.length - 1;
    index = chosen + letter.length;
  }
  return { score, at };
}

function isSubsequence(needle: string, letters: string, start: number): boolean {
  let index = start;
  for (const letter of needle) {
    index = letters.indexOf(letter, index) + letter.length;
    if (index < letter.length) return false;
  }
  return true;
}

/**
 * Matches the letters of `query` in order within `text`, without case, accents and spaces of the query. Returns null
 * where they do not all occur; higher scores are better.
 */
export function match(query: string, text: string): Match | null {
  const needle = fold(query).replace(/\s+/g, '');
  if (needle === '') return { score: 0, at: [] };
  const { letters, from } = lettersOf(text);
  if (!isSubsequence(needle, letters, 0)) return null;
  let best: { score: number; at: number[] } | null = null;
  const [first = ''] = needle;
  for (let start = letters.indexOf(first), tries = 0; start !== -1 && tries < 12; tries++) {
    const found = align(needle, letters, start);
    if (!found) break;
    if (!best || found.score > best.score) best = found;
    start = letters.indexOf(first, start + 1);
  }
  if (!best) return null;
  const isWhole = letters === needle ? 10 : letters.startsWith(needle) ? 4 : 0;
  return {
    score: best.score + isWhole - letters.length / 1000,
    at: [...new Set(best.at.map((index) => from[index] ?? 0))],
  };
}

/** The best matches first; equal ones keep their order. */
export function rank<T>(query: string, things: readonly T[], textOf: (thing: T) => string, limit = 50): T[] {
  const scored: { thing: T; score: number }[] = [];
  for (const thing of things) {
    const found = match(query, textOf(thing));
    if (found) scored.push({ thing, score: found.score });
  }
  return scored
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ thing }) => thing);
}
