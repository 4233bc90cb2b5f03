import type { Storage } from './open.ts';

const TABLES = ['users', 'workspaces', 'lists', 'tasks', 'recurring_series', 'outbox'];
/** Counting stops here, so that the start of a server does not wait for it. */
const COUNTED_AT_MOST = 1_000_000;

/** What tells an admin that this is the data they mean: its file, its newest migration, the rows of its main tables. */
export function dataFacts({ path, reading }: Storage) {
  const schema = reading
    .prepare<[], string>('select name from kysely_migration order by name desc limit 1')
    .pluck()
    .get();
  const counted = TABLES.map((table) => [
    table,
    reading
      .prepare<[], number>(`select count(*) from (select 1 from ${table} limit ${COUNTED_AT_MOST})`)
      .pluck()
      .get(),
  ]);
  return { database: path, schema, rows: Object.fromEntries(counted) };
}
