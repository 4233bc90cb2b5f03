import { sql } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Day, dayOf, instantAt } from '../kernel/days.ts';
import { DAY, type Instant, toInstant, toMs } from '../kernel/instants.ts';
import { isOpen } from '../lists/statuses.ts';
import { notify } from '../notifications/notify.ts';
import { keyIn } from '../storage/keys.ts';
import { metaOf, setMeta } from '../storage/meta.ts';
import { type StoredTask, updateTaskRow } from '../storage/tasks.ts';

/** So many due tasks are looked at in a commit, whether or not anyone is to be told of them. */
const BATCH_SIZE = 100;
const MAX_LOOKED = 1_000;
/** Until when due tasks have been told of: what lies before is not looked at again. */
const WATERMARK = 'due_noticed_until';

/** When a day is due, in the zone of the assignee. */
const TIME_OF_DAY = '09:00';

/**
 * Tells assignees of open tasks whose due instant, or 09:00 of whose due day where they are, has passed since this was
 * last called, after a downtime too. Once for each due date, whatever clock and zones do: a task remembers the one that
 * was told.
 */
export async function notifyDue(deps: Deps): Promise<void> {
  const now = toInstant(deps.clock.now());
  await notifyDays(deps, now);
  let after: DuePosition | undefined;
  do after = await deps.write((tx) => notifySome(tx, now, after));
  while (after);
}

/** Where in the order of due instants a look ended: after all of an instant, or within it. */
interface DuePosition {
  due: Instant;
  seq?: number;
}

/** Returns where to go on; undefined when nothing due is left. */
function notifySome(tx: Tx, now: Instant, after?: DuePosition): DuePosition | undefined {
  const until = metaOf(tx, WATERMARK) ?? now;
  const due = until < now ? tx.all(dueBetween(after ?? { due: until }, now)) : [];
  for (const { status_type, ...task } of due) {
    if (isOpen(status_type)) tellDue(tx, task, now);
  }
  const last = due[BATCH_SIZE - 1];
  if (last?.due_date != null) return { due: last.due_date, seq: last.seq };
  if (after?.seq !== undefined) return { due: after.due };
  setMeta(tx, WATERMARK, now);
  return undefined;
}

function tellDue(tx: Tx, task: StoredTask, now: Instant): void {
  if (task.due_noticed === task.due_date) return;
  notify(
    tx,
    [task.assignee_id],
    {
      type: 'task.due',
      actorId: null,
      workspaceId: task.workspace_id,
      title: 'A task is due',
      body: task.title,
      data: { taskId: task.id },
    },
    now,
  );
  updateTaskRow(tx, task, { due_noticed: task.due_date });
}

/** Whether the time of a day came, in a zone, after the one instant, and by the other. */
const isBetween = (day: Day, zone: string | null, after: Instant, until: Instant): boolean => {
  const at = instantAt(day, TIME_OF_DAY, zone ?? 'UTC');
  return after < at && at <= until;
};

/** In UTC, from which no zone is a day away. */
const dayBeside = (instant: Instant, ms: number): Day => dayOf(toInstant(toMs(instant) + ms), 'UTC');

async function notifyDays(deps: Deps, now: Instant): Promise<void> {
  const until = metaOf(deps.read, WATERMARK) ?? now;
  if (until >= now) return;
  const zones = deps.read.cached(zonesOfPeople);
  const last = dayBeside(now, DAY);
  let before = dayBeside(until, -2 * DAY);
  for (;;) {
    const day = deps.read.one(nextDueDay(before, last))?.due_date;
    if (day === undefined) return;
    before = day;
    if (!zones.some(({ timezone }) => isBetween(day, timezone, until, now))) continue;
    let after: number | undefined = 0;
    do after = await deps.write((tx) => notifySomeOfDay(tx, day, until, now, after ?? 0));
    while (after !== undefined);
  }
}

/** Returns after which task to go on; undefined when none is left. */
function notifySomeOfDay(tx: Tx, day: Day, until: Instant, now: Instant, after: number): number | undefined {
  const due = tx.all(dueOn(day).where('task.seq', '>', after).orderBy('task.seq').limit(BATCH_SIZE));
  for (const { status_type, timezone, ...task } of due) {
    if (isOpen(status_type) && isBetween(day, timezone, until, now)) tellDue(tx, task, now);
  }
  return due[BATCH_SIZE - 1]?.seq;
}

/**
 * Tells someone who goes to another zone of the tasks that are due there already, and were not yet where they came from.
 */
export function tellDueDaysOf(
  tx: Tx,
  userId: string,
  zones: { from: string | null; to: string | null },
  now: Instant,
): void {
  const until = metaOf(tx, WATERMARK);
  if (until === undefined) return;
  for (const day of [-DAY, 0, DAY].map((ms) => dayBeside(until, ms))) {
    const isDueThere = instantAt(day, TIME_OF_DAY, zones.to ?? 'UTC') <= until;
    if (!isDueThere || instantAt(day, TIME_OF_DAY, zones.from ?? 'UTC') <= until) continue;
    for (const { status_type, timezone: _, ...task } of tx.all(
      dueOn(day).where('task.assignee_code', '=', keyIn('users', userId)),
    )) {
      if (isOpen(status_type)) tellDue(tx, task, now);
    }
  }
}

const zonesOfPeople = query.selectFrom('users').select('timezone').distinct().compile();

const nextDueDay = (after: Day, last: Day) =>
  statement<{ due_date: Day }>(
    `select due_date from tasks indexed by tasks_due_watch
      where assignee_id is not null and due_date > ? and due_date <= ? and length(due_date) = 10
      order by due_date limit 1`,
    [after, last],
  );

const dueOn = (day: Day) =>
  query
    .selectFrom('tasks as task')
    .innerJoin('statuses as status', 'status.id', 'task.status_id')
    .innerJoin('users as person', 'person.id', 'task.assignee_id')
    .selectAll('task')
    .select(['status.type as status_type', 'person.timezone'])
    .where('task.due_date', '=', day)
    .where('task.assignee_id', 'is not', null);

/** When the longest past due task was due of those whose assignees were not told; undefined where all were. */
export function firstUnnoticed(db: Db, now: Instant): Instant | undefined {
  const until = metaOf(db, WATERMARK);
  if (until === undefined) return undefined;
  const days = db.all(unnoticedDays(dayBeside(until, -2 * DAY), dayBeside(now, DAY)));
  const dueAt = days
    .filter(({ due_date: day, timezone }) => isBetween(day, timezone, until, now))
    .map(({ due_date: day, timezone }) => instantAt(day, TIME_OF_DAY, timezone ?? 'UTC'));
  const first = db.one(unnoticed(until, now))?.due_date;
  return [...dueAt, ...(first == null ? [] : [first])].sort()[0];
}

const isInstant = (column: string) => sql<boolean>`length(${sql.ref(column)}) > 10`;

/** Of the instant where the last look ended, if it did within one, else of those after it. */
function dueBetween({ due, seq }: DuePosition, now: Instant) {
  const watched = query
    .selectFrom('tasks as task')
    .innerJoin('statuses as status', 'status.id', 'task.status_id')
    .selectAll('task')
    .select('status.type as status_type')
    .where('task.assignee_id', 'is not', null)
    .where('task.due_date', '<=', now)
    .where(isInstant('task.due_date'))
    .orderBy('task.due_date')
    .orderBy('task.seq')
    .limit(BATCH_SIZE);
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
const unnoticedDays = (after: Day, last: Day) =>
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
