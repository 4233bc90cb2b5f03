import { type Db, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import { deleteRows, deletionOf } from './delete-rows.ts';
import { scheduleErasure } from './erasure.ts';
import { keysIn } from './long-texts.ts';
import { OCCURRENCE_KEY } from './occurrences.ts';
import { recordThing } from './record.ts';
import { deleteSomeSeries } from './series.ts';
import { TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import type {
  ListRow,
  RecurringOccurrenceRow,
  RecurringSeriesRow,
  SeriesStepRow,
  SpaceRow,
} from './tables.ts';
import { releaseSome } from './tasks.ts';
import { checklistOf } from './template-fields.ts';
import { type StoredEntry, saveEntryState } from './trash.ts';
import { type PackedRow, packRow, packSomeTasks } from './trash-contents.ts';
import { insertBeside, insertPacked } from './trash-rows.ts';

/** What a step moves at most: a few milliseconds, while nothing else is served. */
export const BATCH_SIZE = 64;
const OCCURRENCE_BATCH_SIZE = 500;
/** A step that copies no text copies so many. */
const BYTES_OF_OCCURRENCE = 300;

/** The lists that an entry takes along, by its id. */
const LISTS_OF: Record<'list' | 'space', string> = { list: 'id = ?', space: 'space_id = ?' };
export const listsOf = ({ kind }: StoredEntry) =>
  `(select id from lists where ${LISTS_OF[kind === 'space' ? 'space' : 'list']})`;

/** With what made it advance, but for series that went into the trash before that was kept. */
export type PackedSeries = PackedRow & { steps?: SeriesStepRow[] };

type Whole = ListRow & { code: number };

/** A list as it is, also on its way. */
export const findWhole = (db: Db, workspaceId: string, id: string): Whole | undefined =>
  db.one(statement<Whole>('select * from lists where workspace_id = ? and id = ?', [workspaceId, id]));

/** How many tasks an entry takes along. */
export const countTasksIn = (db: Db, kind: 'list' | 'space', id: string): number =>
  db.one(
    statement<{ n: number }>(
      `select ifnull(sum(n), 0) as n from task_counts where field = 'list'
        and workspace_code = (select workspaces.code from ${kind}s as whole
          join workspaces on workspaces.id = workspace_id where whole.id = ?)
        and value in (select code from lists where ${LISTS_OF[kind]})`,
      [id, id],
    ),
  )?.n ?? 0;

/** The entry that takes lists of a space somewhere, in steps. */
export const entryWithin = (db: Db, spaceId: string): StoredEntry | undefined =>
  db.one(
    statement<StoredEntry>(
      `select trash.* from trash where state <> 'kept' and kind = 'list'
        and id in (select id from lists where space_id = ? and in_transit = 1) limit 1`,
      [spaceId],
    ),
  );

/** Hides a list or space with its lists while it is on its way, or shows it again. */
export function setInTransit(tx: Tx, entry: StoredEntry, inTransit: 0 | 1): void {
  tx.run(statement(`update lists set in_transit = ? where id in ${listsOf(entry)}`, [inTransit, entry.id]));
  if (entry.kind === 'space') {
    tx.run(statement('update spaces set in_transit = ? where id = ?', [inTransit, entry.id]));
  }
}

/** Records that a list or space is gone, with all that was in it. */
export function recordGone(tx: Tx, entry: StoredEntry, workspace_id: string): void {
  const lists = statement<{ id: string }>(`select id from lists where id in ${listsOf(entry)}`, [entry.id]);
  for (const { id } of tx.all(lists)) recordThing(tx, 'list', { id, workspace_id }, 'delete');
  if (entry.kind === 'space') recordThing(tx, 'space', { id: entry.id, workspace_id }, 'delete');
}

/** Moves some of a list or space into its entry; false once all of it is there. */
export function packSome(tx: Tx, entry: StoredEntry): boolean {
  if (packSeries(tx, entry) || packSomeTasks(tx, entry) || releaseTasks(tx, entry)) return true;
  if (deleteSeries(tx, entry)) return true;
  return packLists(tx, entry);
}

/** Copies series with their occurrences; they are deleted once their tasks are gone, which would change them. */
function packSeries(tx: Tx, entry: StoredEntry): boolean {
  const found = tx.all(
    statement<{ id: string; bytes: number }>(
      `select id, ${TEMPLATE_BYTES} + ${BYTES_OF_OCCURRENCE} *
            (select count(*) from recurring_occurrences where series_id = recurring_series.id) as bytes
        from recurring_series where list_id in ${listsOf(entry)}
          and id not in (select id from trash_rows where entry_code = ? and kind = 'series') limit ?`,
      [entry.id, entry.code, BATCH_SIZE],
    ),
  );
  const some = tx.all(
    statement<RecurringSeriesRow>(
      'select * from recurring_series where id in (select value from json_each(?))',
      [keysIn(withinStep(found), 'id')],
    ),
  );
  for (const row of some) {
    const occurrences = tx.all(
      statement<RecurringOccurrenceRow>('select * from recurring_occurrences where series_id = ?', [row.id]),
    );
    for (let done = 0; done < occurrences.length; done += OCCURRENCE_BATCH_SIZE) {
      const content = occurrences.slice(done, done + OCCURRENCE_BATCH_SIZE);
      insertPacked(tx, entry, 'occurrences', [{ id: null, series_id: row.id, bytes: 0, content }]);
    }
    const items = checklistOf(row);
    const bytes = bytesOfText(row.title, row.description, ...items.map(({ title }) => title));
    const steps = tx.all(
      statement<SeriesStepRow>('select * from series_steps where series_id = ?', [row.id]),
    );
    const content: PackedSeries = { ...packRow(tx, row.workspace_id, row), steps };
    insertPacked(tx, entry, 'series', [{ id: row.id, series_id: row.id, bytes, content }]);
    insertBeside(
      tx,
      'trash_items',
      items.map((item) => ({ id: row.id, value: item.id })),
    );
  }
  return some.length > 0;
}

/** Tasks in other lists are no instances while their series is in the trash. */
const releaseTasks = (tx: Tx, entry: StoredEntry): boolean =>
  releaseSome(tx, `list_id in ${listsOf(entry)}`, entry.id, BATCH_SIZE) > 0;

function deleteSeries(tx: Tx, entry: StoredEntry): boolean {
  const theirs = `list_id in ${listsOf(entry)}`;
  const decided = `series_id in (select id from recurring_series where ${theirs})`;
  const deletion = deletionOf('recurring_occurrences', decided, OCCURRENCE_KEY);
  if (tx.run(deletion(entry.id, OCCURRENCE_BATCH_SIZE)) > 0) return true;
  return deleteSomeSeries(tx, theirs, entry.id, BATCH_SIZE) > 0;
}

/** With the last of them the space goes, and the entry is whole. */
function packLists(tx: Tx, entry: StoredEntry): boolean {
  const lists = tx.all(
    statement<Whole>(`select * from lists where id in ${listsOf(entry)} limit ?`, [entry.id, BATCH_SIZE]),
  );
  if (lists.length > 0) {
    if (entry.state === 'moving') recordGone(tx, entry, lists[0]?.workspace_id ?? '');
    packWholes(tx, entry, 'list', lists);
    deleteRows(tx, 'lists', lists, 'id');
    if (entry.kind === 'space') return true;
  }
  if (entry.kind === 'space') {
    const spaces = tx.all(statement<SpaceRow>('select * from spaces where id = ?', [entry.id]));
    packWholes(tx, entry, 'space', spaces);
    tx.run(statement('delete from spaces where id = ?', [entry.id]));
  }
  const { n = 0 } =
    tx.one(
      statement<{ n: number }>(
        `select count(*) as n from trash_rows where entry_code = ? and kind = 'task'`,
        [entry.code],
      ),
    ) ?? {};
  if (n > 0) scheduleErasure(tx, 'search');
  saveEntryState(tx, entry, { state: 'kept', item_count: n });
  return false;
}

const packWholes = (
  tx: Tx,
  entry: StoredEntry,
  kind: 'list' | 'space',
  rows: readonly (ListRow | SpaceRow)[],
) =>
  insertPacked(
    tx,
    entry,
    kind,
    rows.map((row) => ({ id: row.id, bytes: 0, content: packRow(tx, row.workspace_id, row) })),
  );
