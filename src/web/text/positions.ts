/** How far apart things stand that are placed at an end. */
export const STEP = 1024;
const MIN_GAP = 1e-6;

/** Of a thing that was not sent yet: the server places it last. */
export const UNPLACED = Number.MAX_SAFE_INTEGER;

interface Placed {
  id: string;
  position: number;
}

/**
 * The positions to write so that `ids` stand, in their order, before `rows[index]`. `rows` is in order and holds none of
 * `ids`. Where the gap is used up, as few neighbours as make room are renumbered too, and those that have no place yet.
 */
export function placeAt(rows: readonly Placed[], index: number, ids: readonly string[]): Placed[] {
  let from = index;
  let to = index; // rows[from, to) are renumbered along with ids
  while (rows[from - 1]?.position === UNPLACED) from--;
  while (rows[to]?.position === UNPLACED) to++;
  for (;;) {
    const before = rows[from - 1]?.position ?? null;
    const after = rows[to]?.position ?? null;
    const between = [...rows.slice(from, index).map(idOf), ...ids, ...rows.slice(index, to).map(idOf)];
    const spread = spreadOver(between, before, after, from === index && to === index ? MIN_GAP : 1);
    if (spread) return spread;
    // Towards the nearer end, so that a long list is not renumbered whole.
    if (to - index <= index - from && to < rows.length) to++;
    else if (from > 0) from--;
    else to++;
  }
}

const idOf = ({ id }: Placed): string => id;

function spreadOver(
  ids: readonly string[],
  before: number | null,
  after: number | null,
  minGap: number,
): Placed[] | null {
  if (before !== null && after !== null) {
    const step = (after - before) / (ids.length + 1);
    if (step < minGap / 2 || after - before < minGap) return null;
    return ids.map((id, index) => ({ id, position: before + step * (index + 1) }));
  }
  const first = before !== null ? before + STEP : after !== null ? after - STEP * ids.length : STEP;
  return ids.map((id, index) => ({ id, position: first + STEP * index }));
}
