import type { CompiledQuery } from 'kysely';
import { type Db, statement } from '../db/connection.ts';
import {
  DATED,
  type Key,
  MIDNIGHT,
  type Owner,
  type Scope,
  SECTIONS,
  type Section,
  type SectionRows,
} from './contents.ts';
import type { PagedTask } from './task-fields.ts';

/** At most `limit` rows of a section of the scope that follow `after`, in its order; none where it has no such section. */
export function readSection(
  db: Db,
  section: Section,
  scope: Scope,
  owner: Owner,
  after: Key | undefined,
  limit: number,
): SectionRows[keyof SectionRows][] {
  const found = section.where[scope.kind];
  if (!found) return [];
  const [where, ...names] = found;
  const parameters = names.map((name) => (name === 'id' ? scope.id : owner[name]));
  if (section === DATED) return readDated(db, where, parameters, after, limit);
  const [following, ...keys] = after ? follows(section.order, after) : ['1'];
  const order = section.order.map((column) => column.join(' ')).join(', ');
  const text = `select * from ${section.source} where ${where} and (${following}) order by ${order} limit ?`;
  return db.all(statement(text, [...parameters, ...keys, limit]));
}

/** In the order of the index, where a day stands before midnight UTC; the two are one, ordered by id alone. */
function readDated(
  db: Db,
  where: string,
  parameters: readonly (string | number)[],
  [at = '', id = '']: Key = [],
  limit: number,
): DatedTask[] {
  const firstAt = (due: string) => (due.endsWith(MIDNIGHT) ? due.slice(0, -MIDNIGHT.length) : due);
  const read = (order: string, most: number, more = '', ...values: string[]) =>
    db.all(
      statement<DatedTask>(
        `select * from ${DATED.source} where ${where} and due_date >= ? and (due_date > ? or id > ?)${more}
          order by ${order} limit ?`,
        [...parameters, firstAt(String(at)), at, id, ...values, most],
      ),
    );
  const rows = read('due_date, id', limit);
  const last = rows[limit - 1]?.due_at;
  if (last?.endsWith(MIDNIGHT)) {
    const cut = rows.findIndex(({ due_at }) => due_at === last);
    const these = ' and due_date >= ? and due_date <= ?';
    rows.splice(cut, limit, ...read('id', limit - cut, these, firstAt(last), last));
  }
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return rows.sort((a, b) => compare(a.due_at, b.due_at) || compare(a.id, b.id));
}

type DatedTask = PagedTask & { due_at: string };

/** The sort keys of a row of the section. */
export const keyOf = (section: Section, row: object): Key =>
  section.order.map(([column]) => (row as Record<string, string | number>)[column] ?? '');

/** The condition that a row comes after these keys, each in its own direction. */
function follows(order: Section['order'], after: Key): [string, ...(string | number)[]] {
  const parameters: (string | number)[] = [];
  const alternatives = order.map(([column, direction], i) => {
    const equal = order.slice(0, i).map(([name], j) => {
      parameters.push(after[j] ?? '');
      return `${name} = ?`;
    });
    parameters.push(after[i] ?? '');
    return [...equal, `${column} ${direction === 'asc' ? '>' : '<'} ?`].join(' and ');
  });
  // Bounds the first column by itself, so that an index can be entered there.
  const [[first, direction] = ['', 'asc']] = order;
  const bound = order.length > 1 ? `${first} ${direction === 'asc' ? '>=' : '<='} ? and ` : '';
  return [
    `${bound}(${alternatives.join(' or ')})`,
    ...(order.length > 1 ? [after[0] ?? ''] : []),
    ...parameters,
  ];
}

/** The rows with these ids, in no order; what is gone is left out. */
export const readByIds = (
  db: Db,
  kind: keyof SectionRows,
  owner: Owner,
  ids: readonly string[],
): SectionRows[keyof SectionRows][] => (ids.length === 0 ? [] : db.all(rowsById(kind, owner, ids)));

/** The statement of `readByIds`: entered by the ids, since SQLite takes an index of the workspace to be as good. */
export function rowsById(
  kind: keyof SectionRows,
  { workspaceId, workspaceKey }: Owner,
  ids: readonly string[],
): CompiledQuery<SectionRows[keyof SectionRows]> {
  const source = SECTIONS.findLast((section) => section.kind === kind)?.source ?? '';
  const [where, owner] =
    kind === 'task' ? ['+workspace_code = ?', workspaceKey] : [ownerOf(kind), workspaceId];
  const id = kind === 'member' ? 'user_id' : 'id';
  return statement(`select * from ${source} where ${where} and ${id} in (select value from json_each(?))`, [
    owner,
    JSON.stringify(ids),
  ]);
}

const ownerOf = (kind: keyof SectionRows): string => {
  if (kind === 'workspace') return 'id = ?';
  return kind === 'member' ? 'workspace_id = ?' : '+workspace_id = ?';
};
