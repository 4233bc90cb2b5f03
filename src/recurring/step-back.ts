import { atOnce, type Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { badRequest } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { deleteOccurrence, findOccurrence, updateOccurrence } from '../storage/occurrences.ts';
import { recurringTaskOf, type StoredSeries, updateSeriesRow } from '../storage/series.ts';
import { deleteStep, insertStep, lastStep } from '../storage/series-steps.ts';
import { isOpen } from '../storage/status-types.ts';
import type { RecurringOccurrenceRow, SeriesStepRow } from '../storage/tables.ts';
import { overriddenIn, type ShortTask, type StoredTask } from '../storage/task-fields.ts';
import { findListWithStatuses, findTask, isInTransit } from '../storage/tasks.ts';
import { checklistOf, toJson } from '../storage/template-fields.ts';
import { findEntry, isInTrash } from '../storage/trash.ts';
import { findPacked } from '../storage/trash-rows.ts';
import { changeTask } from '../tasks/change-task.ts';
import { dropTask, editTask } from '../tasks/tasks.ts';
import { restoreTask } from '../tasks/trash-tasks.ts';
import type { Member } from '../workspaces/authorization.ts';
import { type MadeBefore, makeTaskAgain, upcomingColumns } from './advance.ts';
import { digestOf } from './brought-back.ts';
import { isUntouched } from './change-rule.ts';
import { requireUpcoming, writeCaughtUp } from './series.ts';
import type { RecurringTask, StepBackInput } from './series-schema.ts';

/** Notes that the upcoming instance makes its series advance; `task` is what it was before, none where it was gone. */
export function recordStep(tx: Tx, series: StoredSeries, task: ShortTask | undefined): void {
  const { id, next_number: number, rule_version, next_local: occurrence_local } = series;
  if (number === null || occurrence_local === null) return;
  const made: MadeBefore | undefined = task && {
    id: task.id,
    seq: task.seq,
    number: task.number,
    position: task.position,
    created_at: task.created_at,
    version: task.version,
  };
  insertStep(tx, {
    series_id: id,
    number,
    rule_version,
    occurrence_local,
    task_id: task?.id ?? null,
    task: made ? JSON.stringify(made) : null,
    status_id: task?.status_id ?? null,
    was_status_overridden: task && overriddenIn(task).includes('statusId') ? 1 : 0,
  });
}

/**
 * Takes back the last completion, skip or deletion that made a series advance: the upcoming instance goes for good, and the
 * one before it is the upcoming one again, open. 400 for another instant than that of the upcoming occurrence, and where
 * nothing can be taken back: the upcoming instance is no longer as it was made, or the earlier one's time has passed.
 */
export const stepBack = (
  deps: Deps,
  who: Member,
  id: string,
  { occurrenceAt }: StepBackInput,
): Promise<RecurringTask> =>
  writeCaughtUp(deps, who, id, (tx, series, now) => {
    requireUpcoming(tx, series, occurrenceAt);
    const { step, occurrence, upcoming, earlier } = requireStep(tx, series, toInstant(now));
    dropTask(tx, upcoming);
    deleteOccurrence(tx, { ...occurrence, occurrence_local: series.next_local ?? '' });
    deleteStep(tx, step);
    const task = reopen(
      deps,
      tx,
      who,
      earlier ??
        fromTrash(deps, tx, who, series, occurrence, step, now) ??
        makeTaskAgain(tx, series, occurrence, madeBefore(step), now),
      step,
      now,
    );
    updateOccurrence(tx, occurrence, { state: 'generated', task_id: task.id });
    const { occurrence_at, occurrence_local: local, number } = occurrence;
    return recurringTaskOf(
      updateSeriesRow(tx, series, {
        ...upcomingColumns({ at: occurrence_at, local, number }, task.id),
        brought_back: digestOf(task),
        updated_at: toInstant(now),
      }),
    );
  });

function requireStep(tx: Tx, series: StoredSeries, at: string) {
  const step = lastStep(tx, series.id);
  const occurrence = step && findOccurrence(tx, step);
  if (!step || !occurrence) throw badRequest('There is nothing to take back');
  if (occurrence.occurrence_at <= at) throw badRequest('The time of the occurrence before has passed');
  const upcoming = findTask(tx, series.workspace_id, series.next_task_id);
  if (!upcoming || !isAsMade(series, upcoming)) {
    throw badRequest('The upcoming task is no longer as it was made');
  }
  const earlier = findTask(tx, series.workspace_id, step.task_id);
  const { workspace_id: workspaceId, workspace_code: workspaceKey } = series;
  const id = step.task_id ?? '';
  const entry = findEntry(tx, workspaceKey, id);
  const packed = entry && findPacked(tx, entry, id);
  const seriesId = earlier ? earlier.recurring_task_id : packed ? packed.series_id : series.id;
  if (seriesId !== series.id) {
    throw badRequest('The task of the occurrence before belongs to the series no more');
  }
  if (!entry && (isInTrash(tx, workspaceKey, id) || isInTransit(tx, workspaceId, id))) {
    throw badRequest('The task of the occurrence before is in the trash with its list');
  }
  return { step, occurrence, upcoming, earlier };
}

/** The earlier task, where it is in the trash: into its list, else that of the series. */
function fromTrash(
  deps: Deps,
  tx: Tx,
  who: Member,
  series: StoredSeries,
  occurrence: RecurringOccurrenceRow,
  { task_id: id }: SeriesStepRow,
  now: number,
): StoredTask | undefined {
  const entry = id === null ? undefined : findEntry(tx, who.workspaceKey, id);
  if (!entry) return undefined;
  // Of an occurrence that counts as skipped it would come back as an ordinary task.
  updateOccurrence(tx, occurrence, { state: 'deleted' });
  const hasList = entry.place_id !== null && findListWithStatuses(tx, who.workspaceId, entry.place_id);
  const to = hasList ? {} : { listId: series.list_id };
  atOnce(restoreTask(deps, tx, who, entry.id, to, now));
  return findTask(tx, who.workspaceId, entry.id);
}

const madeBefore = ({ task }: SeriesStepRow) =>
  task === null ? undefined : (JSON.parse(task) as MadeBefore);

/** As the series made it, or as a step brought it back. */
const isAsMade = (series: StoredSeries, task: StoredTask): boolean =>
  series.brought_back === null
    ? isUntouched(task) && task.comment_count === 0 && !checklistOf(task).some(({ isDone }) => isDone)
    : series.brought_back === digestOf(task);

/** In the status that it had before the step, else the first. */
function reopen(
  deps: Deps,
  tx: Tx,
  who: Member,
  task: StoredTask,
  { status_id, was_status_overridden }: SeriesStepRow,
  now: number,
): StoredTask {
  const open = findListWithStatuses(tx, task.workspace_id, task.list_id)?.statuses.filter(({ type }) =>
    isOpen(type),
  );
  const status = open?.find(({ id }) => id === status_id) ?? open?.[0];
  const opened = editTask(deps, tx, who, task, { statusId: status?.id }, now, { marked: false });
  const names = overriddenIn(opened);
  const isOwn = was_status_overridden === 1 && status?.id === status_id;
  const overridden = isOwn
    ? [...new Set([...names, 'statusId'])]
    : names.filter((field) => field !== 'statusId');
  return changeTask(tx, opened, { overridden: toJson(overridden) }, toInstant(now));
}
