import { Cron } from 'croner';
import { z } from 'zod';
import type { Db } from '../db/connection.ts';
import { HOUR, type Instant, toInstant } from '../kernel/instants.ts';
import { deleteMeta, metaOf, setMeta } from '../storage/meta.ts';
import { firstAccountSince } from '../storage/users.ts';

/** How much later than scheduled a backup may be done before it is missed. */
const GRACE_MS = HOUR;

const Done = z.object({ at: z.iso.datetime(), file: z.string(), bytes: z.number() });
const Failed = z.object({ at: z.iso.datetime(), reason: z.string() });

/** Notes a success, which ends what is known of a failure. */
export function noteBackup(db: Db, { file, bytes }: { file: string; bytes: number }, now: number): void {
  setMeta(db, 'last_backup', JSON.stringify({ at: toInstant(now), file, bytes }));
  deleteMeta(db, ['failed_backup']);
}

/** Notes in restored data, whose notes are of the backups before, what it was made of. */
export function noteRestored(db: Db, { file, bytes }: { file: string; bytes: number }, now: number): void {
  setMeta(db, 'restored', JSON.stringify({ at: toInstant(now), file, bytes }));
  deleteMeta(db, ['last_backup', 'failed_backup']);
}

export function noteFailure(db: Db, reason: string, now: number): void {
  setMeta(db, 'failed_backup', JSON.stringify({ at: toInstant(now), reason }));
}

/** What is known of the last backups: a failure only while no success came after it; and what the data was restored from. */
export const backupNotes = (db: Db) => ({
  done: found(db, 'last_backup', Done),
  failed: found(db, 'failed_backup', Failed),
  restored: found(db, 'restored', Done),
});

/** The instant since which a backup by the schedule is missing; undefined where none is. */
export function overdueSince(schedule: string, db: Db, now: number): Instant | undefined {
  if (schedule === '') return undefined;
  const { done, restored } = backupNotes(db);
  const since = done?.at ?? restored?.at ?? firstAccountSince(db);
  const due = since === undefined ? null : new Cron(schedule, { mode: '5-part' }).nextRun(new Date(since));
  return due && due.getTime() + GRACE_MS < now ? due.toISOString() : undefined;
}

function found<Shape extends z.ZodType>(db: Db, key: string, shape: Shape): z.output<Shape> | undefined {
  const value = metaOf(db, key);
  return value === undefined ? undefined : shape.parse(JSON.parse(value));
}
