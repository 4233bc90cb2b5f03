/** Rows of a list, from one up to another that is not among them. */
export interface RowRange {
  from: number;
  to: number;
}

/**
 * The rows to draw next on the way to those that are wanted: what is there of them, and at most so many more, those in
 * sight first. However far a list was scrolled, a frame then has little to do.
 */
export function nextRange(present: RowRange, wanted: RowRange, inSight: RowRange, most: number): RowRange {
  let from = Math.max(present.from, wanted.from);
  let to = Math.min(present.to, wanted.to);
  if (from >= to) {
    from = present.to <= wanted.from ? inSight.from : inSight.to;
    to = from;
  }
  let left = most;
  const growTo = (end: number): void => {
    const rows = Math.min(left, Math.max(0, end - to));
    to += rows;
    left -= rows;
  };
  const growFrom = (start: number): void => {
    const rows = Math.min(left, Math.max(0, from - start));
    from -= rows;
    left -= rows;
  };
  growTo(inSight.to);
  growFrom(inSight.from);
  growTo(wanted.to);
  growFrom(wanted.from);
  return { from, to };
}
