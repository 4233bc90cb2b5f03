import type { Tx } from '../db/tx.ts';
import type { Deps, InstanceClosed } from '../deps.ts';
import { errnoOf } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { deleteMissedAfter, findSkippedAt, updateOccurrence } from '../storage/occurrences.ts';
import { findSeries, recurringTaskOf, type StoredSeries, updateSeriesRow } from '../storage/series.ts';
import { deleteSteps } from '../storage/series-steps.ts';
import { findTask } from '../storage/tasks.ts';
import { dropTask } from '../tasks/tasks.ts';
import type { Member } from '../workspaces/authorization.ts';
import { advance, setUpcoming } from './advance.ts';
import { scheduleOf } from './schedule.ts';
import { rejectEnded, requireUpcoming, writeCaughtUp } from './series.ts';
import type { RecurringTask, SkipInput, SkippedRecurringTask } from './series-schema.ts';
import { recordStep } from './step-back.ts';
import { pauseForError } from './sweep.ts';

/**
 * Skips the upcoming occurrence: its task goes, edited or not, and the next one is made. Named by `occurrenceAt`, one
 * that is skipped already is not skipped again. 400 for any other instant, and when the series is not active.
 */
export function skipOccurrence(
  deps: Deps,
  who: Member,
  id: string,
  { occurrenceAt }: SkipInput,
): Promise<SkippedRecurringTask> {
  return writeCaughtUp(deps, who, id, (tx, series, now) => {
    if (occurrenceAt !== undefined && occurrenceAt !== series.next_run_at) {
      const before = findSkippedAt(tx, id, occurrenceAt);
      if (before) return skipped(series, before.occurrence_at, before.number);
    }
    const { at, number } = requireUpcoming(tx, series, occurrenceAt);
    const task = findTask(tx, who.workspaceId, series.next_task_id);
    recordStep(tx, series, task);
    if (task) dropTask(tx, task);
    const touched = updateSeriesRow(tx, series, { updated_at: toInstant(now) });
    return skipped(skip(tx, touched, who.userId, now), at, number);
  });
}

/** Makes nothing more until the series is resumed; tasks stay. 400 for one that has ended. */
export const pauseSeries = (deps: Deps, who: Member, id: string): Promise<RecurringTask> =>
  writeCaughtUp(deps, who, id, (tx, series, now) => {
    rejectEnded(series);
    if (series.state === 'paused') return recurringTaskOf(series);
    deleteSteps(tx, id);
    const changes = { state: 'paused', next_run_at: null, updated_at: toInstant(now) } as const;
    return recurringTaskOf(updateSeriesRow(tx, series, changes));
  });

/**
 * Goes on with the next occurrence after now; what passed meanwhile keeps its numbers and is not made, an instance
 * already there is reused. What a clock that was ahead took for missed is made. 400 for a series that has ended.
 */
export const resumeSeries = (deps: Deps, who: Member, id: string): Promise<RecurringTask> =>
  writeCaughtUp(deps, who, id, (tx, series, now) => {
    rejectEnded(series);
    if (series.state === 'active') return recurringTaskOf(series);
    const at = toInstant(now);
    deleteSteps(tx, id);
    deleteMissedAfter(tx, id, at);
    const touched = updateSeriesRow(tx, series, { updated_at: at });
    return recurringTaskOf(setUpcoming(tx, touched, scheduleOf(series).after(at), who.userId, now));
  });

/** Advances a series whose upcoming instance was completed or deleted before its time, in the transaction of that. */
export function onInstanceClosed(deps: Deps, tx: Tx, { task, how, by }: InstanceClosed, now: number): void {
  if (task.recurring_task_id === null) return;
  const found = findSeries(tx, task.workspace_id, task.recurring_task_id);
  if (!found) return;
  try {
    const series = advance(tx, found, now);
    if (series.next_number !== task.occurrence_number || series.next_run_at !== task.occurrence_at) return;
    recordStep(tx, series, task);
    if (how === 'deleted') skip(tx, series, by, now);
    else advanceFrom(tx, series, by, now);
  } catch (err) {
    // A broken series keeps nobody from their task; a failing disk does.
    if (errnoOf(err) !== '') throw err;
    pauseForError(deps, tx, found, now, err);
  }
}

/** The upcoming occurrence, whose task is gone, counts as skipped. */
function skip(tx: Tx, series: StoredSeries, by: string, now: number): StoredSeries {
  const { id: series_id, rule_version, next_local: occurrence_local } = series;
  if (occurrence_local !== null) {
    const key = { series_id, rule_version, occurrence_local };
    updateOccurrence(tx, key, { state: 'skipped' });
  }
  return advanceFrom(tx, series, by, now);
}

const advanceFrom = (tx: Tx, series: StoredSeries, by: string, now: number): StoredSeries =>
  setUpcoming(tx, series, scheduleOf(series).after(series.next_run_at ?? toInstant(now)), by, now);

const skipped = (series: StoredSeries, at: string, number: number): SkippedRecurringTask => ({
  ...recurringTaskOf(series),
  skipped: { occurrenceAt: at, occurrenceNumber: number },
});
