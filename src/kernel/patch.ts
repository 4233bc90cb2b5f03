import type { Instant } from './instants.ts';

/**
 * A row as a patch leaves it: fields that are undefined keep their value. The very same row when none of them
 * differs, so that `updated_at` tells of changes only.
 */
export function patched<Row extends { updated_at: Instant }>(
  row: Row,
  patch: { [Key in keyof Row]?: Row[Key] | undefined },
  now: Instant,
): Row {
  const entries = Object.entries(patch) as [keyof Row, unknown][];
  const changes = entries.filter(([field, value]) => value !== undefined && value !== row[field]);
  return changes.length === 0 ? row : { ...row, ...Object.fromEntries(changes), updated_at: now };
}

/** The fields that have a value. */
export const defined = <Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
