import { sql } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Day } from '../kernel/days.ts';
import type { Instant } from '../kernel/instants.ts';
import { keyIn } from './keys.ts';
import { metaOf, setMeta } from './meta.ts';
import type { StatusType, TaskRow } from './tables.ts';

/** So many due tasks are read at once, whether or not anyone is to be told of them. */
export const DUE_BATCH_SIZE = 100;
const MAX_LOOKED = 1_000;
/** Until when due tasks have been told of: what lies before is not looked at again. */
const WATERMARK = 'due_noticed_until';

/** Until when assignees have been told of due tasks; undefined where that never began. */
export const noticedUntil = (db: Db): Instant | undefined => metaOf(db, WATERMARK);

export const setNoticedUntil = (db: Db, until: Instant) => setMeta(db, WATERMARK, until);

/** Where in the order of due instants a look ended: after all of an instant, or within it. */
export interface DuePosition {
  due: Instant;
  seq?: number;
}

/** What is told of a due task. */
export interface DueTask
  extends Pick<TaskRow, 'id' | 'workspace_id' | 'assignee_id' | 'title' | 'due_date' | 'due_noticed'> {
  seq: number;
  status_type: StatusType;
  /** Of the texts that are written again where it is noted that it was told; 0 where it was. */
  bytes: number;
}

/** Of very many due tasks long texts are not read. */
const told = query
  .selectFrom('tasks as task')
  .innerJoin('statuses as status', 'status.id', 'task.status_id')
  .select(['task.seq', 'task.id', 'task.workspace_id', 'task.assignee_id', 'task.title'])
  .select(['task.due_date', 'task.due_noticed', 'status.type as status_type'])
  .select(
    sql<number>`iif(task.due_noticed is task.due_date, 0,
      ifnull(octet_length(task.description), 0) + ifnull(octet_length(task.checklist), 0))`.as('bytes'),
  )
  .where('task.assignee_id', 'is not', null);

const zonesOfPeople = query.selectFrom('users').select('timezone').distinct().compile();

const dayOfTasks = (after: Day, last: Day) =>
  statement<{ due_date: Day }>(
    `select due_date from tasks indexed by tasks_due_watch
      where assignee_id is not null and due_date > ? and due_date <= ? and length(due_date) = 10
      order by due_date limit 1`,
    [after, last],
  );

const onDay = (day: Day, after: number) =>
  told
    .innerJoin('users as person', 'person.id', 'task.assignee_id')
    .select('person.timezone')
    .where('task.due_date', '=', day)
    .where('task.seq', '>', after)
    .orderBy('task.seq')
    .limit(DUE_BATCH_SIZE);

const isInstant = (column: string) => sql<boolean>`length(${sql.ref(column)}) > 10`;

/** Of the instant where the last look ended, if it did within one, else of those after it. */
function between({ due, seq }: DuePosition, now: Instant) {
  const watched = told
    .where('task.due_date', '<=', now)
    .where(isInstant('task.due_date'))
    .orderBy('task.due_date')
    .orderBy('task.seq')
    .limit(DUE_BATCH_SIZE);
  return seq === undefined
    ? watched.where('task.due_date', '>', due)
    : watched.where('task.due_date', '=', due).where('task.seq', '>', seq);
}

/** Of the first so many, so that even after days it is no long look; those that are completed may hide a later one. */
const unnoticed = (until: Instant, now: Instant) =>
  query
    .selectFrom(
      query
        .selectFrom('tasks')
        .select(['due_date', 'due_noticed', 'status_id'])
        .where('assignee_id', 'is not', null)
        .where('due_date', '>', until)
        .where('due_date', '<=', now)
        .where(isInstant('due_date'))
        .orderBy('due_date')
        .limit(MAX_LOOKED)
        .as('task'),
    )
    .innerJoin('statuses as status', 'status.id', 'task.status_id')
    .select('task.due_date')
    .where((row) => row('task.due_noticed', 'is distinct from', row.ref('task.due_date')))
    .where('status.type', 'in', ['unstarted', 'started'])
    .orderBy('task.due_date')
    .limit(1);

/** Of the first so many, like `unnoticed`. */
const daysWithZones = (after: Day, last: Day) =>
  statement<{ due_date: Day; timezone: string | null }>(
    `select due_date, person.timezone from (
        select due_date, due_noticed, status_code, assignee_code from tasks indexed by tasks_due_watch
          where assignee_id is not null and due_date > ? and due_date <= ? and length(due_date) = 10
          order by due_date limit ?) as task
      join statuses as status on status.code = task.status_code
      join users as person on person.code = task.assignee_code
      where task.due_noticed is not task.due_date and status.type in ('unstarted', 'started')`,
    [after, last, MAX_LOOKED],
  );

/** The first due instant between, of a task whose assignee was not told. */
export const firstUnnoticedInstant = (db: Db, until: Instant, now: Instant) =>
  db.one(unnoticed(until, now))?.due_date;

/** Due days of tasks whose assignees were not told, each with the zone of the assignee. */
export const unnoticedDays = (db: Db, after: Day, last: Day) => db.all(daysWithZones(after, last));

/** The time zones that people have. */
export const zonesInUse = (db: Db) => db.cached(zonesOfPeople);

/** The next day after `after`, up to `last`, on which an assigned task is due. */
export const nextDueDay = (db: Db, after: Day, last: Day) => db.one(dayOfTasks(after, last))?.due_date;

/** Some of the assigned tasks that are due on a day, after `after` in the order of `seq`. */
export const someDueOn = (db: Db, day: Day, after: number) => db.all(onDay(day, after));

/** As `someDueOn`, of one assignee. */
export const someDueOnOf = (db: Db, day: Day, userId: string, after: number) =>
  db.all(onDay(day, after).where(sql<boolean>`+task.assignee_code = ${keyIn('users', userId)}`));

/** Some of the assigned tasks that are due at an instant from `position` on. */
export const someDue = (db: Db, position: DuePosition, now: Instant) => db.all(between(position, now));
