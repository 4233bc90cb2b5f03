import { sql } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Label } from '../tasks/label-schema.ts';
import { readPage } from './read-page.ts';
import { recordThing } from './record.ts';
import type { LabelRow } from './tables.ts';

export type StoredLabel = LabelRow & { code: number };

export const labelOf = (row: LabelRow): Label => ({
  id: row.id,
  workspaceId: row.workspace_id,
  title: row.title,
  color: row.color,
  position: row.position,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
});

/** What two titles share that differ in case alone, in every script. */
export const labelTitleKey = (title: string): string =>
  title.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');

const ofWorkspace = (workspaceId: string) =>
  query.selectFrom('labels').selectAll().where('workspace_id', '=', workspaceId);

/** The labels of a workspace, by position. */
export const listLabels = (db: Db, workspaceId: string, page: PageRequest): Page<Label> =>
  readPage(db, page, ofWorkspace(workspaceId).orderBy('position').orderBy('id'), labelOf);

export const findLabel = (db: Db, workspaceId: string, id: string): StoredLabel | undefined =>
  db.one(ofWorkspace(workspaceId).where('id', '=', id));

/** The label that has this title, in whatever case. */
export const findLabelByTitle = (db: Db, workspaceId: string, title: string): StoredLabel | undefined =>
  db.one(ofWorkspace(workspaceId).where('title_key', '=', labelTitleKey(title)));

export const countLabels = (db: Db, workspaceId: string): number =>
  db.one(
    query
      .selectFrom('labels')
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .where('workspace_id', '=', workspaceId),
  )?.n ?? 0;

/** The position of the workspace's last label. */
export const lastLabelPosition = (db: Db, workspaceId: string) =>
  db.one(
    query
      .selectFrom('labels')
      .select(({ fn }) => fn.max('position').as('position'))
      .where('workspace_id', '=', workspaceId),
  )?.position;

export function insertLabel(tx: Tx, row: LabelRow): void {
  tx.run(query.insertInto('labels').values(row));
  recordThing(tx, 'label', row, 'put');
}

/** Stores what a label has become. */
export function saveLabel(tx: Tx, before: LabelRow, after: LabelRow): void {
  const { title, title_key, color, position, updated_at, version } = after;
  tx.run(
    query
      .updateTable('labels')
      .set({ title, title_key, color, position, updated_at, version })
      .where('workspace_id', '=', after.workspace_id)
      .where('id', '=', after.id),
  );
  recordThing(tx, 'label', after, 'put', changesBetween(before, after));
}

const changesBetween = (before: LabelRow, after: LabelRow) => ({
  ...(after.title !== before.title && { title: after.title }),
  ...(after.color !== before.color && { color: after.color }),
  ...(after.position !== before.position && { position: after.position }),
});

export function deleteLabelRow(tx: Tx, row: LabelRow): void {
  tx.run(query.deleteFrom('labels').where('workspace_id', '=', row.workspace_id).where('id', '=', row.id));
  recordThing(tx, 'label', row, 'delete');
}

/** Those of the ids that are labels of the workspace. */
export const knownLabels = (db: Db, workspaceId: string, ids: readonly string[]): Set<string> =>
  new Set(
    ids.length === 0
      ? []
      : db
          .all(
            ofWorkspace(workspaceId).where(
              'id',
              'in',
              sql<string>`(select value from json_each(${JSON.stringify(ids)}))`,
            ),
          )
          .map(({ id }) => id),
  );

/** How many tasks have a label; at most so many are counted. */
export const countTasksWithLabel = (db: Db, labelKey: number, most: number): number =>
  db.one(
    statement<{ n: number }>(
      'select count(*) as n from (select 1 from task_labels where label_code = ? limit ?)',
      [labelKey, most],
    ),
  )?.n ?? 0;

/** Writes down, for finding a task, which labels it has. */
export function saveTaskLabels(db: Db, workspaceId: string, seq: number, labelIds: readonly string[]): void {
  db.run(query.deleteFrom('task_labels').where('task_seq', '=', seq));
  if (labelIds.length === 0) return;
  db.run(
    statement(
      `insert into task_labels (label_code, task_seq) select code, ? from labels
        where +workspace_id = ? and id in (select value from json_each(?))`,
      [seq, workspaceId, JSON.stringify(labelIds)],
    ),
  );
}
