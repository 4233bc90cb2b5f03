import { type Db, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Status, StatusTemplate } from '../lists/schema.ts';
import { recordListsOf, statusesOf } from './lists.ts';
import { readPage } from './read-page.ts';
import { recordThing } from './record.ts';
import type { StatusTemplateRow } from './tables.ts';

export const templateOf = (row: StatusTemplateRow, statuses: Status[]): StatusTemplate => ({
  id: row.id,
  workspaceId: row.workspace_id,
  title: row.title,
  isDefault: row.is_default === 1,
  statuses,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

const templatesOf = (workspaceId: string) =>
  query.selectFrom('status_templates').selectAll().where('workspace_id', '=', workspaceId);

export function listTemplates(db: Db, workspaceId: string, page: PageRequest): Page<StatusTemplate> {
  return readPage(db, page, templatesOf(workspaceId).orderBy('created_at').orderBy('id'), (row) =>
    templateOf(row, statusesOf(db, workspaceId, row.id)),
  );
}

export const findTemplate = (db: Db, workspaceId: string, id: string) =>
  db.one(templatesOf(workspaceId).where('id', '=', id));

export const findDefaultTemplate = (db: Db, workspaceId: string) =>
  db.one(templatesOf(workspaceId).where('is_default', '=', 1));

export function insertTemplate(tx: Tx, row: StatusTemplateRow): void {
  tx.run(query.insertInto('status_templates').values(row));
  recordThing(tx, 'statusTemplate', row, 'put');
}

export function saveTemplate(tx: Tx, row: StatusTemplateRow): void {
  const { id, workspace_id, ...fields } = row;
  tx.run(
    query
      .updateTable('status_templates')
      .set(fields)
      .where('workspace_id', '=', workspace_id)
      .where('id', '=', id),
  );
  recordThing(tx, 'statusTemplate', row, 'put', fields);
}

/** Takes the mark from the default template, so that another can have it. */
export function unmarkDefault(tx: Tx, workspaceId: string, now: Instant): void {
  const marked = findDefaultTemplate(tx, workspaceId);
  if (marked) saveTemplate(tx, { ...marked, is_default: 0, updated_at: now });
}

/** Whether a list has the template. */
export const isInUse = (db: Db, workspaceId: string, id: string): boolean =>
  db.one(
    query
      .selectFrom('lists')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('status_template_id', '=', id)
      .limit(1),
  ) !== undefined;

export function deleteTemplate(tx: Tx, workspaceId: string, id: string): void {
  tx.run(query.deleteFrom('status_templates').where('workspace_id', '=', workspaceId).where('id', '=', id));
  recordThing(tx, 'statusTemplate', { id, workspace_id: workspaceId }, 'delete');
}

/** Records that the statuses of a template changed, which its lists show as well. */
export function recordStatuses(tx: Tx, workspaceId: string, templateId: string): void {
  recordThing(tx, 'statusTemplate', { id: templateId, workspace_id: workspaceId }, 'put', { statuses: true });
  recordListsOf(tx, workspaceId, templateId);
}

/** Within a statement, the keys of the statuses of open tasks. */
export const openStatusKeys = (workspaceId: string) =>
  query
    .selectFrom('statuses')
    .select('code')
    .where('workspace_id', '=', workspaceId)
    .where('type', 'in', ['unstarted', 'started']);

export const insertStatus = (db: Db, workspaceId: string, templateId: string, status: Status) =>
  db.run(
    query.insertInto('statuses').values({ ...status, workspace_id: workspaceId, template_id: templateId }),
  );

export const saveStatus = (db: Db, workspaceId: string, { id, ...fields }: Status) =>
  db.run(
    query.updateTable('statuses').set(fields).where('workspace_id', '=', workspaceId).where('id', '=', id),
  );

export const deleteStatus = (db: Db, workspaceId: string, id: string) =>
  db.run(query.deleteFrom('statuses').where('workspace_id', '=', workspaceId).where('id', '=', id));
