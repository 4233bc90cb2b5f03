import type { Db } from '../db/connection.ts';
import { Existing } from '../http/route.ts';
import { invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instants.ts';
import { userKeyOf } from '../storage/changes.ts';
import { takenIds } from '../storage/client-ids.ts';
import type { Member } from './authorization.ts';

/** The same whatever has it, in whichever workspace. */
export const TAKEN_ID = 'Id is taken';

/** Whether the member made a space or list. */
export const isMaker = (db: Db, { userId }: Member, row: { creator_code: number | null }): boolean =>
  row.creator_code !== null && row.creator_code === userKeyOf(db, userId);

/**
 * The id of a new thing: the one given, else a new one. Where the caller made a thing with that id in this workspace
 * already, as `present` tells, that is the response; 400 where anything else has it or had it.
 */
export function claimId<Shown>(
  db: Db,
  given: string | undefined,
  now: number | Instant,
  present: (id: string) => Shown | undefined,
): string | Existing<Shown> {
  if (given === undefined) return newId(now);
  const shown = present(given);
  if (shown !== undefined) return new Existing(shown);
  if (takenIds(db, [given]).size > 0) throw invalid({ path: 'id', message: TAKEN_ID });
  return given;
}
