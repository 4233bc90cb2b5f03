import { sql } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { changeTasks } from './many-tasks.ts';
import { readPage } from './read-page.ts';
import type { StoredSeries } from './series.ts';
import type { FoundTask } from './task-fields.ts';

/** The columns of a task that is no instance of a series. */
export const NO_SERIES = {
  recurring_task_id: null,
  occurrence_at: null,
  occurrence_number: null,
  overridden: null,
} as const;

interface TextOfInstances {
  n: number;
  titles: number;
  descriptions: number;
  items: number;
}

const instancesOf = ({ id, workspace_code: code }: StoredSeries) =>
  query
    .selectFrom('tasks as task')
    .where('task.recurring_task_id', '=', id)
    .where('task.workspace_code', '=', code);

/** The tasks of a series that still exist, by occurrence. */
export const findInstances = (db: Db, series: StoredSeries, page: PageRequest): Page<FoundTask> =>
  readPage(
    db,
    page,
    instancesOf(series)
      .select(['task.seq', 'task.version', 'task.id', 'task.due_date'])
      .orderBy('task.occurrence_at')
      .orderBy('task.id'),
    (found) => found,
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

/** How many are neither completed nor canceled, and the bytes of their text. */
export const textOfOpenInstances = (db: Db, { id, workspace_code: code }: StoredSeries): TextOfInstances =>
  db.one(
    statement<TextOfInstances>(
      `select count(*) as n, ifnull(sum(octet_length(task.title)), 0) as titles,
          ifnull(sum(octet_length(task.description)), 0) as descriptions,
          ifnull(sum((select sum(octet_length(value ->> 'title')) from json_each(task.checklist))), 0) as items
        from tasks as task join statuses as status on status.code = task.status_code
        where task.recurring_task_id = ? and task.workspace_code = ?
          and status.type in ('unstarted', 'started')`,
      [id, code],
    ),
  ) ?? { n: 0, titles: 0, descriptions: 0, items: 0 };

/** How many tasks of a series still exist. */
export const countInstances = (db: Db, series: StoredSeries): number =>
  db.one(instancesOf(series).select(({ fn }) => fn.countAll<number>().as('n')))?.n ?? 0;

/** Hands the instances from a number on to another series, which counts them from 1. */
export const moveInstances = (
  tx: Tx,
  from: StoredSeries,
  to: string,
  firstNumber: number,
  now: Instant,
): Steps<void> =>
  changeTasks(
    tx,
    from.workspace_code,
    ({ and, eb }) => and([eb('recurring_task_id', '=', from.id), eb('occurrence_number', '>=', firstNumber)]),
    {
      recurring_task_id: to,
      occurrence_number: sql<number>`occurrence_number - ${firstNumber - 1}`,
      updated_at: now,
    },
  );

/** Makes the instances tasks of their own. */
export const releaseInstances = (tx: Tx, { id, workspace_code }: StoredSeries): Steps<void> =>
  changeTasks(tx, workspace_code, (task) => task('recurring_task_id', '=', id), { recurring_task_id: null });
