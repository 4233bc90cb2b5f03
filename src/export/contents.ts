import { type Db, statement } from '../db/connection.ts';
import { commentOf, commentsOfTask } from '../storage/comments.ts';
import { labelOf } from '../storage/labels.ts';
import { listOf, spaceOf, statusesOf } from '../storage/lists.ts';
import { notificationOf } from '../storage/notifications.ts';
import { progressOf, recurringTaskOf } from '../storage/series.ts';
import { templateOf } from '../storage/status-templates.ts';
import type { LabelRow, ListRow, RecurringSeriesRow, StatusTemplateRow } from '../storage/tables.ts';
import { findTask, lastNumber, type StoredTask, taskOf } from '../storage/tasks.ts';
import type { StoredEntry } from '../storage/trash.ts';
import { memberOf, workspaceOf, workspacesOf } from '../storage/workspaces.ts';
import { broughtBackOf, decidedOf, type Item, type Part, stepOf } from './parts.ts';
import { trashItem } from './trash-contents.ts';

/** 18 kB of tasks: of 70 kB, whoever waits for the event loop notices each. */
const ROW_BATCH_SIZE = 25;

/** The workspaces that someone owns, as they see them, each with its key. */
export const ownedWorkspaces = (db: Db, userId: string) =>
  db.all(workspacesOf(userId).where('member.role', '=', 'owner')).map((row) => ({
    key: row.code,
    id: row.id,
    fields: { ...workspaceOf(row), lastTaskNumber: lastNumber(db, row.code) },
  }));

/** What a workspace holds, by the names it has in the export. */
export function partsOf(db: Db, workspaceId: string, key: number): Record<string, Part> {
  const theirs = ['workspace_id', workspaceId] as const;
  const members = '(select m.*, email, name from members m join users on id = user_id)';
  return {
    members: inTurn(db, members, theirs, ['user_id'], plain(memberOf)),
    spaces: inTurn(db, 'spaces', theirs, ['position', 'id'], plain(spaceOf)),
    lists: inTurn(
      db,
      'lists',
      theirs,
      ['position', 'id'],
      plain((row: ListRow) => listOf(db, row)),
    ),
    labels: inTurn(
      db,
      'labels',
      theirs,
      ['position', 'id'],
      plain((row: LabelRow) => labelOf(row)),
    ),
    statusTemplates: inTurn(
      db,
      'status_templates',
      theirs,
      ['created_at', 'id'],
      plain((row: StatusTemplateRow) => templateOf(row, statusesOf(db, workspaceId, row.id))),
    ),
    tasks: inTurn(db, 'tasks', ['workspace_code', key], ['seq'], (row: StoredTask) => ({
      fields: taskOf(row),
      parts: { comments: commentsOf(db, row) },
    })),
    recurringTasks: inTurn(
      db,
      'recurring_series',
      theirs,
      ['created_at', 'id'],
      (row: RecurringSeriesRow) => ({
        fields: {
          ...recurringTaskOf(row),
          progress: progressOf(row, broughtBackOf(row, findTask(db, workspaceId, row.next_task_id))),
        },
        parts: { occurrences: occurrencesOf(db, row.id), steps: stepsOf(db, row.id) },
      }),
    ),
    trash: inTurn(
      db,
      `(select * from trash where state <> 'purging')`,
      ['workspace_code', key],
      ['code'],
      (row: StoredEntry) => trashItem(db, workspaceId, row),
    ),
  };
}

function* commentsOf(db: Db, { seq, comment_count: total }: StoredTask): Part {
  for (let page = 1; (page - 1) * ROW_BATCH_SIZE < total; page += 1) {
    const rows = commentsOfTask(db, seq, { page, limit: ROW_BATCH_SIZE });
    yield rows.map((row) => ({ fields: commentOf(row) }));
  }
}

const OCCURRENCE_BATCH_SIZE = 200;

/** What was decided about occurrences of a series. */
const occurrencesOf = (db: Db, seriesId: string): Part =>
  inTurn(
    db,
    'recurring_occurrences',
    ['series_id', seriesId],
    ['rule_version', 'occurrence_local'],
    plain(decidedOf),
    { batchSize: OCCURRENCE_BATCH_SIZE },
  );

const stepsOf = (db: Db, seriesId: string): Part =>
  inTurn(db, 'series_steps', ['series_id', seriesId], ['number'], plain(stepOf));

/** What someone was told, the newest first. */
export const notificationsOf = (db: Db, userId: string): Part =>
  inTurn(db, 'notifications', ['user_id', userId], ['created_at', 'id'], plain(notificationOf), {
    direction: 'desc',
  });

const plain =
  <Row>(toObject: (row: Row) => object) =>
  (row: Row): Item => ({ fields: toObject(row) });

/** The rows of one owner in the order of `keys`, which together tell them apart. */
function* inTurn<Row extends object>(
  db: Db,
  source: string,
  [column, id]: readonly [keyof Row & string, string | number],
  keys: (keyof Row & string)[],
  toItem: (row: Row) => Item,
  { direction = 'asc', batchSize = ROW_BATCH_SIZE }: { direction?: 'asc' | 'desc'; batchSize?: number } = {},
): Part {
  const first = `select * from ${source} where ${column} = ?`;
  const marks = keys.map(() => '?').join(', ');
  const next = `${first} and (${keys.join(', ')}) ${direction === 'asc' ? '>' : '<'} (${marks})`;
  const order = keys.map((key) => `${key} ${direction}`).join(', ');
  let last: Row | undefined;
  do {
    const parameters = [id, ...(last ? keys.map((key) => last?.[key]) : [])];
    const sql = `${last ? next : first} order by ${order} limit ${batchSize}`;
    const rows: Row[] = db.all(statement(sql, parameters));
    if (rows.length > 0) yield rows.map((row) => toItem(row));
    last = rows[batchSize - 1];
  } while (last);
}
