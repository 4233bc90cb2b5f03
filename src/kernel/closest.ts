/** How many letters may differ, and at most a third of the word. */
const MAX_DISTANCE = 3;

/** The candidate that a mistyped word most likely means; undefined where none is close. */
export function closestTo(word: string, candidates: readonly string[]): string | undefined {
  const most = Math.min(MAX_DISTANCE, Math.ceil(word.length / 3));
  const near = candidates
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= most)
    .sort((a, b) => a.distance - b.distance);
  return near[0]?.candidate;
}

/** Letters to insert, delete, replace or swap with their neighbor, to turn one word into the other. */
function distanceBetween(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        at(i - 1, j - 1) + (isSame ? 0 : 1),
        isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(a.length, b.length);
}
