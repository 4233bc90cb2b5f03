import { sql } from 'kysely';
import { type Db, prepared, query } from '../db/connection.ts';
import { readPage } from '../db/read-page.ts';
import type { RecurringSeriesRow, SeriesState } from '../db/tables.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { PRIORITIES } from '../tasks/schema.ts';
import { endConditionOf, intervalOf } from './schedule.ts';
import type { RecurringTask } from './series-schema.ts';

/** A series with the code of its workspace, which its tasks are indexed under. */
export type StoredSeries = RecurringSeriesRow & { workspace_code: number };

export function recurringTaskOf(row: RecurringSeriesRow): RecurringTask {
  const isActive = row.state === 'active';
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    listId: row.list_id,
    title: row.title,
    description: row.description,
    priority: PRIORITIES[row.priority] ?? 'none',
    assigneeId: row.assignee_id,
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
  };
}

const byId = prepared<{ workspaceId: string; id: string }, StoredSeries>((argument) =>
  query
    .selectFrom('recurring_series as series')
    .innerJoin('workspaces as workspace', 'workspace.id', 'series.workspace_id')
    .selectAll('series')
    .select('workspace.code as workspace_code')
    .where('series.id', '=', argument('id'))
    .where('series.workspace_id', '=', argument('workspaceId')),
);

export const findSeries = (db: Db, workspaceId: string, id: string) => db.one(byId({ workspaceId, id }));

/** The series of a workspace in the order they were made. */
export function listSeries(
  db: Db,
  workspaceId: string,
  only: { listId?: string | undefined; state?: SeriesState | undefined },
  page: PageRequest,
): Page<RecurringSeriesRow> {
  let found = query.selectFrom('recurring_series').selectAll().where('workspace_id', '=', workspaceId);
  if (only.listId !== undefined) found = found.where('list_id', '=', only.listId);
  if (only.state !== undefined) found = found.where('state', '=', only.state);
  return readPage(db, page, found.orderBy('created_at').orderBy('id'), (row) => row);
}

export const insertSeries = (db: Db, row: RecurringSeriesRow) =>
  db.run(query.insertInto('recurring_series').values(row));

/** Stores the changed fields of a series and answers it as it is then. */
export function updateSeriesRow(
  db: Db,
  row: StoredSeries,
  changes: Partial<RecurringSeriesRow>,
): StoredSeries {
  db.run(
    query
      .updateTable('recurring_series')
      .set(changes)
      .where('id', '=', row.id)
      .where('workspace_id', '=', row.workspace_id),
  );
  return { ...row, ...changes };
}

export const deleteSeries = (db: Db, row: StoredSeries) =>
  db.run(
    query
      .deleteFrom('recurring_series')
      .where('id', '=', row.id)
      .where('workspace_id', '=', row.workspace_id),
  );

export type SeriesName = Pick<RecurringSeriesRow, 'id' | 'workspace_id'>;

/** As in the index `recurring_series_due`: with a bound value SQLite could not use it. */
const inOrderOfTime = query
  .selectFrom('recurring_series')
  .where('state', '=', sql.lit('active'))
  .orderBy('next_run_at')
  .orderBy('id');

/** Active series whose upcoming occurrence has come, the longest due first. */
export const dueSeries = (db: Db, now: Instant, limit: number): SeriesName[] =>
  db.all(inOrderOfTime.select(['id', 'workspace_id']).where('next_run_at', '<=', now).limit(limit));

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
      .limit(limit),
  );
