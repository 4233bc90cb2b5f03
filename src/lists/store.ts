import { type Db, prepared, query } from '../db/connection.ts';
import type { ListRow, SpaceRow, StatusRow } from '../db/tables.ts';
import { offsetOf, type PageRequest } from '../kernel/page.ts';
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

export const listOf = (row: ListRow, statuses: Status[]): List => ({
  id: row.id,
  workspaceId: row.workspace_id,
  spaceId: row.space_id,
  title: row.title,
  statusTemplateId: row.status_template_id,
  statuses,
  position: row.position,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const statusOf = (row: StatusRow): Status => ({
  id: row.id,
  title: row.title,
  type: row.type,
  color: row.color,
  position: row.position,
});

export function listSpaces(db: Db, workspaceId: string, page: PageRequest) {
  const spaces = query.selectFrom('spaces').where('workspace_id', '=', workspaceId);
  const total = db.one(spaces.select(({ fn }) => fn.countAll<number>().as('total')))?.total ?? 0;
  const rows = db.all(
    spaces.selectAll().orderBy('position').orderBy('id').limit(page.limit).offset(offsetOf(page)),
  );
  return { total, items: rows.map(spaceOf) };
}

export const findSpace = (db: Db, workspaceId: string, id: string) =>
  db.one(query.selectFrom('spaces').selectAll().where('workspace_id', '=', workspaceId).where('id', '=', id));

/** The position of the workspace's last space. */
export const lastSpacePosition = (db: Db, workspaceId: string) =>
  db.one(
    query
      .selectFrom('spaces')
      .select('position')
      .where('workspace_id', '=', workspaceId)
      .orderBy('position', 'desc')
      .limit(1),
  )?.position;

export const insertSpace = (db: Db, row: SpaceRow) => db.run(query.insertInto('spaces').values(row));

export const saveSpace = (db: Db, { id, workspace_id, ...fields }: SpaceRow) =>
  db.run(
    query.updateTable('spaces').set(fields).where('workspace_id', '=', workspace_id).where('id', '=', id),
  );

export function pageOfLists(
  db: Db,
  workspaceId: string,
  only: { spaceId?: string | undefined },
  page: PageRequest,
) {
  let lists = query.selectFrom('lists').where('workspace_id', '=', workspaceId);
  if (only.spaceId !== undefined) lists = lists.where('space_id', '=', only.spaceId);
  const total = db.one(lists.select(({ fn }) => fn.countAll<number>().as('total')))?.total ?? 0;
  const rows = db.all(
    lists.selectAll().orderBy('position').orderBy('id').limit(page.limit).offset(offsetOf(page)),
  );
  const statuses = new Map(
    [...new Set(rows.map((row) => row.status_template_id))].map((id) => [
      id,
      statusesOf(db, workspaceId, id),
    ]),
  );
  return { total, items: rows.map((row) => listOf(row, statuses.get(row.status_template_id) ?? [])) };
}

const listById = prepared<{ workspaceId: string; id: string }, ListRow>((argument) =>
  query
    .selectFrom('lists')
    .selectAll()
    .where('id', '=', argument('id'))
    .where('workspace_id', '=', argument('workspaceId')),
);

export const findList = (db: Db, workspaceId: string, id: string) => db.one(listById({ workspaceId, id }));

const statusesByTemplate = prepared<{ workspaceId: string; templateId: string }, StatusRow>((argument) =>
  query
    .selectFrom('statuses')
    .selectAll()
    .where('template_id', '=', argument('templateId'))
    .where('workspace_id', '=', argument('workspaceId'))
    .orderBy('position')
    .orderBy('id'),
);

/** The statuses of a template, in order. */
export const statusesOf = (db: Db, workspaceId: string, templateId: string): Status[] =>
  db.all(statusesByTemplate({ workspaceId, templateId })).map(statusOf);

/** The position of the space's last list. */
export const lastListPosition = (db: Db, workspaceId: string, spaceId: string) =>
  db.one(
    query
      .selectFrom('lists')
      .select('position')
      .where('workspace_id', '=', workspaceId)
      .where('space_id', '=', spaceId)
      .orderBy('position', 'desc')
      .limit(1),
  )?.position;

export const insertList = (db: Db, row: ListRow) => db.run(query.insertInto('lists').values(row));

export const saveList = (db: Db, { id, workspace_id, ...fields }: ListRow) =>
  db.run(
    query.updateTable('lists').set(fields).where('workspace_id', '=', workspace_id).where('id', '=', id),
  );
