import type SqliteDatabase from 'better-sqlite3';

/** One instruction of the program that SQLite makes of a statement: https://sqlite.org/opcode.html */
interface Instruction {
  opcode: string;
  p1: number;
  p2: number;
}

/** Names of tables; undefined where that cannot be told, so that it may be any. */
export type TableNames = ReadonlySet<string> | undefined;

/**
 * The tables that a statement reads, or those that it may write: its own, and those of the cascades and triggers that it
 * may set off, all of which SQLite compiles into it. A virtual table is written, but not read, without being named.
 */
export function tablesTouched(
  sqlite: SqliteDatabase.Database,
  sql: string,
  parameters: readonly unknown[],
  how: 'read' | 'written',
): TableNames {
  const program = sqlite.prepare<unknown[], Instruction>(`explain ${sql}`).all(...parameters);
  if (how === 'read' && program.some(({ opcode }) => opcode === 'VOpen')) return undefined;
  const opens = how === 'read' ? /^(OpenRead|ReopenIdx)$/ : /^OpenWrite$/;
  const roots = program.flatMap(({ opcode, p1, p2 }) => {
    if (how === 'written' && opcode === 'Clear') return [p1];
    return opens.test(opcode) ? [p2] : [];
  });
  const tableAt = sqlite
    .prepare<[number], string>('select tbl_name from sqlite_schema where rootpage = ?')
    .pluck();
  const names = new Set<string>();
  for (const root of new Set(roots)) {
    const name = tableAt.get(root);
    // The schema itself, which a change of it writes.
    if (name === undefined) return undefined;
    names.add(name);
  }
  return names;
}
