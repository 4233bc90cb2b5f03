import { getAsset, isSea } from 'node:sea';
import type SqliteDatabase from 'better-sqlite3';

const NOW = `strftime('%Y-%m-%dT%H:%M:%fZ')`;

/** What migrations make of an empty file, as one script; only in the executable, which has it from its build. */
export const newSchema = (): string | undefined => (isSea() ? getAsset('new-schema', 'utf8') : undefined);

/**
 * The script that makes what all migrations made of an empty database: the same schema and the same rows, the times of
 * the migrations aside. Run where nobody waits for the server to start.
 */
export function schemaScript(database: SqliteDatabase.Database): string {
  const all = <Row>(sql: string) => database.prepare<[], Row>(sql).all();
  const tables = all<{ name: string; type: string }>('pragma main.table_list').filter(
    ({ name, type }) => type !== 'shadow' && !name.startsWith('sqlite_'),
  );
  const shadows = all<{ name: string }>(`select name from pragma_table_list where type = 'shadow'`).map(
    ({ name }) => name,
  );
  const made = all<{ name: string; sql: string }>(
    'select name, sql from sqlite_schema where sql is not null order by rowid',
  ).filter(({ name }) => !shadows.includes(name) && !name.startsWith('sqlite_'));
  const rows = tables.filter(({ type }) => type === 'table').flatMap(({ name }) => rowsOf(name));
  const settings = tables
    .filter(({ type }) => type === 'virtual')
    .flatMap(({ name }) =>
      all<{ k: string; v: string }>(`select k, quote(v) as v from ${name}_config where k <> 'version'`).map(
        ({ k, v }) => `insert into ${name} (${name}, rank) values ('${k}', ${v})`,
      ),
    );
  return [...made.map(({ sql }) => sql), ...rows, ...settings].map((statement) => `${statement};\n`).join('');

  function rowsOf(table: string): string[] {
    const columns = all<{ name: string }>(`select name from pragma_table_info('${table}')`).map(
      ({ name }) => name,
    );
    const values = columns.map((name) => `quote("${name}")`).join(` || ', ' || `);
    return all<{ row: string }>(`select ${values} as row from ${table}`).map(
      ({ row }) =>
        `insert into ${table} values (${table === 'kysely_migration' ? row.replace(/'[^']*'$/, NOW) : row})`,
    );
  }
}
