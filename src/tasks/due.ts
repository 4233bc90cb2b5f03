import { type Db, query } from '../db/connection.ts';
import { metaOf, setMeta } from '../db/meta.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { notify } from '../notifications/notify.ts';
import { updateTaskRow } from './store.ts';

const AT_ONCE = 200;
const LOOKED_AT_MOST = 1_000;
/** Until when due tasks have been told of: what lies before is not looked at again. */
const WATERMARK = 'due_noticed_until';

/**
 * Tells assignees of open tasks whose due instant has passed since this was last called, after a downtime too. Once
 * for each due instant, whatever the clock does: a task remembers the one that was told.
 */
export async function notifyDue(deps: Deps): Promise<void> {
  const now = toInstant(deps.clock.now());
  while ((await deps.write((tx) => notifySome(tx, now))) === AT_ONCE);
}

/** Answers how many were told of; fewer than `AT_ONCE` are the last. */
function notifySome(tx: Tx, now: Instant): number {
  const until = metaOf(tx, WATERMARK) ?? now;
  const due = until < now ? tx.all(dueBetween(until, now)) : [];
  for (const task of due) {
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
  if (due.length < AT_ONCE) setMeta(tx, WATERMARK, now);
  return due.length;
}

/** The longest past due instant that its assignee was not told of; undefined where all were. */
export function firstUnnoticed(db: Db, now: Instant): Instant | undefined {
  const until = metaOf(db, WATERMARK);
  return until === undefined ? undefined : (db.one(unnoticed(until, now))?.due_date ?? undefined);
}

const dueBetween = (until: Instant, now: Instant) =>
  query
    .selectFrom('tasks as task')
    .innerJoin('statuses as status', 'status.id', 'task.status_id')
    .selectAll('task')
    .where('task.assignee_id', 'is not', null)
    .where('task.due_date', '>', until)
    .where('task.due_date', '<=', now)
    .where((row) => row('task.due_noticed', 'is distinct from', row.ref('task.due_date')))
    .where('status.type', 'in', ['unstarted', 'started'])
    .orderBy('task.due_date')
    .limit(AT_ONCE);

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
        .orderBy('due_date')
        .limit(LOOKED_AT_MOST)
        .as('task'),
    )
    .innerJoin('statuses as status', 'status.id', 'task.status_id')
    .select('task.due_date')
    .where((row) => row('task.due_noticed', 'is distinct from', row.ref('task.due_date')))
    .where('status.type', 'in', ['unstarted', 'started'])
    .orderBy('task.due_date')
    .limit(1);
