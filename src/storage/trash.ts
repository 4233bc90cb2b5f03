import { type Db, query, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { TrashEntry } from '../trash/schema.ts';
import { userIdOf } from './changes.ts';
import { scheduleErasure } from './erasure.ts';
import { readPage } from './read-page.ts';
import { ROW_BYTES, TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import type { TrashedRow, TrashRow } from './tables.ts';

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

/** A thing as the trash keeps it. */
export interface Packed extends Pick<TrashedRow, 'id' | 'bytes'> {
  series_id?: string | null;
  content: unknown;
}

/** Keeps things of one kind in an entry. */
export function insertPacked(
  tx: Tx,
  { code, workspace_code }: StoredEntry,
  kind: TrashedRow['kind'],
  things: readonly Packed[],
): void {
  if (things.length === 0) return;
  const rows = things.map((thing) => ({ ...thing, content: JSON.stringify(thing.content) }));
  tx.run(
    statement(
      `insert into trash_rows (entry_code, workspace_code, kind, id, series_id, bytes, content)
        select ?, ?, ?, value ->> '$.id', value ->> '$.series_id', value ->> '$.bytes', value ->> '$.content'
          from json_each(?)`,
      [code, workspace_code, kind, JSON.stringify(rows)],
    ),
  );
}

/** Notes ids of items, or keys of people who are mentioned, beside the rows that hold them. */
export function insertBeside(
  tx: Tx,
  table: 'trash_items' | 'trash_mentions',
  values: readonly { id: string; value: string | number }[],
): void {
  if (values.length === 0) return;
  const column = table === 'trash_items' ? 'id' : 'user_code';
  tx.run(
    statement(
      `insert or ignore into ${table} (${column}, row_code)
        select value ->> '$.value', code from json_each(?) as given
          join trash_rows on trash_rows.id = given.value ->> '$.id'`,
      [JSON.stringify(values)],
    ),
  );
}

export type StoredPacked = TrashedRow & { code: number };

/** An item is a row of its own too: that takes as long as so much of text. */
const BYTES_OF_ITEM = 400;
const PACKED_BYTES = `octet_length(content) + ${BYTES_OF_ITEM} * (select count(*) from trash_items where row_code = trash_rows.code)`;

/** The next things of a kind in an entry, no more than `limit` and than a step may weigh, but one at least. */
export function nextPacked(
  db: Db,
  { code }: StoredEntry,
  kind: TrashedRow['kind'],
  limit: number,
): StoredPacked[] {
  const sizes = db.all(
    statement<{ code: number; bytes: number }>(
      `select code, ${PACKED_BYTES} as bytes from trash_rows
        where entry_code = ? and kind = ? order by code limit ?`,
      [code, kind, limit],
    ),
  );
  const some = withinStep(sizes);
  return db.all(
    statement<StoredPacked>(
      'select * from trash_rows where code in (select value from json_each(?)) order by code',
      [JSON.stringify(some.map((row) => row.code))],
    ),
  );
}

/** Whether a series is there or in the trash. */
export const isSeries = (db: Db, id: string): boolean =>
  db.one(
    statement(
      `select 1 from recurring_series where id = ? union all select 1 from trash_rows where id = ? and kind = 'series'`,
      [id, id],
    ),
  ) !== undefined;

/** A thing of an entry, by its own id. */
export const findPacked = (db: Db, { code }: StoredEntry, id: string): StoredPacked | undefined =>
  db.one(statement<StoredPacked>('select * from trash_rows where id = ? and entry_code = ?', [id, code]));

/** How long the texts are of a task, how much its comments weigh, which go with it, and how long its series' template is. */
interface TextBytes {
  bytes: number;
  said: number;
  template: number;
}

/** Of the tasks that have these ids; of one in the trash its own texts alone. */
export function findTextBytes(
  db: Db,
  workspaceKey: number,
  ids: readonly unknown[],
): ReadonlyMap<unknown, TextBytes> {
  const found = db.all(
    statement<TextBytes & { id: string }>(
      `with given as (select value as id from json_each(?) where type = 'text')
        select id, ${TEMPLATE_BYTES} as bytes, more_bytes + comment_count * ? as said,
            ifnull((select ${TEMPLATE_BYTES} from recurring_series where id = tasks.recurring_task_id), 0) as template
          from tasks where +workspace_code = ? and id in (select id from given)
        union all select id, bytes, 0, 0 from trash_rows
          where +workspace_code = ? and id in (select id from given)`,
      [JSON.stringify(ids), ROW_BYTES, workspaceKey, workspaceKey],
    ),
  );
  return new Map(found.map(({ id, ...text }) => [id, text]));
}

/** Of the things of one kind in an entry, in order, those after a key. */
export const packedAfter = (
  db: Db,
  { code }: StoredEntry,
  kind: TrashedRow['kind'],
  after: number,
  limit: number,
): StoredPacked[] =>
  db.all(
    statement<StoredPacked>(
      'select * from trash_rows where entry_code = ? and kind = ? and code > ? order by code limit ?',
      [code, kind, after, limit],
    ),
  );

export const deletePacked = (tx: Tx, rows: readonly Pick<StoredPacked, 'code'>[]) =>
  tx.run(
    statement('delete from trash_rows where code in (select value from json_each(?))', [
      JSON.stringify(rows.map(({ code }) => code)),
    ]),
  );

/** Deletes some of the things in the trash that `where` finds; returns how many, or `most` where more are left. */
export function deleteSomePacked(tx: Tx, where: string, argument: string | number, most: number): number {
  const found = tx.all(
    statement<{ code: number; bytes: number }>(
      `select code, ${PACKED_BYTES} as bytes from trash_rows where ${where} limit ?`,
      [argument, most],
    ),
  );
  const some = withinStep(found);
  deletePacked(tx, some);
  return some.length < found.length ? most : found.length;
}

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

/** What an entry holds of what was decided about occurrences of a series. */
export const packedOccurrencesOf = (
  db: Db,
  { code }: StoredEntry,
  seriesId: string,
): Pick<StoredPacked, 'content'>[] =>
  db.all(
    statement<Pick<StoredPacked, 'content'>>(
      `select content from trash_rows where entry_code = ? and kind = 'occurrences' and series_id = ? order by code`,
      [code, seriesId],
    ),
  );

/** Whether an entry holds what was decided about occurrences of a series. */
export const holdsOccurrencesOf = (db: Db, { code }: StoredEntry, seriesId: string): boolean =>
  db.one(
    statement(
      `select 1 from trash_rows where series_id = ? and entry_code = ? and kind = 'occurrences' limit 1`,
      [seriesId, code],
    ),
  ) !== undefined;

const INSTANCE_BATCH_SIZE = 200;

/** Hands the instances in the trash from a number on to another series, which counts them from 1; some in each step. */
export function* moveTrashedInstances(tx: Tx, from: string, to: string, firstNumber: number): Steps<void> {
  const number = `content ->> '$.row.occurrence_number'`;
  for (;;) {
    const moved = tx.run(
      statement(
        `update trash_rows set series_id = ?, content = json_set(content, '$.row.recurring_task_id', ?,
            '$.row.occurrence_number', (${number}) - ?)
          where code in (select code from trash_rows
            where series_id = ? and kind = 'task' and (${number}) >= ? limit ?)`,
        [to, to, firstNumber - 1, from, firstNumber, INSTANCE_BATCH_SIZE],
      ),
    );
    if (moved < INSTANCE_BATCH_SIZE) return;
    yield;
  }
}
