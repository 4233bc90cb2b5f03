import { sql } from 'kysely';
import { type Db, prepared, query } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { List, Space, Status } from '../lists/schema.ts';
import { readPage } from './read-page.ts';
import { RAISED, recordThing, withChanges } from './record.ts';
import type { ListRow, SpaceRow } from './tables.ts';

export const spaceOf = (row: SpaceRow): Space => ({
  id: row.id,
  workspaceId: row.workspace_id,
  title: row.title,
  description: row.description,
  position: row.position,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
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
  version: row.version,
});

const spacesOf = (workspaceId: string) =>
  query.selectFrom('spaces').selectAll().where('workspace_id', '=', workspaceId).where('in_transit', '=', 0);

export const listSpaces = (db: Db, workspaceId: string, page: PageRequest): Page<Space> =>
  readPage(db, page, spacesOf(workspaceId).orderBy('position').orderBy('id'), spaceOf);

export const findSpace = (db: Db, workspaceId: string, id: string) =>
  db.one(spacesOf(workspaceId).where('id', '=', id));

/** The position of the workspace's last space. */
export const lastSpacePosition = (db: Db, workspaceId: string) =>
  db.one(
    query
      .selectFrom('spaces')
      .select(({ fn }) => fn.max('position').as('position'))
      .where('workspace_id', '=', workspaceId),
  )?.position;

export function insertSpace(tx: Tx, row: SpaceRow): void {
  tx.run(query.insertInto('spaces').values(row));
  recordThing(tx, 'space', row, 'put');
}

/** Stores what a space has become and returns it. */
export function saveSpace(tx: Tx, row: SpaceRow): SpaceRow {
  const { title, description, position, updated_at } = row;
  const fields = { title, description, position };
  tx.run(
    query
      .updateTable('spaces')
      .set({ ...fields, updated_at, version: RAISED })
      .where('workspace_id', '=', row.workspace_id)
      .where('id', '=', row.id),
  );
  recordThing(tx, 'space', row, 'put', fields);
  return withChanges(row, fields);
}

const listsOf = (workspaceId: string) =>
  query.selectFrom('lists').selectAll().where('workspace_id', '=', workspaceId);

export function listLists(
  db: Db,
  workspaceId: string,
  only: { spaceId?: string | undefined },
  page: PageRequest,
): Page<List> {
  let lists = listsOf(workspaceId).where('in_transit', '=', 0);
  if (only.spaceId !== undefined) lists = lists.where('space_id', '=', only.spaceId);
  return readPage(db, page, lists.orderBy('position').orderBy('id'), (row) => listOf(db, row));
}

/** The lists of a space, in order. */
export const listsOfSpace = (db: Db, workspaceId: string, spaceId: string): List[] =>
  db
    .all(listsOf(workspaceId).where('space_id', '=', spaceId).orderBy('position').orderBy('id'))
    .map((row) => listOf(db, row));

const listById = prepared<{ workspaceId: string; id: string }, ListRow>((argument) =>
  query
    .selectFrom('lists')
    .selectAll()
    .where('id', '=', argument('id'))
    .where('workspace_id', '=', argument('workspaceId'))
    .where('in_transit', '=', sql.lit(0)),
);

/** A list that is not on its way into the trash or out of it. */
export const findList = (db: Db, workspaceId: string, id: string) =>
  db.cached(listById({ workspaceId, id }))[0];

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
  ...db.cached(statusesByTemplate({ workspaceId, templateId })),
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

export function insertList(tx: Tx, row: ListRow): void {
  tx.run(query.insertInto('lists').values(row));
  recordThing(tx, 'list', row, 'put');
}

/** Stores what a list has become and returns it. */
export function saveList(tx: Tx, row: ListRow): ListRow {
  const { title, position, space_id, status_template_id, updated_at } = row;
  const fields = { title, position, space_id, status_template_id };
  tx.run(
    query
      .updateTable('lists')
      .set({ ...fields, updated_at, version: RAISED })
      .where('workspace_id', '=', row.workspace_id)
      .where('id', '=', row.id),
  );
  recordThing(tx, 'list', row, 'put', fields);
  return withChanges(row, fields);
}

/** Raises and records the lists of a template whose statuses changed. */
export function recordListsOf(tx: Tx, workspaceId: string, templateId: string): void {
  const lists = query
    .updateTable('lists')
    .set({ version: RAISED })
    .where('workspace_id', '=', workspaceId)
    .where('status_template_id', '=', templateId)
    .returning(['id', 'workspace_id']);
  for (const list of tx.all(lists)) recordThing(tx, 'list', list, 'put', { statuses: true });
}
