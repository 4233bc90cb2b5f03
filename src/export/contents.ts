import type { Db } from '../db/connection.ts';
import { commentOf } from '../storage/comments.ts';
import {
  type ExportedOf,
  type ExportedRow,
  type ExportedTable,
  exportedRows,
  tableExportedAt,
} from '../storage/exported-rows.ts';
import { lastNumber } from '../storage/insert-task.ts';
import { labelOf } from '../storage/labels.ts';
import { listOf, spaceOf, statusesOf } from '../storage/lists.ts';
import { notificationOf } from '../storage/notifications.ts';
import { progressOf, recurringTaskOf } from '../storage/series.ts';
import { templateOf } from '../storage/status-templates.ts';
import { taskOf } from '../storage/task-fields.ts';
import { findTask } from '../storage/tasks.ts';
import { memberOf, workspaceOf, workspacesOf } from '../storage/workspaces.ts';
import { broughtBackOf, decidedOf, type Item, type Part, stepOf } from './parts.ts';
import { ExportedWorkspace } from './schema.ts';
import { trashItem } from './trash-contents.ts';

/** The workspaces that someone owns, as they see them, each with its key. */
export const ownedWorkspaces = (db: Db, userId: string) =>
  db.all(workspacesOf(userId).where('member.role', '=', 'owner')).map((row) => ({
    key: row.code,
    id: row.id,
    fields: { ...workspaceOf(row), lastTaskNumber: lastNumber(db, row.code) },
  }));

/** What a workspace holds, by the names it has in the export, in the order of its schema. */
export function partsOf(db: Db, id: string, key: number): Record<string, Part> {
  const owner = { workspace_id: id, workspace_code: key };
  const parts = Object.keys(ExportedWorkspace.shape).flatMap((name) => {
    const table = tableExportedAt(`workspaces.${name}`);
    return table ? [[name, partOf(db, table, owner)] as const] : [];
  });
  return Object.fromEntries(parts);
}

/** What someone was told, the newest first. */
export const notificationsOf = (db: Db, userId: string): Part =>
  partOf(db, 'notifications', { user_id: userId });

function* partOf<Table extends ExportedTable>(db: Db, table: Table, owner: ExportedOf): Part {
  for (const rows of exportedRows(db, table, owner)) yield rows.map((row) => ITEMS[table](row, db, owner));
}

function* none(): Part {}

type ToItem<Row> = (row: Row, db: Db, owner: ExportedOf) => Item;
const plain =
  <Row>(toObject: (row: Row) => object): ToItem<Row> =>
  (row) => ({ fields: toObject(row) });

/** How the rows of each table are shown. */
const ITEMS: { [Table in ExportedTable]: ToItem<ExportedRow<Table>> } = {
  members: plain(memberOf),
  spaces: plain(spaceOf),
  lists: (row, db) => ({ fields: listOf(db, row) }),
  labels: plain((row) => labelOf(row)),
  status_templates: (row, db) => ({ fields: templateOf(row, statusesOf(db, row.workspace_id, row.id)) }),
  tasks: (row, db) => ({
    fields: taskOf(row),
    parts: { comments: row.comment_count === 0 ? none() : partOf(db, 'comments', { task_seq: row.seq }) },
  }),
  comments: plain(commentOf),
  recurring_series: (row, db) => ({
    fields: {
      ...recurringTaskOf(row),
      progress: progressOf(row, broughtBackOf(row, findTask(db, row.workspace_id, row.next_task_id))),
    },
    parts: {
      occurrences: partOf(db, 'recurring_occurrences', { series_id: row.id }),
      steps: partOf(db, 'series_steps', { series_id: row.id }),
    },
  }),
  recurring_occurrences: plain(decidedOf),
  series_steps: plain(stepOf),
  trash: (row, db, owner) => trashItem(db, String(owner.workspace_id), row),
  notifications: plain(notificationOf),
};
