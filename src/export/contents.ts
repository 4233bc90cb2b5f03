import { type Db, statement } from '../db/connection.ts';
import type { ListRow, StatusTemplateRow } from '../db/tables.ts';
import { listOf, spaceOf, statusesOf } from '../lists/store.ts';
import { templateOf } from '../lists/templates-store.ts';
import { notificationOf } from '../notifications/store.ts';
import { recurringTaskOf } from '../recurring/store.ts';
import { type StoredTask, taskOf } from '../tasks/store.ts';
import { memberOf, workspaceOf, workspacesOf } from '../workspaces/store.ts';

/** 18 kB of tasks: of 70 kB, whoever waits for the event loop notices each. */
const ROWS_AT_ONCE = 25;

/** A part of the export, some items at a time, each time read from where the last one ended. */
export type Part = Generator<object[]>;

/** The workspaces that someone owns, as they see them, each with its code. */
export const ownedWorkspaces = (db: Db, userId: string) =>
  db
    .all(workspacesOf(userId).where('member.role', '=', 'owner'))
    .map((row) => ({ code: row.code, workspace: workspaceOf(row) }));

/** What a workspace holds, by the names it has in the export. */
export function partsOf(db: Db, workspaceId: string, code: number): Record<string, Part> {
  const theirs = ['workspace_id', workspaceId] as const;
  const members = '(select m.*, email, name from members m join users on id = user_id)';
  return {
    members: inTurn(db, members, theirs, ['user_id'], memberOf),
    spaces: inTurn(db, 'spaces', theirs, ['position', 'id'], spaceOf),
    lists: inTurn(db, 'lists', theirs, ['position', 'id'], (row: ListRow) => listOf(db, row)),
    statusTemplates: inTurn(db, 'status_templates', theirs, ['created_at', 'id'], (row: StatusTemplateRow) =>
      templateOf(row, statusesOf(db, workspaceId, row.id)),
    ),
    tasks: inTurn(db, 'tasks', ['workspace_code', code], ['seq'], (row: StoredTask) => taskOf(row)),
    recurringTasks: inTurn(db, 'recurring_series', theirs, ['created_at', 'id'], recurringTaskOf),
  };
}

/** What someone was told, the newest first. */
export const notificationsOf = (db: Db, userId: string): Part =>
  inTurn(db, 'notifications', ['user_id', userId], ['created_at', 'id'], notificationOf, 'desc');

/** The rows of one owner in the order of `keys`, which together tell them apart. */
function* inTurn<Row extends object>(
  db: Db,
  source: string,
  [column, id]: readonly [keyof Row & string, string | number],
  keys: (keyof Row & string)[],
  toItem: (row: Row) => object,
  direction: 'asc' | 'desc' = 'asc',
): Part {
  const first = `select * from ${source} where ${column} = ?`;
  const marks = keys.map(() => '?').join(', ');
  const next = `${first} and (${keys.join(', ')}) ${direction === 'asc' ? '>' : '<'} (${marks})`;
  const order = keys.map((key) => `${key} ${direction}`).join(', ');
  let last: Row | undefined;
  do {
    const parameters = [id, ...(last ? keys.map((key) => last?.[key]) : [])];
    const sql = `${last ? next : first} order by ${order} limit ${ROWS_AT_ONCE}`;
    const rows: Row[] = db.all(statement(sql, parameters));
    if (rows.length > 0) yield rows.map((row) => toItem(row));
    last = rows[ROWS_AT_ONCE - 1];
  } while (last);
}
