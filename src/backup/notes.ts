import { Cron } from 'croner';
import { z } from 'zod';
import { type Db, query } from '../db/connection.ts';
import { HOUR, type Instant, toInstant } from '../kernel/instants.ts';

/** How much later than scheduled a backup may be done before it is missed. */
const GRACE_MS = HOUR;

const Done = z.object({ at: z.iso.datetime(), file: z.string(), bytes: z.number() });
const Failed = z.object({ at: z.iso.datetime(), reason: z.string() });

/** What is known of the last backups: a failure only while no success came after it. */
export interface BackupNotes {
  done: z.output<typeof Done> | undefined;
  failed: z.output<typeof Failed> | undefined;
}

/** Notes a success, which ends what is known of a failure. */
export function noteBackup(db: Db, { file, bytes }: { file: string; bytes: number }, now: number): void {
  keep(db, 'last_backup', { at: toInstant(now), file, bytes });
  db.run(query.deleteFrom('meta').where('key', '=', 'failed_backup'));
}

export const noteFailure = (db: Db, reason: string, now: number): void =>
  keep(db, 'failed_backup', { at: toInstant(now), reason });

export const backupNotes = (db: Db): BackupNotes => ({
  done: found(db, 'last_backup', Done),
  failed: found(db, 'failed_backup', Failed),
});

/** The instant since which a backup by the schedule is missing; undefined where none is. */
export function overdueSince(schedule: string, db: Db, now: number): Instant | undefined {
  if (schedule === '') return undefined;
  const since = backupNotes(db).done?.at ?? firstInstant(db);
  const due = since === undefined ? null : new Cron(schedule, { mode: '5-part' }).nextRun(new Date(since));
  return due && due.getTime() + GRACE_MS < now ? due.toISOString() : undefined;
}

/** Since when there is something to back up. */
const firstInstant = (db: Db): Instant | undefined =>
  db.one(query.selectFrom('users').select('created_at').orderBy('id').limit(1))?.created_at;

function keep(db: Db, key: string, note: object): void {
  const value = JSON.stringify(note);
  db.run(
    query
      .insertInto('meta')
      .values({ key, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value })),
  );
}

function found<Shape extends z.ZodType>(db: Db, key: string, shape: Shape): z.output<Shape> | undefined {
  const value = db.one(query.selectFrom('meta').select('value').where('key', '=', key))?.value;
  return value === undefined ? undefined : shape.parse(JSON.parse(value));
}
