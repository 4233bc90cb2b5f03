import { type Db, prepared, query, ROW_BATCH_SIZE } from '../db/connection.ts';
import { tooManyRequests } from '../kernel/errors.ts';
import { type Bucket, takeFrom } from '../kernel/token-bucket.ts';

/** A token bucket kept in the database, so that a restart fills none. */
export interface PersistentLimit {
  key: string;
  bucket: Bucket;
}

const find = prepared<{ key: string }, { full_at: number }>((argument) =>
  query.selectFrom('budgets').select('full_at').where('key', '=', argument('key')),
);

const keep = prepared<{ key: string; full_at: number }, unknown>((argument) =>
  query
    .insertInto('budgets')
    .values({ key: argument('key'), full_at: argument('full_at') })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ full_at: argument('full_at') })),
);

/** Takes one from every limit, or from none: then it returns for how many milliseconds the scarcest is reached. */
export function takeFromLimits(db: Db, limits: PersistentLimit[], now: number): number | undefined {
  const outcomes = limits.map(({ key, bucket }) => ({
    key,
    outcome: takeFrom(bucket, db.one(find({ key }))?.full_at, now),
  }));
  const waits = outcomes.flatMap(({ outcome }) => (outcome.taken ? [] : [outcome.waitMs]));
  if (waits.length > 0) return Math.max(...waits);
  for (const { key, outcome } of outcomes) {
    if (outcome.taken) db.run(keep({ key, full_at: outcome.fullAt }));
  }
  return undefined;
}

/** Takes one from every limit; throws TooManyRequestsError, and takes none, while one of them is reached. */
export function requireWithinLimits(db: Db, limits: PersistentLimit[], now: number): void {
  const waitMs = takeFromLimits(db, limits, now);
  if (waitMs !== undefined) throw tooManyRequests(waitMs);
}

/** Gives back one to every limit. */
export function refundLimits(db: Db, limits: PersistentLimit[]): void {
  for (const { key, bucket } of limits) {
    db.run(
      query
        .updateTable('budgets')
        .set((row) => ({ full_at: row('full_at', '-', bucket.refillMs) }))
        .where('key', '=', key),
    );
  }
}

/** Deletes some of the limits that nobody has taken from lately; returns how many, none when that was all. */
export const purgeLimits = (db: Db, now: number): number =>
  db.run(
    query
      .deleteFrom('budgets')
      .where(
        'key',
        'in',
        query.selectFrom('budgets').select('key').where('full_at', '<', now).limit(ROW_BATCH_SIZE),
      ),
  );

export const deleteLimits = (db: Db, keys: string[]) =>
  db.run(query.deleteFrom('budgets').where('key', 'in', keys));
