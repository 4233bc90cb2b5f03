import { type Db, query } from '../db/connection.ts';
import type { Instant } from '../kernel/instants.ts';
import { offsetOf, type PageRequest } from '../kernel/page.ts';
import { type StoredTask, taskOf } from '../tasks/store.ts';
import type { StoredSeries } from './store.ts';

const instancesOf = ({ id, workspace_id: workspaceId }: Pick<StoredSeries, 'id' | 'workspace_id'>) =>
  query
    .selectFrom('tasks as task')
    .where('task.recurring_task_id', '=', id)
    .where('task.workspace_id', '=', workspaceId);

/** The tasks of a series that still exist, by occurrence. */
export function listInstances(db: Db, series: StoredSeries, page: PageRequest) {
  const found = instancesOf(series);
  const total = db.one(found.select(({ fn }) => fn.countAll<number>().as('total')))?.total ?? 0;
  const rows = db.all(
    found
      .selectAll('task')
      .orderBy('task.occurrence_at')
      .orderBy('task.id')
      .limit(page.limit)
      .offset(offsetOf(page)),
  );
  return { total, items: rows.map(taskOf) };
}

/** Those that are neither completed nor canceled. */
export const openInstances = (db: Db, series: StoredSeries): StoredTask[] =>
  db.all(
    instancesOf(series)
      .innerJoin('statuses as status', 'status.id', 'task.status_id')
      .where('status.type', 'in', ['unstarted', 'started'])
      .selectAll('task')
      .orderBy('task.occurrence_at')
      .orderBy('task.id'),
  );

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
      .where('workspace_id', '=', from.workspace_id)
      .where('occurrence_number', '>=', firstNumber),
  );
