import type { Tx } from '../db/tx.ts';
import { isWholeDay } from '../kernel/days.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { defined } from '../kernel/patch.ts';
import { positionAfter } from '../kernel/positions.ts';
import { lastPosition, type NewTask } from '../storage/insert-task.ts';
import {
  findOccurrence,
  lastDecidedFrom,
  recordOccurrence,
  updateOccurrence,
} from '../storage/occurrences.ts';
import { type StoredSeries, updateSeriesRow } from '../storage/series.ts';
import { deleteSteps } from '../storage/series-steps.ts';
import type { RecurringOccurrenceRow } from '../storage/tables.ts';
import { overriddenIn, type StoredTask } from '../storage/task-fields.ts';
import * as tasks from '../storage/tasks.ts';
import { templateIn } from '../storage/template-fields.ts';
import { changeTask } from '../tasks/change-task.ts';
import { completedAt } from '../tasks/references.ts';
import { addTask, notifyAssigned } from '../tasks/tasks.ts';
import type { Occurrence } from './recurrence/recurrence.ts';
import { scheduleOf } from './schedule.ts';

/** How many passed occurrences of a series are made at most, and how many recorded as missed: the newest. */
const MAX_CATCH_UP = 366;

/** UTF-16 units that are made in one commit, which everyone waits for; a task takes as long as so many of its text. */
const UNIT_BATCH_SIZE = 40_000;
const UNITS_OF_A_TASK = 1_000;

/** Behind each there is one that was not decided upon, unless a document was imported whose numbers are no rule's. */
const MAX_RUNS = 100;

/** An occurrence without a time of day is due on its day. */
const dueOf = ({ at, local }: Pick<Occurrence, 'at' | 'local'>) => (isWholeDay(local) ? local : at);

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
  deleteSteps(tx, series.id);
  const at = toInstant(now);
  const schedule = scheduleOf(series);
  const wanted = { latest: 1, all: MAX_CATCH_UP, none: 0 }[series.catch_up];
  const passed = schedule.newestBetween(series.next_run_at, at, wanted + MAX_CATCH_UP);
  for (const occurrence of passed.slice(wanted)) {
    recordOccurrence(tx, { ...recordOf(series, occurrence), state: 'missed', task_id: null });
  }
  const toMake = passed.slice(0, wanted).toReversed();
  const batchSize = batchSizeOf(series);
  for (const [i, occurrence] of toMake.entries()) {
    const taskId = generate(tx, series, occurrence, null, now);
    if (i + 1 === batchSize) return updateSeriesRow(tx, series, upcomingColumns(occurrence, taskId));
  }
  return setUpcoming(tx, series, schedule.after(at), null, now);
}

const batchSizeOf = ({ description, checklist }: StoredSeries): number =>
  Math.ceil(UNIT_BATCH_SIZE / (UNITS_OF_A_TASK + (description?.length ?? 0) + (checklist?.length ?? 0)));

/**
 * Makes an occurrence the upcoming one, with its task; where it was decided upon before, the next that was not. Ends
 * the series when none is left. `by` is who acted, null for time.
 */
export function setUpcoming(
  tx: Tx,
  series: StoredSeries,
  first: Occurrence | null,
  by: string | null,
  now: number,
): StoredSeries {
  let runs = 0;
  for (let next = first; next; next = afterDecided(tx, series, next)) {
    const taskId = generate(tx, series, next, by, now);
    runs += 1;
    if (taskId === null && runs < MAX_RUNS) continue;
    return updateSeriesRow(tx, series, {
      state: 'active',
      state_reason: null,
      ...upcomingColumns(next, taskId),
    });
  }
  return updateSeriesRow(tx, series, { ...NO_UPCOMING, state: 'ended', state_reason: 'completed' });
}

/** Makes a task the upcoming instance of a new series: its first, which was there before. */
export function adoptTask(
  tx: Tx,
  series: StoredSeries,
  task: StoredTask,
  first: Occurrence,
  now: number,
): StoredSeries {
  recordOccurrence(tx, { ...recordOf(series, first), state: 'generated', task_id: task.id });
  const instance = {
    recurring_task_id: series.id,
    occurrence_at: first.at,
    occurrence_number: first.number,
    overridden: null,
    due_date: dueOf(first),
  };
  changeTask(tx, task, instance, toInstant(now));
  return updateSeriesRow(tx, series, { adopted_task_id: task.id, ...upcomingColumns(first, task.id) });
}

/** The columns of a series with an upcoming occurrence; that it advances is no edit of it. */
export const upcomingColumns = (
  upcoming: Pick<Occurrence, 'at' | 'local' | 'number'>,
  taskId: string | null,
) => ({
  next_run_at: upcoming.at,
  next_local: upcoming.local,
  next_number: upcoming.number,
  next_task_id: taskId,
  tz_version: ZONE_DATA,
  brought_back: null,
});

/** The first that follows an occurrence and the decided ones right behind it: people may have skipped thousands. */
function afterDecided(tx: Tx, series: StoredSeries, occurrence: Occurrence): Occurrence | null {
  const { id: series_id, rule_version, workspace_id } = series;
  const last = lastDecidedFrom(tx, { series_id, rule_version, workspace_id, number: occurrence.number });
  return scheduleOf(series).after(last !== undefined && last > occurrence.at ? last : occurrence.at);
}

/** The columns of a series without an upcoming occurrence. */
export const NO_UPCOMING = {
  next_run_at: null,
  next_local: null,
  next_number: null,
  next_task_id: null,
  tz_version: ZONE_DATA,
  brought_back: null,
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
  const at = toInstant(now);
  const record = { ...recordOf(series, occurrence), state: 'generated', task_id: taskId } as const;
  if (recordOccurrence(tx, record)) {
    const row = taskFor(tx, series, occurrence, taskId, now);
    addTask(tx, row);
    // An assignee who set up the series, or whose own act made the task, is not told.
    if (series.assignee_id !== by) notifyAssigned(tx, row, series.creator_id, at);
    return taskId;
  }
  const decided = findOccurrence(tx, record);
  const task = tasks.findTask(tx, series.workspace_id, decided?.task_id ?? null);
  if (!decided || task?.completed_at !== null) return null;
  // Its task waits already: from before a pause, a split, new zone data, or made ahead.
  reschedule(tx, series, decided, occurrence, at);
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
export function reschedule(
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
  const overridden = overriddenIn(task);
  const isDueThen = !overridden.includes('dueDate') && !overridden.includes('dueDay');
  const dates = { occurrence_at: at, ...(isDueThen && { due_date: dueOf({ at, local }) }) };
  changeTask(tx, task, dates, now);
}

/** What a removed task keeps when it is made again. */
export type MadeBefore = Pick<StoredTask, 'id' | 'number' | 'position' | 'created_at' | 'version'> &
  // None where it was imported.
  Partial<Pick<StoredTask, 'seq'>>;

/** Makes the task of an occurrence from the template again: the one that was there before, or else a new one. */
export function makeTaskAgain(
  tx: Tx,
  series: StoredSeries,
  { occurrence_at: at, occurrence_local: local, number }: RecurringOccurrenceRow,
  before: MadeBefore | undefined,
  now: number,
): StoredTask {
  const row = taskFor(tx, series, { at, local, number }, before?.id ?? newId(now), now);
  const {
    position = row.position,
    created_at = row.created_at,
    version = 0,
    seq,
    number: taskNumber,
  } = before ?? {};
  addTask(tx, { ...row, position, created_at, version: version + 1 }, defined({ seq, number: taskNumber }));
  // Who has missed that it was gone would keep the comments it had.
  if (before) tx.record({ workspaceId: series.workspace_id, kind: 'task', id: row.id, op: 'refetch' });
  const made = tasks.findTask(tx, series.workspace_id, row.id);
  if (!made) throw new Error('A task is not there that was just made');
  return made;
}

function taskFor(
  tx: Tx,
  series: StoredSeries,
  occurrence: Pick<Occurrence, 'at' | 'local' | 'number'>,
  id: string,
  now: number,
): NewTask {
  const list = tasks.findListWithStatuses(tx, series.workspace_id, series.list_id);
  const status = list?.statuses[0];
  if (!list || !status) throw new Error('The list of a series is gone or has no statuses');
  const at = toInstant(now);
  return {
    id,
    workspace_code: series.workspace_code,
    workspace_id: series.workspace_id,
    space_id: list.spaceId,
    ...templateIn(series),
    status_id: status.id,
    creator_id: series.creator_id,
    start_date: null,
    due_date: dueOf(occurrence),
    completed_at: completedAt(status.type, null, at),
    position: positionAfter(lastPosition(tx, series.workspace_code, list.id)),
    recurring_task_id: series.id,
    occurrence_at: occurrence.at,
    occurrence_number: occurrence.number,
    overridden: null,
    created_at: at,
    updated_at: at,
  };
}
