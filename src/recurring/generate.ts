import type { RecurringOccurrenceRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { positionAfter } from '../kernel/positions.ts';
import { completedAt } from '../tasks/references.ts';
import * as tasks from '../tasks/store.ts';
import { addTask, changeTask, notifyAssigned } from '../tasks/tasks.ts';
import { findOccurrence, lastDecidedFrom, recordOccurrence, updateOccurrence } from './occurrences.ts';
import type { Occurrence } from './recurrence.ts';
import { scheduleOf } from './schedule.ts';
import { type StoredSeries, updateSeriesRow } from './store.ts';

/** How many passed occurrences of a series are made at most, and how many recorded as missed: the newest. */
const CATCH_UP_AT_MOST = 366;

/** UTF-16 units that are made in one commit, which everyone waits for; a task takes as long as so many of its text. */
const UNITS_AT_ONCE = 40_000;
const UNITS_OF_A_TASK = 1_000;

/** The zone data that instants are computed with. */
export const ZONE_DATA = process.versions.tz ?? 'unknown';

export const isOverdue = ({ next_run_at: at }: Pick<StoredSeries, 'next_run_at'>, now: number): boolean =>
  at !== null && at <= toInstant(now);

/**
 * Brings an active series to now: of what passed since its upcoming occurrence, `catch_up` says which are made, the
 * others are missed; then the first one after now is upcoming. Changes nothing when none is overdue. Where many are to be
 * made, it makes some, and stands at the last of them: still overdue, it is brought on by the next call.
 */
export function advance(tx: Tx, series: StoredSeries, now: number): StoredSeries {
  if (!isOverdue(series, now) || series.next_run_at === null) return series;
  const at = toInstant(now);
  const schedule = scheduleOf(series);
  const wanted = { latest: 1, all: CATCH_UP_AT_MOST, none: 0 }[series.catch_up];
  const passed = schedule.newestBetween(series.next_run_at, at, wanted + CATCH_UP_AT_MOST);
  for (const occurrence of passed.slice(wanted)) {
    recordOccurrence(tx, { ...recordOf(series, occurrence), state: 'missed', task_id: null });
  }
  const toMake = passed.slice(0, wanted).toReversed();
  const atOnce = madeAtOnce(series);
  for (const [i, occurrence] of toMake.entries()) {
    const taskId = generate(tx, series, occurrence, null, now);
    if (i + 1 === atOnce) return updateSeriesRow(tx, series, standingAt(occurrence, taskId));
  }
  return pointTo(tx, series, schedule.after(at), null, now);
}

const madeAtOnce = ({ description }: StoredSeries): number =>
  Math.ceil(UNITS_AT_ONCE / (UNITS_OF_A_TASK + (description?.length ?? 0)));

/**
 * Makes an occurrence the upcoming one, with its task; where it was decided upon before, the next that was not. Ends
 * the series when none is left. `by` is who acted, null for time.
 */
export function pointTo(
  tx: Tx,
  series: StoredSeries,
  first: Occurrence | null,
  by: string | null,
  now: number,
): StoredSeries {
  for (let next = first; next; next = afterDecided(tx, series, next)) {
    const taskId = generate(tx, series, next, by, now);
    if (taskId === null) continue;
    return updateSeriesRow(tx, series, {
      state: 'active',
      state_reason: null,
      ...standingAt(next, taskId),
    });
  }
  return updateSeriesRow(tx, series, { ...NOWHERE, state: 'ended', state_reason: 'completed' });
}

/** Where an active series stands; that it moves on is no edit of it. */
export const standingAt = (upcoming: Occurrence, taskId: string | null) => ({
  next_run_at: upcoming.at,
  next_local: upcoming.local,
  next_number: upcoming.number,
  next_task_id: taskId,
  tz_version: ZONE_DATA,
});

/** The first that follows an occurrence and the decided ones right behind it: people may have skipped thousands. */
function afterDecided(tx: Tx, series: StoredSeries, occurrence: Occurrence): Occurrence | null {
  const { id: series_id, rule_version, workspace_id } = series;
  const last = lastDecidedFrom(tx, { series_id, rule_version, workspace_id, number: occurrence.number });
  return scheduleOf(series).after(last !== undefined && last > occurrence.at ? last : occurrence.at);
}

/** Where a series stands that has no upcoming occurrence. */
export const NOWHERE = {
  next_run_at: null,
  next_local: null,
  next_number: null,
  next_task_id: null,
  tz_version: ZONE_DATA,
} as const;

/** The task of an occurrence, made now or waiting already; null when it was decided otherwise or is done. */
function generate(
  tx: Tx,
  series: StoredSeries,
  occurrence: Occurrence,
  by: string | null,
  now: number,
): string | null {
  const taskId = newId(now);
  const record = { ...recordOf(series, occurrence), state: 'generated', task_id: taskId } as const;
  if (recordOccurrence(tx, record)) {
    makeTask(tx, series, occurrence, taskId, by, now);
    return taskId;
  }
  const decided = findOccurrence(tx, record);
  const task = tasks.findTask(tx, series.workspace_id, decided?.task_id ?? null);
  if (!decided || task?.completed_at !== null) return null;
  // Its task waits already: from before a pause, a split, new zone data, or made ahead.
  redate(tx, series, decided, occurrence, toInstant(now));
  return task.id;
}

const recordOf = (series: StoredSeries, occurrence: Occurrence) => ({
  series_id: series.id,
  rule_version: series.rule_version,
  occurrence_local: occurrence.local,
  occurrence_at: occurrence.at,
  number: occurrence.number,
});

type Decided = Pick<RecurringOccurrenceRow, 'series_id' | 'rule_version' | 'occurrence_local' | 'task_id'>;

/**
 * Gives an occurrence its new time under the rule as it is now. Its task gets it too while open, as its due date only
 * where nobody changed that.
 */
export function redate(
  tx: Tx,
  series: StoredSeries,
  decided: Decided,
  { local, at }: Pick<Occurrence, 'local' | 'at'>,
  now: Instant,
): void {
  const { rule_version } = series;
  updateOccurrence(tx, decided, { rule_version, occurrence_local: local, occurrence_at: at });
  const task = tasks.findTask(tx, series.workspace_id, decided.task_id);
  if (task?.completed_at !== null) return;
  const isDueThen = !tasks.overriddenIn(task).includes('dueDate');
  const dates = { occurrence_at: at, ...(isDueThen && { due_date: at }) };
  changeTask(tx, task, dates, now, false);
}

/** The assignee is told, unless they set up the series or their own act brought the task about. */
function makeTask(
  tx: Tx,
  series: StoredSeries,
  occurrence: Occurrence,
  id: string,
  by: string | null,
  now: number,
): void {
  const place = tasks.findPlace(tx, series.workspace_id, series.list_id);
  const status = place?.statuses[0];
  if (!place || !status) throw new Error('The list of a series is gone or has no statuses');
  const at = toInstant(now);
  const row: tasks.NewTask = {
    id,
    workspace_code: series.workspace_code,
    workspace_id: series.workspace_id,
    space_id: place.spaceId,
    list_id: place.id,
    status_id: status.id,
    priority: series.priority,
    assignee_id: series.assignee_id,
    creator_id: series.creator_id,
    start_date: null,
    due_date: occurrence.at,
    completed_at: completedAt(status.type, null, at),
    position: positionAfter(tasks.lastPosition(tx, series.workspace_code, place.id)),
    recurring_task_id: series.id,
    occurrence_at: occurrence.at,
    occurrence_number: occurrence.number,
    overridden: null,
    created_at: at,
    updated_at: at,
    title: series.title,
    description: series.description,
  };
  addTask(tx, row);
  if (series.assignee_id !== by) notifyAssigned(tx, row, series.creator_id, at);
}
