import { type Db, statement } from '../db/connection.ts';
import { schemaOf } from './meta.ts';

const TABLES = ['users', 'workspaces', 'lists', 'tasks', 'recurring_series', 'outbox'];
/** Counting stops here, so that the start of a server does not wait for it. */
const MAX_COUNTED = 1_000_000;

/** What tells an admin that this is the data they mean: its file, its newest migration, the rows of its main tables. */
export function dataFacts(database: string, db: Db) {
  const rows = TABLES.map((table) => {
    const counted = `select count(*) as n from (select 1 from ${table} limit ?)`;
    return [table, db.one(statement<{ n: number }>(counted, [MAX_COUNTED]))?.n];
  });
  return { database, schema: schemaOf(db), rows: Object.fromEntries(rows) };
}
