import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { DAY, type Instant, toInstant } from '../kernel/instants.ts';
import { notify } from '../notifications/notify.ts';
import {
  DUE_BATCH_SIZE,
  type DuePosition,
  type DueTask,
  nextDueDay,
  noticedUntil,
  setNoticedUntil,
  someDue,
  someDueOn,
  someDueOnOf,
  zonesInUse,
} from '../storage/due-tasks.ts';
import { isOpen } from '../storage/status-types.ts';
import { REWRITTEN_STEP_BYTES, withinStep } from '../storage/step-bytes.ts';
import { saveDueNoticed } from '../storage/tasks.ts';
import { dayBeside, dueInstant, isBetween } from './due-times.ts';

/**
 * Tells assignees of open tasks whose due instant, or 09:00 of whose due day where they are, has passed since this was
 * last called, after a downtime too. Once for each due date, whatever clock and zones do: a task remembers the one that
 * was told.
 */
export async function notifyDue(deps: Deps): Promise<void> {
  const now = toInstant(deps.clock.now());
  await notifyDays(deps, now);
  let after: DuePosition | undefined;
  do {
    if (deps.stopping.aborted) return;
    after = await deps.write((tx) => notifySome(tx, now, after));
  } while (after);
}

/** Returns where to go on; undefined when nothing due is left. */
function notifySome(tx: Tx, now: Instant, after?: DuePosition): DuePosition | undefined {
  const until = noticedUntil(tx) ?? now;
  const last = tellSome(tx, until < now ? someDue(tx, after ?? { due: until }, now) : [], now);
  if (last?.due_date != null) return { due: last.due_date, seq: last.seq };
  if (after?.seq !== undefined) return { due: after.due };
  setNoticedUntil(tx, now);
  return undefined;
}

/** Tells of as many due tasks as one step should write; returns the last that it looked at, if more may follow. */
function tellSome<Found extends DueTask>(
  tx: Tx,
  found: Found[],
  now: Instant,
  isDue: (task: Found) => boolean = () => true,
): Found | undefined {
  const some = withinStep(found, REWRITTEN_STEP_BYTES);
  for (const task of some) if (isOpen(task.status_type) && isDue(task)) tellDue(tx, task, now);
  return some.length < found.length ? some.at(-1) : found[DUE_BATCH_SIZE - 1];
}

function tellDue(tx: Tx, task: DueTask, now: Instant): void {
  if (task.due_date === null || task.due_noticed === task.due_date) return;
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
  saveDueNoticed(tx, task.seq, task.due_date);
}

async function notifyDays(deps: Deps, now: Instant): Promise<void> {
  const until = noticedUntil(deps.read) ?? now;
  if (until >= now) return;
  const zones = zonesInUse(deps.read);
  const last = dayBeside(now, DAY);
  let before = dayBeside(until, -2 * DAY);
  for (;;) {
    const day = nextDueDay(deps.read, before, last);
    if (day === undefined) return;
    before = day;
    const isDue = ({ timezone }: { timezone: string | null }) => isBetween(day, timezone, until, now);
    if (!zones.some(isDue)) continue;
    let after: DueTask | undefined;
    do {
      if (deps.stopping.aborted) return;
      after = await deps.write((tx) => tellSome(tx, someDueOn(tx, day, after?.seq ?? 0), now, isDue));
    } while (after);
  }
}

/**
 * Tells someone who goes to another zone of the tasks that are due there already, and were not yet where they came from;
 * some in each step.
 */
export function* tellDueDaysOf(
  tx: Tx,
  userId: string,
  zones: { from: string | null; to: string | null },
  now: Instant,
): Steps<void> {
  const until = noticedUntil(tx);
  if (until === undefined) return;
  const days = [until, now].flatMap((at) => [-DAY, 0, DAY].map((ms) => dayBeside(at, ms)));
  for (const day of new Set(days)) {
    // By now, as those that fell due since `until` may be being told, by the zone they came from.
    const isDueThere = dueInstant(day, zones.to ?? 'UTC') <= now;
    if (!isDueThere || dueInstant(day, zones.from ?? 'UTC') <= until) continue;
    let last: DueTask | undefined;
    do {
      if (last) yield;
      last = tellSome(tx, someDueOnOf(tx, day, userId, last?.seq ?? 0), now);
    } while (last);
  }
}
