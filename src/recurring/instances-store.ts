import { type Db, query } from '../db/connection.ts';
import { readPage } from '../db/read-page.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import type { Task } from '../tasks/schema.ts';
import { taskOf } from '../tasks/store.ts';
import type { StoredSeries } from './store.ts';

const instancesOf = ({ id, workspace_code: code }: StoredSeries) =>
  query
    .selectFrom('tasks as task')
    .where('task.recurring_task_id', '=', id)
    .where('task.workspace_code', '=', code);

/** The tasks of a series that still exist, by occurrence. */
export const listInstances = (db: Db, series: StoredSeries, page: PageRequest): Page<Task> =>
  readPage(
    db,
    page,
    instancesOf(series).selectAll('task').orderBy('task.occurrence_at').orderBy('task.id'),
    taskOf,
  );

/** The ids of those that are neither completed nor canceled. */
export const openInstances = (db: Db, series: StoredSeries): string[] =>
  db
    .all(
      instancesOf(series)
        .innerJoin('statuses as status', 'status.id', 'task.status_id')
        .where('status.type', 'in', ['unstarted', 'started'])
        .select('task.id')
        .orderBy('task.occurrence_at')
        .orderBy('task.id'),
    )
    .map(({ id }) => id);

/** Hands the instances from a number on to another series, which counts them from 1. */
export const moveInstances = (
  db: Db,
  from: StoredSeries,
  to: StoredSeries,
  firstNumber: number,
  now: Instant,
) =>
  db.run(
    query
      .updateTable('tasks')
      .set((row) => ({
        recurring_task_id: to.id,
        occurrence_number: row('occurrence_number', '-', firstNumber - 1),
        updated_at: now,
      }))
      .where('recurring_task_id', '=', from.id)
      .where('workspace_code', '=', from.workspace_code)
      .where('occurrence_number', '>=', firstNumber),
  );
