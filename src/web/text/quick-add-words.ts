/** A piece of the input between white space, as the grammar sees it. */
export interface Word {
  start: number;
  /** Without punctuation that follows the word. */
  end: number;
  low: string;
  /** Punctuation that follows; a phrase ends here where there is some. */
  tail: string;
  /** Never part of a phrase. */
  isPlain: boolean;
  /** The sigil of `#list`, `@person`, `*label`, `/status`, and the name behind it. */
  sigil: string;
  name: string;
}

export interface Span {
  start: number;
  end: number;
}

const TAIL = new Set(',.;:!?)');

const isSpace = (character: string | undefined): boolean => character === undefined || /\s/.test(character);

/** The end of a quotation that begins at `open`, behind its closing mark; -1 where there is none. */
function endOfQuote(text: string, open: number): number {
  for (let index = open + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === '"' && index > open + 1 && isEnd(text, index + 1)) return index + 1;
  }
  return -1;
}

/** The end of a quoted name: the next mark must close it. */
function endOfName(text: string, open: number): number {
  let index = open + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index < text.length && index > open + 1 && isEnd(text, index + 1) ? index + 1 : -1;
}

const isEnd = (text: string, index: number): boolean => {
  let end = index;
  while (TAIL.has(text[end] ?? '')) end++;
  return isSpace(text[end]);
};

export const unescapeQuoted = (text: string): string => text.replace(/\\(["\\])/g, '$1');
export const escapeQuoted = (text: string): string => text.replace(/["\\]/g, '\\$&');

function endOfWord(text: string, start: number): number {
  let end = start;
  while (!isSpace(text[end])) end++;
  return end;
}

function wordAt(text: string, start: number): { word: Word; next: number } {
  const [sigil = ''] = /^[#@*/]/.exec(text[start] ?? '') ?? [];
  const quoteEnd = sigil && text[start + 1] === '"' ? endOfName(text, start + 1) : -1;
  const next = quoteEnd === -1 ? endOfWord(text, start) : quoteEnd;
  const whole = text.slice(start, next);
  const core = quoteEnd === -1 ? whole.replace(/[,.;:!?)]+$/, '') : whole;
  const end = start + core.length;
  const tail = text.slice(end, endOfWord(text, Math.max(end, next)));
  const name = quoteEnd === -1 ? core.slice(1) : unescapeQuoted(core.slice(2, -1));
  const word = { start, end, low: core.toLowerCase(), tail, isPlain: false, sigil, name: sigil ? name : '' };
  return { word, next: Math.max(next, start + 1) };
}

/** The words of a text as if nothing protected them: quotation marks and backslashes are looked through. */
export function unprotectedWords(text: string): Word[] {
  const words: Word[] = [];
  const quoteEnds = new Set<number>();
  for (let index = 0; index < text.length; ) {
    if (isSpace(text[index])) {
      index++;
      continue;
    }
    while (text[index] === '\\') index++;
    const close = text[index] === '"' ? endOfQuote(text, index) : -1;
    if (close !== -1) {
      quoteEnds.add(close - 1);
      index++;
      continue;
    }
    if (isSpace(text[index])) continue;
    const { word, next } = wordAt(text, index);
    const inside = [...quoteEnds].find((end) => end >= index && end < next);
    const isQuotedName = word.sigil !== '' && text[word.start + 1] === '"';
    if (inside !== undefined && !isQuotedName) trimTo(word, text, inside);
    words.push(word);
    index = next;
  }
  return words;
}

/** Ends a word before the quotation mark that closes around it. */
function trimTo(word: Word, text: string, quote: number): void {
  const core = text.slice(word.start, quote).replace(/[,.;:!?)]+$/, '');
  word.end = word.start + core.length;
  word.low = core.toLowerCase();
  if (word.sigil) word.name = core.slice(1);
}

export interface Protection extends Span {
  /** What is left of it in the title. */
  text: string;
  isQuote: boolean;
}

const overlaps = (a: Span, start: number, end: number): boolean => a.start < end && a.end > start;

/**
 * The words of a text, and the quotations and backslashes that protect something. Those that protect nothing are
 * ordinary text. `phrases` are the spans that would be understood if nothing were protected.
 */
export function protectedWords(
  text: string,
  phrases: readonly Span[],
): { words: Word[]; protections: Protection[] } {
  const words: Word[] = [];
  const protections: Protection[] = [];
  const isUnderstood = (start: number, end: number): boolean =>
    phrases.some((phrase) => overlaps(phrase, start, end));
  const isProtective = (open: number, close: number): boolean =>
    isUnderstood(open + 1, close - 1) || /\\["\\]/.test(text.slice(open + 1, close - 1));
  const protect = (protection: Protection): number => {
    protections.push(protection);
    const { start, end } = protection;
    words.push({ start, end, low: '', tail: '', isPlain: true, sigil: '', name: '' });
    return end;
  };
  for (let index = 0; index < text.length; ) {
    if (isSpace(text[index])) {
      index++;
      continue;
    }
    if (text[index] === '"') {
      const close = endOfQuote(text, index);
      if (close !== -1 && isProtective(index, close)) {
        const inner = unescapeQuoted(text.slice(index + 1, close - 1));
        index = protect({ start: index, end: close, text: inner, isQuote: true });
        continue;
      }
    }
    if (text[index] === '\\') {
      let rest = index;
      while (text[rest] === '\\') rest++;
      const end = Math.max(endOfWord(text, index), index + 1);
      const close = text[rest] === '"' ? endOfQuote(text, rest) : -1;
      if (isUnderstood(rest, end) || (close !== -1 && isProtective(rest, close))) {
        index = protect({ start: index, end, text: text.slice(index + 1, end), isQuote: false });
        continue;
      }
    }
    const { word, next } = wordAt(text, index);
    words.push(word);
    index = next;
  }
  return { words, protections };
}
