interface TextPart {
  text: string;
  href?: string;
}

const LINK = /\b(?:https?:\/\/|mailto:)[^\s<>"\p{Cc}]+/giu;
const TRAILING = /[.,;:!?'»”’…*_~]/u;
const BRACKETS = ['()', '[]', '{}'];

const count = (text: string, character = ''): number => text.split(character).length - 1;

/** Drops punctuation that belongs to the sentence, and a bracket that was opened before the link. */
function trimmed(link: string): string {
  const loose = new Map(BRACKETS.map(([open, close]) => [close, count(link, close) - count(link, open)]));
  for (let end = link.length; ; end -= 1) {
    const last = link[end - 1] ?? '';
    const left = loose.get(last) ?? 0;
    if (left <= 0 && !TRAILING.test(last)) return link.slice(0, end);
    loose.set(last, left - 1);
  }
}

function isSafe(link: string): boolean {
  try {
    const { protocol, hostname, pathname } = new URL(link);
    return protocol === 'mailto:' ? /.@./.test(pathname) : hostname !== '';
  } catch {
    return false;
  }
}

/** Splits plain text into parts; those with `href` are links to http, https or mailto addresses. */
export function linkParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: raw, index } of text.matchAll(LINK)) {
    const link = trimmed(raw);
    if (!isSafe(link)) continue;
    if (index > end) parts.push({ text: text.slice(end, index) });
    parts.push({ text: link, href: link });
    end = index + link.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end) });
  return parts;
}

/** Where the link around, or beside, a place of the text leads. */
export function hrefAt(text: string, place: number): string | undefined {
  let end = 0;
  for (const { text: part, href } of linkParts(text)) {
    const start = end;
    end += part.length;
    if (href !== undefined && start <= place && place <= end) return href;
  }
  return undefined;
}
