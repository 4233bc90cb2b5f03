import { type Db, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { TrashEntry } from '../trash/schema.ts';
import { userIdOf } from './changes.ts';
import { scheduleErasure } from './erasure.ts';
import { readPage } from './read-page.ts';
import type { TrashRow } from './tables.ts';
import { deleteSomePacked } from './trash-rows.ts';

const PURGE_BATCH_SIZE = 100;

export type StoredEntry = TrashRow & { code: number };

export const entryOf = (db: Db, row: TrashRow): TrashEntry => ({
  id: row.id,
  kind: row.kind,
  title: row.title,
  deletedAt: row.deleted_at,
  deletedBy: row.deleted_by === null ? null : userIdOf(db, row.deleted_by),
  purgeAt: row.purge_at,
  itemCount: row.item_count,
});

const inWorkspace = (workspaceKey: number) =>
  query
    .selectFrom('trash')
    .selectAll()
    .where('workspace_code', '=', workspaceKey)
    .where('state', '<>', 'purging');

/** What can be restored in a workspace, the newest first. */
export function listTrash(db: Db, workspaceKey: number, page: PageRequest): Page<TrashEntry> {
  const newestFirst = inWorkspace(workspaceKey).orderBy('deleted_at', 'desc').orderBy('code', 'desc');
  return readPage(db, page, newestFirst, (row) => entryOf(db, row));
}

/** An entry of the workspace, unless it is on its way out for good. */
export const findEntry = (db: Db, workspaceKey: number, id: string): StoredEntry | undefined =>
  db.one(inWorkspace(workspaceKey).where('id', '=', id));

/** Whether the trash holds the thing with that id, in an entry of its own or with others. */
export const isInTrash = (db: Db, workspaceKey: number, id: string): boolean =>
  db.one(statement('select 1 from trash_rows where id = ? and workspace_code = ?', [id, workspaceKey])) !==
  undefined;

/** The entry with that key as it is by now. */
export const findEntryByKey = (db: Db, code: number): StoredEntry | undefined =>
  db.one(query.selectFrom('trash').selectAll().where('code', '=', code));

/** Those of a workspace that are on their way into the trash or out of it. */
export const entriesOnTheirWay = (db: Db, workspaceKey: number): StoredEntry[] =>
  db.all(inWorkspace(workspaceKey).where('state', '<>', 'kept'));

/** Those that are going somewhere in steps. */
export const entriesInSteps = (db: Db): StoredEntry[] =>
  db.all(statement<StoredEntry>(`select * from trash where state <> 'kept' order by code`, []));

/** When something was moved into the trash last. */
export const lastDeletion = (db: Db): Instant | undefined =>
  db.one(statement<{ at: Instant | null }>('select max(deleted_at) as at from trash', []))?.at ?? undefined;

/** What all trash holds, and when the oldest of it was deleted. */
export const sizeOfTrash = (
  db: Db,
): { entries: number; rows: number; bytes: number; oldest: Instant | null } =>
  db.one(
    statement(
      `select count(*) as entries, min(deleted_at) as oldest,
          (select ifnull(sum(n), 0) from trash_counts) as rows,
          (select ifnull(sum(bytes), 0) from trash_counts) as bytes
        from trash`,
      [],
    ),
  ) ?? { entries: 0, rows: 0, bytes: 0, oldest: null };

export function insertEntry(tx: Tx, row: TrashRow): StoredEntry {
  return { ...row, code: tx.insert(query.insertInto('trash').values(row)) };
}

/** Says where an entry is going, or that it is there. */
export const saveEntryState = (
  tx: Tx,
  { code }: StoredEntry,
  changes: Partial<Pick<TrashRow, 'state' | 'item_count' | 'place_id'>>,
) => tx.run(query.updateTable('trash').set(changes).where('code', '=', code));

/** One entry, those of a workspace, or those that have been there for long enough. */
type Which = 'code = ?' | 'workspace_code = ?' | 'purge_at <= ?';

/** Has some entries go for good, apart from those that an import is still adding to; returns whether more are to. */
export const expireSome = (tx: Tx, which: Which, argument: string | number): boolean =>
  tx.run(
    statement(
      `update trash set state = 'purging' where code in (
        select code from trash where ${which} and state = 'kept' and workspace_code not in (
          select code from workspaces join imports on imports.workspace_id = workspaces.id) limit ?)`,
      [argument, PURGE_BATCH_SIZE],
    ),
  ) === PURGE_BATCH_SIZE;

/** Deletes an entry that holds nothing any more. */
export const deleteEntry = (tx: Tx, { code }: StoredEntry) =>
  tx.run(query.deleteFrom('trash').where('code', '=', code));

/** Deletes some of the entries that are to go for good, or some of what they hold; returns whether more of them are left. */
export function purgeSome(tx: Tx, which: Which, argument: string | number): boolean {
  const found = tx.all(
    statement<{ code: number }>(`select code from trash where ${which} and state = 'purging' limit ?`, [
      argument,
      PURGE_BATCH_SIZE,
    ]),
  );
  if (found.length === 0) return false;
  scheduleErasure(tx, 'log');
  const codes = JSON.stringify(found.map(({ code }) => code));
  const among = 'in (select value from json_each(?))';
  const rows = deleteSomePacked(tx, `entry_code ${among}`, codes, PURGE_BATCH_SIZE);
  if (rows === PURGE_BATCH_SIZE) return true;
  tx.run(statement(`delete from trash where code ${among}`, [codes]));
  return found.length === PURGE_BATCH_SIZE;
}
