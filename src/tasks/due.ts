import { type Db, query } from '../db/connection.ts';
import { metaOf, setMeta } from '../db/meta.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { isOpen } from '../lists/statuses.ts';
import { notify } from '../notifications/notify.ts';
import { updateTaskRow } from './store.ts';

/** So many due tasks are looked at in a commit, whether or not anyone is to be told of them. */
const AT_ONCE = 100;
const LOOKED_AT_MOST = 1_000;
/** Until when due tasks have been told of: what lies before is not looked at again. */
const WATERMARK = 'due_noticed_until';

/**
 * Tells assignees of open tasks whose due instant has passed since this was last called, after a downtime too. Once
 * for each due instant, whatever the clock does: a task remembers the one that was told.
 */
export async function notifyDue(deps: Deps): Promise<void> {
  const now = toInstant(deps.clock.now());
  let after: Place | undefined;
  do after = await deps.write((tx) => notifySome(tx, now, after));
  while (after);
}

/** Where in the order of due instants a look ended: after all of an instant, or within it. */
interface Place {
  due: Instant;
  seq?: number;
}

/** Answers where to go on; undefined when nothing due is left. */
function notifySome(tx: Tx, now: Instant, after?: Place): Place | undefined {
  const until = metaOf(tx, WATERMARK) ?? now;
  const due = until < now ? tx.all(dueBetween(after ?? { due: until }, now)) : [];
  for (const { status_type, ...task } of due) {
    if (task.due_noticed === task.due_date || !isOpen(status_type)) continue;
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
  const last = due[AT_ONCE - 1];
  if (last?.due_date != null) return { due: last.due_date, seq: last.seq };
  if (after?.seq !== undefined) return { due: after.due };
  setMeta(tx, WATERMARK, now);
  return undefined;
}

/** The longest past due instant that its assignee was not told of; undefined where all were. */
export function firstUnnoticed(db: Db, now: Instant): Instant | undefined {
  const until = metaOf(db, WATERMARK);
  return until === undefined ? undefined : (db.one(unnoticed(until, now))?.due_date ?? undefined);
}

/** Of the instant where the last look ended, if it did within one, else of those after it. */
function dueBetween({ due, seq }: Place, now: Instant) {
  const watched = query
    .selectFrom('tasks as task')
    .innerJoin('statuses as status', 'status.id', 'task.status_id')
    .selectAll('task')
    .select('status.type as status_type')
    .where('task.assignee_id', 'is not', null)
    .where('task.due_date', '<=', now)
    .orderBy('task.due_date')
    .orderBy('task.seq')
    .limit(AT_ONCE);
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
