/** A longer text is left out of what is read of many things at first: a hundred of them would hold up the event loop. */
const LONG_BYTES = 8 * 1_024;

/** The bytes of texts that were left out of a row, and are null in it. */
export interface LeftOut {
  left_out: number;
}

/** Columns, `description` and `checklist` among them, as those of a row with its `LeftOut`. */
export const withoutLong = (columns: string): string =>
  `${columns.replaceAll(/\b(description|checklist)\b/g, shortOrNull('$1'))},
  ${longBytes('description')} + ${longBytes('checklist')} as left_out`;

function shortOrNull(column: string): string {
  return `iif(octet_length(${column}) > ${LONG_BYTES}, null, ${column}) as ${column}`;
}

function longBytes(column: string): string {
  return `iif(octet_length(${column}) > ${LONG_BYTES}, octet_length(${column}), 0)`;
}

/** What rows are known by, as a parameter of `json_each`. */
export const keysIn = <Key extends string>(rows: readonly Record<Key, unknown>[], key: Key): string =>
  JSON.stringify(rows.map((row) => row[key]));

/** Puts texts that were read since then into the rows that they were left out of. */
export function putBack<Key extends string>(
  rows: readonly (Record<Key, unknown> & LeftOut)[],
  texts: readonly Record<Key, unknown>[],
  key: Key,
): void {
  const byKey = new Map(texts.map((text) => [text[key], text]));
  for (const row of rows) Object.assign(row, byKey.get(row[key]), { left_out: 0 });
}
