import { type Db, prepared, query } from '../db/connection.ts';
import { readPage } from '../db/read-page.ts';
import type { ListRow, SpaceRow } from '../db/tables.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { List, Space, Status } from './schema.ts';

export const spaceOf = (row: SpaceRow): Space => ({
  id: row.id,
  workspaceId: row.workspace_id,
  title: row.title,
  description: row.description,
  position: row.position,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const listOf = (db: Db, row: ListRow): List => ({
  id: row.id,
  workspaceId: row.workspace_id,
  spaceId: row.space_id,
  title: row.title,
  statusTemplateId: row.status_template_id,
  statuses: statusesOf(db, row.workspace_id, row.status_template_id),
  position: row.position,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export function listSpaces(db: Db, workspaceId: string, page: PageRequest): Page<Space> {
  const spaces = query.selectFrom('spaces').selectAll().where('workspace_id', '=', workspaceId);
  return readPage(db, page, spaces.orderBy('position').orderBy('id'), spaceOf);
}

export const findSpace = (db: Db, workspaceId: string, id: string) =>
  db.one(query.selectFrom('spaces').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id));

/** The position of the workspace's last space. */
export const lastSpacePosition = (db: Db, workspaceId: string) =>
  db.one(
    query
      .selectFrom('spaces')
      .select(({ fn }) => fn.max('position').as('position'))
      .where('workspace_id', '=', workspaceId),
  )?.position;

export const insertSpace = (db: Db, row: SpaceRow) => db.run(query.insertInto('spaces').values(row));

export const saveSpace = (db: Db, { id, workspace_id, ...fields }: SpaceRow) =>
  db.run(
    query.updateTable('spaces').set(fields).where('workspace_id', '=', workspace_id).where('id', '=', id),
  );

export function listLists(
  db: Db,
  workspaceId: string,
  only: { spaceId?: string | undefined },
  page: PageRequest,
): Page<List> {
  let lists = query.selectFrom('lists').selectAll().where('workspace_id', '=', workspaceId);
  if (only.spaceId !== undefined) lists = lists.where('space_id', '=', only.spaceId);
  return readPage(db, page, lists.orderBy('position').orderBy('id'), (row) => listOf(db, row));
}

const listById = prepared<{ workspaceId: string; id: string }, ListRow>((argument) =>
  query
    .selectFrom('lists')
    .selectAll()
    .where('id', '=', argument('id'))
    .where('workspace_id', '=', argument('workspaceId')),
);

export const findList = (db: Db, workspaceId: string, id: string) =>
  db.recall(listById({ workspaceId, id }))[0];

const statusesByTemplate = prepared<{ workspaceId: string; templateId: string }, Status>((argument) =>
  query
    .selectFrom('statuses')
    .select(['id', 'title', 'type', 'color', 'position'])
    .where('template_id', '=', argument('templateId'))
    .where('workspace_id', '=', argument('workspaceId'))
    .orderBy('position')
    .orderBy('id'),
);

/** The statuses of a template, in order. */
export const statusesOf = (db: Db, workspaceId: string, templateId: string): Status[] => [
  ...db.recall(statusesByTemplate({ workspaceId, templateId })),
];

/** The position of the space's last list. */
export const lastListPosition = (db: Db, workspaceId: string, spaceId: string) =>
  db.one(
    query
      .selectFrom('lists')
      .select(({ fn }) => fn.max('position').as('position'))
      .where('workspace_id', '=', workspaceId)
      .where('space_id', '=', spaceId),
  )?.position;

export const insertList = (db: Db, row: ListRow) => db.run(query.insertInto('lists').values(row));

export const saveList = (db: Db, row: ListRow) => {
  const { title, position, space_id, status_template_id, updated_at } = row;
  return db.run(
    query
      .updateTable('lists')
      .set({ title, position, space_id, status_template_id, updated_at })
      .where('workspace_id', '=', row.workspace_id)
      .where('id', '=', row.id),
  );
};
