import { type Db, statement } from './connection.ts';
import { schemaOf } from './meta.ts';

const TABLES = ['users', 'workspaces', 'lists', 'tasks', 'recurring_series', 'outbox'];
/** Counting stops here, so that the start of a server does not wait for it. */
const COUNTED_AT_MOST = 1_000_000;

/** What tells an admin that this is the data they mean: its file, its newest migration, the rows of its main tables. */
export function dataFacts(database: string, db: Db) {
  const rows = TABLES.map((table) => {
    const counted = `select count(*) as n from (select 1 from ${table} limit ?)`;
    return [table, db.one(statement<{ n: number }>(counted, [COUNTED_AT_MOST]))?.n];
  });
  return { database, schema: schemaOf(db), rows: Object.fromEntries(rows) };
}
