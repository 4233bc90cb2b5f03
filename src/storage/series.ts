import { type SqlBool, sql } from 'kysely';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { SeriesProgress } from '../recurring/progress-schema.ts';
import { endConditionOf, intervalOf } from '../recurring/schedule.ts';
import type { RecurringTask } from '../recurring/series-schema.ts';
import { deleteRows } from './delete-rows.ts';
import { isNotBeingImported } from './imports.ts';
import { keysIn, type LeftOut, putBack, withoutLong } from './long-texts.ts';
import { readPage } from './read-page.ts';
import { raisedBy, recordThing } from './record.ts';
import { rewriteInSteps, TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import type { RecurringSeriesRow, SeriesState } from './tables.ts';
import { TEMPLATE_COLUMNS, templateOf } from './template-fields.ts';

/** A series with the key of its workspace, which its tasks are indexed under. */
export type StoredSeries = RecurringSeriesRow & { workspace_code: number };

export function recurringTaskOf(row: RecurringSeriesRow): RecurringTask {
  const isActive = row.state === 'active';
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    ...templateOf(row),
    interval: intervalOf(row),
    endCondition: endConditionOf(row),
    startsAt: row.starts_at,
    catchUp: row.catch_up,
    state: row.state,
    stateReason: row.state_reason,
    nextRunAt: row.next_run_at,
    nextTaskId: isActive ? row.next_task_id : null,
    nextOccurrenceNumber: isActive ? row.next_number : null,
    creatorId: row.creator_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
  };
}

/** What decides how a series goes on, beside what it shows; also while it is paused. */
export const progressOf = (
  row: RecurringSeriesRow,
  broughtBack: SeriesProgress['broughtBack'],
): SeriesProgress => ({
  anchorDate: row.anchor_date,
  numberOffset: row.number_offset,
  ruleVersion: row.rule_version,
  zoneData: row.tz_version,
  adoptedTaskId: row.adopted_task_id,
  upcoming:
    row.next_local === null || row.next_number === null
      ? null
      : { local: row.next_local, number: row.next_number, taskId: row.next_task_id },
  broughtBack,
});

/** Not while its list is on its way into the trash or out of it: then nothing is to happen to a series. */
const STAYS = sql<SqlBool>`list_id not in (select id from lists where in_transit = 1)`;

const byId = prepared<{ workspaceId: string; id: string }, StoredSeries>((argument) =>
  query
    .selectFrom('recurring_series as series')
    .innerJoin('workspaces as workspace', 'workspace.id', 'series.workspace_id')
    .selectAll('series')
    .select('workspace.code as workspace_code')
    .where('series.id', '=', argument('id'))
    .where('series.workspace_id', '=', argument('workspaceId'))
    .where(STAYS),
);

export const findSeries = (db: Db, workspaceId: string, id: string) => db.one(byId({ workspaceId, id }));

/** A series of a page, without its long texts. */
export type PagedSeries = RecurringSeriesRow & LeftOut;

const COLUMNS = [
  ...Object.values(TEMPLATE_COLUMNS),
  ...['id', 'workspace_id', 'creator_id'],
  ...['interval', 'end_condition', 'starts_at', 'catch_up', 'anchor_date', 'number_offset', 'rule_version'],
  ...['tz_version', 'state', 'state_reason', 'next_run_at', 'next_local', 'next_number', 'next_task_id'],
  ...['version', 'created_at', 'updated_at', 'adopted_task_id', 'brought_back'],
].join(', ');

/** The columns of a `PagedSeries`. */
export const PAGED_SERIES = withoutLong(COLUMNS);

/** Reads what was left out of these series of one workspace. */
export function completeSeries(db: Db, series: readonly PagedSeries[]): void {
  const long = series.filter(({ left_out }) => left_out > 0);
  if (long[0]) putBack(long, db.all(statement(LONG_TEXTS, [long[0].workspace_id, keysIn(long, 'id')])), 'id');
}

const LONG_TEXTS = `select id, description, checklist from recurring_series
  where +workspace_id = ? and id in (select value from json_each(?))`;

/** The series of a workspace in the order they were made. */
export function listSeries(
  db: Db,
  workspaceId: string,
  only: { listId?: string | undefined; state?: SeriesState | undefined },
  page: PageRequest,
): Page<PagedSeries> {
  let found = query
    .selectFrom(sql<PagedSeries>`(select ${sql.raw(PAGED_SERIES)} from recurring_series)`.as('series'))
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(STAYS);
  if (only.listId !== undefined) found = found.where('list_id', '=', only.listId);
  if (only.state !== undefined) found = found.where('state', '=', only.state);
  return readPage(db, page, found.orderBy('created_at').orderBy('id'), (row) => row);
}

export function insertSeries(tx: Tx, row: RecurringSeriesRow): void {
  tx.run(query.insertInto('recurring_series').values(row));
  recordThing(tx, 'recurringTask', row, 'put');
}

/** Stores the changed fields of a series and returns it as it is then. */
export function updateSeriesRow(
  tx: Tx,
  row: StoredSeries,
  changes: Partial<RecurringSeriesRow>,
): StoredSeries {
  tx.run(
    query
      .updateTable('recurring_series')
      .set({ ...changes, ...raisedBy(changes) })
      .where('id', '=', row.id)
      .where('workspace_id', '=', row.workspace_id),
  );
  recordThing(tx, 'recurringTask', row, 'put', changes);
  // A task that went has raised it as well. For a `returning` the search index would be written out each time.
  const stored = statement<{ version: number }>(
    'select version from recurring_series where id = ? and workspace_id = ?',
    [row.id, row.workspace_id],
  );
  return { ...row, ...changes, ...tx.one(stored) };
}

export function deleteSeries(tx: Tx, row: StoredSeries): void {
  tx.run(
    query
      .deleteFrom('recurring_series')
      .where('id', '=', row.id)
      .where('workspace_id', '=', row.workspace_id),
  );
  recordThing(tx, 'recurringTask', row, 'delete');
}

/** Deletes some of the series that `where` finds, unrecorded; returns how many, or `most` where more are left. */
export function deleteSomeSeries(tx: Tx, where: string, argument: string, most: number): number {
  const found = tx.all(
    statement<{ id: string; bytes: number }>(
      `select id, ${TEMPLATE_BYTES} as bytes from recurring_series where ${where} limit ?`,
      [argument, most],
    ),
  );
  const some = withinStep(found);
  deleteRows(tx, 'recurring_series', some, 'id');
  return some.length < found.length ? most : found.length;
}

/** Takes a label from all the series that have it, some in each step, and records each. */
export const removeLabelFromSeries = (
  tx: Tx,
  workspaceId: string,
  { id, code }: { id: string; code: number },
  now: Instant,
): Steps<void> =>
  rewriteSeries(tx, workspaceId, now, {
    where: ['id in (select series_id from series_labels where label_code = ?)', code],
    set: [
      `label_ids = nullif((select json_group_array(value) from json_each(label_ids) where value <> ?), '[]')`,
      id,
    ],
    changes: { label_ids: null },
  });

/** Takes the tasks to come of a workspace's series from someone, some in each step, and records each. */
export const unassignSeries = (tx: Tx, workspaceId: string, userId: string, now: Instant): Steps<void> =>
  rewriteSeries(tx, workspaceId, now, {
    where: ['assignee_id = ?', userId],
    set: ['assignee_id = ?', null],
    changes: { assignee_id: null },
  });

/** `where` and `set` are SQL, each with the value of its `?`. */
function rewriteSeries(
  tx: Tx,
  workspaceId: string,
  now: Instant,
  { where, set, changes }: Record<'where' | 'set', [string, unknown]> & { changes: Record<string, null> },
): Steps<void> {
  const found = statement<SeriesName & { bytes: number }>(
    `select id, workspace_id, ${TEMPLATE_BYTES} as bytes from recurring_series
      where workspace_id = ? and ${where[0]}`,
    [workspaceId, where[1]],
  );
  return rewriteInSteps(tx.all(found), (some) => {
    tx.run(
      statement(
        `update recurring_series set version = version + 1, updated_at = ?, ${set[0]}
          where +workspace_id = ? and id in (select value from json_each(?))`,
        [now, set[1], workspaceId, keysIn(some, 'id')],
      ),
    );
    for (const series of some) recordThing(tx, 'recurringTask', series, 'put', changes);
  });
}

export type SeriesName = Pick<RecurringSeriesRow, 'id' | 'workspace_id'>;

/** As in the index `recurring_series_due`: with a bound value SQLite could not use it. */
const inOrderOfTime = query
  .selectFrom('recurring_series')
  .where('state', '=', sql.lit('active'))
  .where(isNotBeingImported('recurring_series.workspace_id'))
  .where(STAYS)
  .orderBy('next_run_at')
  .orderBy('id');

/** Active series whose upcoming occurrence has come, the longest due first. */
export const dueSeries = (db: Db, now: Instant, limit: number): SeriesName[] =>
  db.all(inOrderOfTime.select(['id', 'workspace_id']).where('next_run_at', '<=', now).limit(limit));

/** Active series of a workspace whose upcoming occurrence is before an instant, in order of time. */
export function listComingSeries(
  db: Db,
  workspaceId: string,
  { before, after, limit }: { before: Instant; after: ComingSeries | undefined; limit: number },
): ComingSeries[] {
  let found = query
    .selectFrom('recurring_series')
    .select(COMING)
    .where('workspace_id', '=', workspaceId)
    .where('state', '=', sql.lit('active'))
    .where(STAYS)
    .where('next_run_at', '<', before);
  if (after)
    found = found.where((where) =>
      where(where.refTuple('next_run_at', 'id'), '>', where.tuple(after.next_run_at ?? '', after.id)),
    );
  return db.all(found.orderBy('next_run_at').orderBy('id').limit(limit));
}

const COMING = [
  'id',
  'title',
  'list_id',
  'interval',
  'end_condition',
  'anchor_date',
  'number_offset',
  'next_run_at',
  'next_task_id',
] as const;

/** What it takes to tell the coming occurrences of a series. */
export type ComingSeries = Pick<RecurringSeriesRow, (typeof COMING)[number]>;

/** When the first of all upcoming occurrences is. */
export const firstUpcoming = (db: Db): Instant | undefined =>
  db.one(inOrderOfTime.select('next_run_at').limit(1))?.next_run_at ?? undefined;

/** Series that stand somewhere by the zone data of another version. */
export const seriesOfOtherZoneData = (db: Db, version: string, limit: number): SeriesName[] =>
  db.all(
    query
      .selectFrom('recurring_series')
      .select(['id', 'workspace_id'])
      .where('tz_version', '<>', version)
      .where('next_local', 'is not', null)
      .where(isNotBeingImported('recurring_series.workspace_id'))
      .where(STAYS)
      .limit(limit),
  );
