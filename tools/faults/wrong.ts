import { join } from 'node:path';
import SqliteDatabase from 'better-sqlite3';
import { COUNTERS, faultsOf } from '../../src/storage/integrity.ts';
import { VALUES } from '../../src/storage/value-checks.ts';
import type { Site } from './drill.ts';

/** What must find no row, at any time. */
const UNWANTED = {
  'a session without exactly one unused refresh token': `select s.id from sessions s where
    (select count(*) from refresh_tokens t where t.session_id = s.id and t.used_at is null) <> 1`,
  'a user without exactly one default workspace': `select u.id from users u where
    (select count(*) from members m where m.user_id = u.id and m.is_default = 1 and m.role = 'owner') <> 1`,
  'a generated occurrence without its task': `select task_id from recurring_occurrences o where state = 'generated'
    and not exists (select 1 from tasks where id = o.task_id and recurring_task_id = o.series_id
      and occurrence_at = o.occurrence_at)`,
  'an occurrence twice': `select recurring_task_id from tasks where recurring_task_id is not null
    group by recurring_task_id, occurrence_at having count(*) > 1`,
  'a series that does not stand at its newest task': `select id from recurring_series s where state = 'active'
    and next_task_id is not (select id from tasks where recurring_task_id = s.id order by occurrence_at desc limit 1)`,
};

/** Everything that is not as it must be in the database of a folder, as of one moment. */
export const wrongIn = (folder: string): string[] =>
  inDatabase(folder, (database) => [
    ...faultsOf(database),
    ...COUNTERS.faults(database),
    ...VALUES.faults(database),
    ...Object.entries(UNWANTED).flatMap(([what, sql]) =>
      database
        .prepare<[], string>(sql)
        .pluck()
        .all()
        .map((id) => `${what}: ${id}`),
    ),
  ]);

/** Tells what is not as it must be in the database of a folder, and which acknowledged titles of tasks it lacks. */
export function verifyData({ lose }: Site, folder: string, acknowledged: string[], when: string): void {
  for (const wrong of wrongIn(folder)) lose(`${when}: ${wrong}`);
  const titles = new Set(
    inDatabase(folder, (database) => database.prepare<[], string>('select title from tasks').pluck().all()),
  );
  const lost = acknowledged.filter((title) => !titles.has(title));
  if (lost.length > 0) lose(`${when}: ${lost.length} of ${acknowledged.length} acknowledged tasks`);
}

/** Reads the database of a folder, beside other writers, as of one moment. */
export function inDatabase<Result>(
  folder: string,
  read: (database: SqliteDatabase.Database) => Result,
): Result {
  const database = new SqliteDatabase(join(folder, 'errand.db'), { readonly: true });
  try {
    return database.transaction(() => read(database))();
  } finally {
    database.close();
  }
}
