import { escapeQuoted, unescapeQuoted } from './quick-add-words.ts';

/** A name behind its sigil, quoted where it needs to be. */
export const printName = (sigil: string, title: string): string =>
  /^[\p{L}\p{N}_-]+$/u.test(title) ? `${sigil}${title}` : `${sigil}"${escapeQuoted(title)}"`;

interface Completion {
  sigil: '#' | '@' | '*' | '/';
  query: string;
  /** What a chosen option replaces. */
  start: number;
  end: number;
}

/** What is being typed at the caret, where it is a name behind a sigil. */
export function completionAt(text: string, caret: number): Completion | null {
  const before = text.slice(0, caret);
  const match = /(?:^|\s)([#@*/])("(?:[^"\\]|\\.)*|[^\s"]*)$/.exec(before);
  if (!match) return null;
  const [, sigil = '', typed = ''] = match;
  const start = caret - typed.length - 1;
  const rest = /^[^\s"]*/.exec(text.slice(caret))?.[0].length ?? 0;
  const query = typed.startsWith('"') ? unescapeQuoted(typed.slice(1)) : typed;
  return {
    sigil: sigil as Completion['sigil'],
    query,
    start,
    end: typed.startsWith('"') ? caret : caret + rest,
  };
}

/** Puts a chosen name in the place of what was typed; a space follows. */
export function complete(
  text: string,
  { sigil, start, end }: Completion,
  title: string,
): { text: string; caret: number } {
  const name = `${printName(sigil, title)} `;
  const rest = text.slice(end).replace(/^ /, '');
  return { text: text.slice(0, start) + name + rest, caret: start + name.length };
}
