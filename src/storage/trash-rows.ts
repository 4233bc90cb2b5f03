import { type Db, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import { deleteRows } from './delete-rows.ts';
import { keysIn } from './long-texts.ts';
import { ROW_BYTES, TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import type { TrashedRow } from './tables.ts';

/** A thing as the trash keeps it. */
export interface Packed extends Pick<TrashedRow, 'id' | 'bytes'> {
  series_id?: string | null;
  content: unknown;
}

/** Keeps things of one kind in an entry. */
export function insertPacked(
  tx: Tx,
  { code, workspace_code }: Pick<TrashedRow, 'workspace_code'> & { code: number },
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
  { code }: { code: number },
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
      [keysIn(some, 'code')],
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
export const findPacked = (db: Db, { code }: { code: number }, id: string): StoredPacked | undefined =>
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
  { code }: { code: number },
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
  deleteRows(tx, 'trash_rows', rows, 'code');

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

/** What an entry holds of what was decided about occurrences of a series. */
export const packedOccurrencesOf = (
  db: Db,
  { code }: { code: number },
  seriesId: string,
): Pick<StoredPacked, 'content'>[] =>
  db.all(
    statement<Pick<StoredPacked, 'content'>>(
      `select content from trash_rows where entry_code = ? and kind = 'occurrences' and series_id = ? order by code`,
      [code, seriesId],
    ),
  );

/** Whether an entry holds what was decided about occurrences of a series. */
export const holdsOccurrencesOf = (db: Db, { code }: { code: number }, seriesId: string): boolean =>
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
