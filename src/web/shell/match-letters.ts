export interface LetterMatch {
  /** Higher is better. */
  score: number;
  /** Where the letters were found, as [from, to) pairs. */
  ranges: [number, number][];
}

/**
 * Finds the letters of `wanted` in `text`, in order, without case and accents: as one piece where possible, best at
 * the beginning of a word, else scattered. Undefined where they are not all there.
 */
export function matchLetters(wanted: string, text: string): LetterMatch | undefined {
  const needle = [...fold(wanted)].filter((letter) => letter !== ' ');
  const letters = [...text].map(fold);
  if (needle.length === 0) return { score: 0, ranges: [] };
  const whole = pieceAt(needle, letters);
  if (whole !== undefined) {
    const bonus = isWordStart(letters, whole) ? 1000 : 500;
    return {
      score: bonus - whole - letters.length / 1000,
      ranges: [offsets([...text], whole, whole + needle.length)],
    };
  }
  const found: number[] = [];
  for (const letter of needle) {
    const at = letters.indexOf(letter, (found.at(-1) ?? -1) + 1);
    if (at === -1) return undefined;
    found.push(at);
  }
  const spread = (found.at(-1) ?? 0) - (found[0] ?? 0);
  const starts = found.filter((at) => isWordStart(letters, at)).length;
  return {
    score: starts * 20 - spread - letters.length / 1000,
    ranges: found.map((at) => offsets([...text], at, at + 1)),
  };
}

const fold = (text: string) => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLocaleLowerCase();

/** Where all letters stand side by side: at a word's start if anywhere. */
function pieceAt(needle: string[], letters: string[]): number | undefined {
  const starts = letters.flatMap((_, at) =>
    needle.every((letter, index) => letters[at + index] === letter) ? [at] : [],
  );
  return starts.find((at) => isWordStart(letters, at)) ?? starts[0];
}

const isWordStart = (letters: string[], at: number) =>
  at === 0 || !/[\p{L}\p{N}]/u.test(letters[at - 1] ?? '');

/** Of code points, as offsets into the string. */
const offsets = (points: string[], from: number, to: number): [number, number] => [
  points.slice(0, from).join('').length,
  points.slice(0, to).join('').length,
];
