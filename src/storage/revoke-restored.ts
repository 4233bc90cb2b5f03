import { type Db, statement } from '../db/connection.ts';
import { TABLE_TRAITS, type TableTraits } from './table-traits.ts';

/**
 * Deletes or voids what a restored database must not bring back, of the tables that it has: who signed out meanwhile
 * would be signed in, what was consumed could be consumed again, and what was mailed would be mailed again. Returns the number
 * of rows by table.
 */
export function revokeRestored(db: Db, tables: readonly string[]): Record<string, number> {
  const revoked: Record<string, number> = {};
  for (const [table, { onRestore }] of Object.entries<TableTraits>(TABLE_TRAITS)) {
    if (!onRestore || !tables.includes(table)) continue;
    revoked[table] = db.run(statement(onRestore === 'delete' ? `delete from ${table}` : onRestore, []));
  }
  return revoked;
}
