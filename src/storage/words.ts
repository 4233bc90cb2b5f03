/** UTF-16 units. */
const MAX_WORD_UNITS = 40;
const MAX_TITLE_KEY_UNITS = 64;

const NOT_ASCII = /[^\0-\x7f]/;
const ASCII_WORDS = /[a-z0-9]+/g;
/** Marks that may be left out in writing; those of Indic and South-East Asian scripts are letters, as are kana's. */
const ACCENTS =
  /(?![\u3099\u309a])[\p{Script=Inherited}--[\u200c\u200d]]|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640]/gv;
/** Letters that are decorated ones to a reader, but not to Unicode. */
const LOOKALIKES: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ð: 'd',
  đ: 'd',
  þ: 'th',
  ħ: 'h',
  ł: 'l',
  ŧ: 't',
  ς: 'σ',
};
const LOOKALIKE = new RegExp(`[${Object.keys(LOOKALIKES).join('')}]`, 'g');
/** Written without spaces between words; so are emoji. */
const UNSPACED = [
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Yi', 'Thai', 'Lao', 'Khmer', 'Myanmar', 'Tibetan'],
  ...['Tai_Le', 'New_Tai_Lue', 'Tai_Tham', 'Javanese', 'Balinese'],
]
  .map((script) => String.raw`\p{Script=${script}}`)
  .concat(String.raw`\u30fc\u3099\u309a\p{Extended_Pictographic}\p{Regional_Indicator}`)
  .join('');
const LETTER = String.raw`[\p{L}\p{N}\p{M}\p{Extended_Pictographic}\p{Regional_Indicator}]`;
const PIECES = new RegExp(`(?<run>[${LETTER}&&[${UNSPACED}]]+)|[${LETTER}--[${UNSPACED}]]+`, 'gv');
/**
 * No language stacks so many marks (Unicode's stream-safe limit), and putting more in order takes quadratic time. The two
 * voicing marks of half width are letters to Unicode, and become marks when they are decomposed.
 */
const MARKS_BEYOND_REASON = /([\p{M}\uff9e\uff9f]{30})[\p{M}\uff9e\uff9f]+/gu;
/** Signs that stand for four to eighteen characters. */
const ABBREVIATIONS = /[\u2057\u2150-\u218b\u2460-\u24ff\u2a0c\u3200-\u33ff\ufdf2-\ufdfc]/g;
/** Of one text, which they would make many times longer. */
const MAX_ABBREVIATIONS = 2_000;
/** Of one text. No language says the same so often, and a search would look at each place. */
const MAX_SAME_PAIRS = 1_000;
/** A phrase takes as long as it has tokens, at each place where it may be. */
const PAIRS_IN_PHRASE = 16;
const MAX_PAIR_UNITS = 4;
const PAIR_BUCKETS = 65_536;
const SPACE = 0x20;
const HALF_A_PAIR = /[\ud800-\udbff]$/;

interface Pieces {
  words: string[];
  /** Of a script that does not show where words end. */
  runs: string[];
}

const TASK_NUMBER = /^[1-9][0-9]{0,15}$/;

/** The number of a task that a text is, written in the one way in which Errand writes it. */
export function numberIn(text: string): number | undefined {
  const number = TASK_NUMBER.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A text without case, accents and variants of form: what is the same to someone who searches. */
export function fold(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase();
  return boundAbbreviations(text)
    .replace(MARKS_BEYOND_REASON, '$1')
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .toUpperCase() // first up, since letters that differ in lower case may share their upper case
    .toLowerCase()
    .replace(LOOKALIKE, (letter) => LOOKALIKES[letter] ?? letter)
    .replace(MARKS_BEYOND_REASON, '$1') // again, since what stood between two runs may be gone
    .normalize('NFC');
}

function boundAbbreviations(text: string): string {
  let n = 0;
  return text.replace(ABBREVIATIONS, (sign) => {
    n += 1;
    return n <= MAX_ABBREVIATIONS ? sign : ' ';
  });
}

/** How a title sorts: folded and bounded. */
export const titleKey = (title: string): string => beginning(fold(title), MAX_TITLE_KEY_UNITS);

/**
 * The tokens under which a text is found, each behind the code of its workspace, so that none is shared: words once
 * each; runs as overlapping pairs of characters and the last one alone (東京都 → 東京 京都 都), so that any part of a
 * run is a phrase of pairs and no phrase reaches beyond its run. Of a pair that a text repeats endlessly some are left
 * out.
 */
export function indexText(workspaceKey: number, text: string | null): string {
  if (text === null) return '';
  const mark = markOf(workspaceKey);
  const { words, runs } = piecesOf(text);
  let tokens = runs.length === 0 ? '' : tokensOfRuns(runs, mark);
  for (const word of distinct(words)) tokens += `${mark}${word} `;
  return tokens;
}

/** Written unit by unit: to join a hundred thousand strings takes several times as long. */
function tokensOfRuns(runs: readonly string[], mark: string): string {
  const length = runs.reduce((sum, run) => sum + run.length, 0);
  const units = new Uint16Array(length * (mark.length + MAX_PAIR_UNITS + 1));
  const counts = length > MAX_SAME_PAIRS ? countPairs(runs) : undefined;
  const times = new Map<string, number>();
  let at = 0;
  for (const run of runs) {
    for (let start = 0, second = 0; start < run.length; start = second) {
      second = start + widthAt(run, start);
      const end = second + widthAt(run, second);
      if (counts && (counts[bucketOf(run, start, end)] ?? 0) > MAX_SAME_PAIRS) {
        const pair = run.slice(start, end);
        const n = (times.get(pair) ?? 0) + 1;
        times.set(pair, n);
        if (n > MAX_SAME_PAIRS) continue;
      }
      for (let i = 0; i < mark.length; i += 1) units[at++] = mark.charCodeAt(i);
      for (let i = start; i < end; i += 1) units[at++] = run.charCodeAt(i);
      units[at++] = SPACE;
    }
  }
  return Buffer.from(units.buffer, 0, 2 * at).toString('utf16le');
}

/** How many pairs each bucket has: of those in one with few none can be there too often, and none need be counted. */
function countPairs(runs: readonly string[]): Uint32Array {
  const counts = new Uint32Array(PAIR_BUCKETS);
  for (const run of runs) {
    for (let start = 0, second = 0; start < run.length; start = second) {
      second = start + widthAt(run, start);
      const bucket = bucketOf(run, start, second + widthAt(run, second));
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
  }
  return counts;
}

function bucketOf(run: string, start: number, end: number): number {
  let hash = 0;
  for (let i = start; i < end; i += 1) hash = (31 * hash + run.charCodeAt(i)) % PAIR_BUCKETS;
  return hash;
}

/** The UTF-16 units of the character there; 0 behind the last one. */
function widthAt(text: string, at: number): number {
  const code = text.codePointAt(at);
  if (code === undefined) return 0;
  return code > 0xffff ? 2 : 1;
}

/**
 * FTS5 expressions for texts of a workspace; all hold where every word of `asked` begins a word; none when it
 * has no words: prefixes, and phrases of pairs, which need be none. Only letters and digits get into them, so nothing in
 * them is an operator. A word that begins another one of `asked` goes without saying.
 */
export function matchTerms(workspaceKey: number, asked: string): string[] {
  const mark = markOf(workspaceKey);
  const { words, runs } = piecesOf(asked);
  const telling = distinct(words).filter((word, i, all) => !all[i + 1]?.startsWith(word));
  const terms = [
    ...telling.map((word) => `"${mark}${word}" *`),
    ...runs.flatMap((run) => termsOf(run, mark)),
  ];
  return [...new Set(terms)];
}

/** In order, which is how to find each once at less than half the cost of a set of them. */
const distinct = (words: string[]): string[] => words.sort().filter((word, i) => word !== words[i - 1]);

const markOf = (workspaceKey: number): string => `${workspaceKey.toString(36)}_`;

function piecesOf(text: string): Pieces {
  const folded = fold(text);
  if (!NOT_ASCII.test(folded)) return { words: (folded.match(ASCII_WORDS) ?? []).map(bounded), runs: [] };
  const pieces: Pieces = { words: [], runs: [] };
  for (const [piece, run] of folded.matchAll(PIECES)) {
    if (run === undefined) pieces.words.push(bounded(piece));
    else pieces.runs.push(run);
  }
  return pieces;
}

/** A longer word is known by its beginning, in texts and in what is asked. */
const bounded = (word: string): string => beginning(word, MAX_WORD_UNITS);

const beginning = (text: string, units: number): string =>
  text.length <= units ? text : text.slice(0, units).replace(HALF_A_PAIR, '');

function pairsOf(run: string): string[] {
  const characters = [...run];
  return characters.map((character, i) => character + (characters[i + 1] ?? ''));
}

/** The pairs that a run and every longer one have, phrase by phrase; of a single character, whatever begins with it. */
function termsOf(run: string, mark: string): string[] {
  const [first = '', ...more] = pairsOf(run);
  if (more.length === 0) return [`"${mark}${first}" *`];
  const common = [first, ...more.slice(0, -1)].map((pair) => mark + pair);
  const terms: string[] = [];
  for (let at = 0; at < common.length; at += PAIRS_IN_PHRASE)
    terms.push(`"${common.slice(at, at + PAIRS_IN_PHRASE).join(' ')}"`);
  return terms;
}
