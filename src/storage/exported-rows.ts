import { type Db, statement } from '../db/connection.ts';
import type { StoredComment } from './comments.ts';
import type { MemberWithPerson } from './contents.ts';
import { type ExportedRows, TABLE_TRAITS, type TableTraits } from './table-traits.ts';
import type { Tables } from './tables.ts';
import type { StoredTask } from './task-fields.ts';
import type { StoredEntry } from './trash.ts';

/** 18 kB of tasks: pieces of 70 kB are noticed by everyone who waits for the event loop. */
const ROW_BATCH_SIZE = 25;

/** Tables whose rows are an array of their own in an export. */
export type ExportedTable = {
  [Table in keyof Tables]: (typeof TABLE_TRAITS)[Table] extends { exported: ExportedRows } ? Table : never;
}[keyof Tables];

/** A row of the table as an export reads it. */
export type ExportedRow<Table extends ExportedTable> = Table extends keyof Joined
  ? Joined[Table]
  : Tables[Table];
interface Joined {
  comments: StoredComment;
  members: MemberWithPerson;
  tasks: StoredTask;
  trash: StoredEntry;
}

/** What rows belong to, by the columns that say so. */
export type ExportedOf = Partial<Record<ExportedRows['of'], string | number>>;

/** The table whose rows stand at a path of the export. */
export function tableExportedAt(path: string): ExportedTable | undefined {
  const traits = Object.entries<TableTraits>(TABLE_TRAITS);
  const found = traits.find(([, { exported }]) => typeof exported === 'object' && exported.at === path);
  return found?.[0] as ExportedTable | undefined;
}

/** The rows that an export has of one owner, some at a time, each time read from where the last ones ended. */
export function* exportedRows<Table extends ExportedTable>(
  db: Db,
  table: Table,
  owner: ExportedOf,
): Generator<ExportedRow<Table>[]> {
  const { of, by, from = table, isNewestFirst }: ExportedRows = TABLE_TRAITS[table].exported;
  const first = `select * from ${from} where ${of} = ?`;
  const next = `${first} and (${by.join(', ')}) ${isNewestFirst ? '<' : '>'} (${by.map(() => '?').join(', ')})`;
  const order = by.map((key) => `${key} ${isNewestFirst ? 'desc' : 'asc'}`).join(', ');
  let last: Record<string, unknown> | undefined;
  do {
    const parameters = [owner[of], ...(last ? by.map((key) => last?.[key]) : [])];
    const sql = `${last ? next : first} order by ${order} limit ${ROW_BATCH_SIZE}`;
    const rows: (ExportedRow<Table> & Record<string, unknown>)[] = db.all(statement(sql, parameters));
    if (rows.length > 0) yield rows;
    last = rows[ROW_BATCH_SIZE - 1];
  } while (last);
}
