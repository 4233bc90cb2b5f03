import { type Db, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { deletionOf } from './delete-rows.ts';

/** What has ids, which are unique over all of it, or had them: those of the trash and of what was deleted lately too. */
const KINDS = [
  'tasks',
  'recurring_series',
  'lists',
  'spaces',
  'labels',
  'comments',
  'workspaces',
  'users',
  'status_templates',
  'statuses',
  'trash_rows',
  'deleted_ids',
];
const TAKEN = `
  with asked (id) as (select value from json_each(?))
  select asked.id from asked join checklist_items as item on item.id = asked.id
    join tasks as task on task.seq = item.task_seq
    where task.recurring_task_id is null or task.recurring_task_id is not ?
  union select asked.id from asked join series_checklist_items as item on item.id = asked.id
    where item.series_id is not ?
  union select asked.id from asked join trash_items as item on item.id = asked.id
    join trash_rows as row on row.code = item.row_code
    where row.series_id is null or row.series_id is not ?
  ${KINDS.map((table) => `union select asked.id from asked join ${table} on ${table}.id = asked.id`).join('\n  ')}`;

/** Those of the ids that nothing new may have; but for new items of a checklist those of the same series. */
export const takenIds = (db: Db, ids: readonly string[], seriesId: string | null = null): Set<string> => {
  const asked = [JSON.stringify(ids), seriesId, seriesId, seriesId];
  return new Set(db.all(statement<{ id: string }>(TAKEN, asked)).map(({ id }) => id));
};

/** Whether something is gone without a note of when. */
export const hasUndatedDeletions = (db: Db): boolean =>
  db.one(statement('select 1 from deleted_ids where deleted_at is null limit 1', [])) !== undefined;

/** Notes for at most so many ids that they are gone since now; returns how many. */
export const dateDeletions = (db: Db, now: Instant, most: number): number =>
  db.run(
    statement(
      `update deleted_ids set deleted_at = ?
        where id in (select id from deleted_ids where deleted_at is null limit ?)`,
      [now, most],
    ),
  );

/** Whether ids are remembered that were gone before `until`. */
export const hasDeletionsBefore = (db: Db, until: Instant): boolean =>
  db.one(statement('select 1 from deleted_ids where deleted_at < ? limit 1', [until])) !== undefined;

const EXPIRED = deletionOf('deleted_ids', 'deleted_at < ?', 'id');

/** Purges at most so many ids that were gone before an instant; returns how many. */
export const purgeDeletions = (tx: Tx, until: Instant, most: number) => tx.run(EXPIRED(until, most));
