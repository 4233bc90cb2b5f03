import { type Db, query } from '../db/connection.ts';
import { readPage } from '../db/read-page.ts';
import type { StatusTemplateRow } from '../db/tables.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Status, StatusTemplate } from './schema.ts';
import { statusesOf } from './store.ts';

export const templateOf = (row: StatusTemplateRow, statuses: Status[]): StatusTemplate => ({
  id: row.id,
  workspaceId: row.workspace_id,
  title: row.title,
  isDefault: row.is_default === 1,
  statuses,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function listTemplates(db: Db, workspaceId: string, page: PageRequest): Page<StatusTemplate> {
  const templates = query.selectFrom('status_templates').selectAll().where('workspace_id', '=', workspaceId);
  return readPage(db, page, templates.orderBy('created_at').orderBy('id'), (row) =>
    templateOf(row, statusesOf(db, workspaceId, row.id)),
  );
}

export const findTemplate = (db: Db, workspaceId: string, id: string) =>
  db.one(
    query
      .selectFrom('status_templates')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id),
  );

export const findDefaultTemplate = (db: Db, workspaceId: string) =>
  db.one(
    query
      .selectFrom('status_templates')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('is_default', '=', 1),
  );

export const insertTemplate = (db: Db, row: StatusTemplateRow) =>
  db.run(query.insertInto('status_templates').values(row));

export const saveTemplate = (db: Db, { id, workspace_id, ...fields }: StatusTemplateRow) =>
  db.run(
    query
      .updateTable('status_templates')
      .set(fields)
      .where('workspace_id', '=', workspace_id)
      .where('id', '=', id),
  );

/** Takes the mark from the default template, so that another can have it. */
export const unmarkDefault = (db: Db, workspaceId: string, now: Instant) =>
  db.run(
    query
      .updateTable('status_templates')
      .set({ is_default: 0, updated_at: now })
      .where('workspace_id', '=', workspaceId)
      .where('is_default', '=', 1),
  );

export const isInUse = (db: Db, workspaceId: string, id: string): boolean =>
  db.one(
    query
      .selectFrom('lists')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('status_template_id', '=', id)
      .limit(1),
  ) !== undefined;

export const deleteTemplate = (db: Db, workspaceId: string, id: string) =>
  db.run(query.deleteFrom('status_templates').where('workspace_id', '=', workspaceId).where('id', '=', id));

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
