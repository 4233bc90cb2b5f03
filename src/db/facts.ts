import type { Storage } from './open.ts';

const TABLES = ['users', 'workspaces', 'lists', 'tasks', 'recurring_series', 'outbox'];
/** Counting stops here, so that the start of a server does not wait for it. */
const COUNTED_AT_MOST = 1_000_000;

export interface DataFacts {
  /** Absolute path of the database file. */
  database: string;
  /** Name of the newest migration in it. */
  schema: string | undefined;
  /** Rows in the main tables. */
  rows: Record<string, number>;
}

/** What tells an admin that this is the data they mean. */
export function dataFacts({ path, reading }: Storage): DataFacts {
  const schema = reading
    .prepare<[], string>('select name from kysely_migration order by name desc limit 1')
    .pluck()
    .get();
  const present = reading
    .prepare<[], string>(`select name from sqlite_schema where type = 'table'`)
    .pluck()
    .all();
  const counted = TABLES.filter((table) => present.includes(table)).map((table) => [
    table,
    reading
      .prepare<[], number>(`select count(*) from (select 1 from ${table} limit ${COUNTED_AT_MOST})`)
      .pluck()
      .get(),
  ]);
  return { database: path, schema, rows: Object.fromEntries(counted) };
}
