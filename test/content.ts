import SqliteDatabase from 'better-sqlite3';
import { tablesIn } from '../src/storage/integrity.ts';

/** Every row of a database, by table. */
export function contentOf(path: string): Record<string, unknown[]> {
  const connection = new SqliteDatabase(path, { readonly: true });
  const rowsOf = (table: string) => connection.prepare(`select * from "${table}"`).all();
  const content = tablesIn(connection).map((table) => [table, rowsOf(table)]);
  connection.close();
  return Object.fromEntries(content);
}
