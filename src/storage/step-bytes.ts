import type { Steps } from '../db/tx.ts';

/** How much text a step writes or deletes: some 10 ms, most of them in the search index, while nothing else is served. */
export const STEP_BYTES = 150_000;
/** The same of rows that are written again while their words stay: they are not indexed again. */
export const REWRITTEN_STEP_BYTES = 1_600_000;

/** As many of the rows as fit into a step, but one at least. */
export function withinStep<Row extends { bytes: number }>(rows: readonly Row[], most = STEP_BYTES): Row[] {
  let sum = 0;
  return rows.filter(({ bytes }, i) => {
    sum += bytes;
    return i === 0 || sum <= most;
  });
}

/** A row takes some 25 µs beside its text, which is written with it. */
export const ROW_BYTES = 4_000;

/** Calls `write` with as many of the rows as fit into a step, and at least one, until it had all of them. */
export function* rewriteInSteps<Row extends { bytes: number }>(
  rows: Iterable<Row>,
  write: (some: Row[]) => void,
): Steps<void> {
  let some: Row[] = [];
  let sum = 0;
  for (const row of rows) {
    const own = ROW_BYTES + row.bytes;
    if (some.length > 0 && sum + own > REWRITTEN_STEP_BYTES) {
      write(some);
      yield;
      some = [];
      sum = 0;
    }
    some.push(row);
    sum += own;
  }
  if (some.length > 0) write(some);
}

export const sumOfBytes = (rows: readonly { bytes: number }[]): number =>
  rows.reduce((sum, { bytes }) => sum + bytes, 0);

/** Each item and label is a row of its own too: that takes as long as so much more of their text. */
const COST_OF_CARRIED = 5;

/** What a row of tasks or of series weighs in a step. */
export const TEMPLATE_BYTES = `octet_length(title) + ifnull(octet_length(description), 0)
  + ${COST_OF_CARRIED} * (ifnull(octet_length(checklist), 0) + ifnull(octet_length(label_ids), 0))`;
