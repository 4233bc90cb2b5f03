import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { WrittenPage } from '../http/long-json.ts';
import { AppError, type Issue, invalid, notFound, throwIfIssues } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { toInstant, toMs } from '../kernel/instants.ts';
import { type PageRequest, pageOf } from '../kernel/page.ts';
import * as store from '../storage/instances.ts';
import { firstOccurrence, moveOccurrences } from '../storage/occurrences.ts';
import { type StoredSeries, updateSeriesRow } from '../storage/series.ts';
import { deleteSteps } from '../storage/series-steps.ts';
import type { RecurringSeriesRow } from '../storage/tables.ts';
import { type StoredTask, taskOf } from '../storage/task-fields.ts';
import { findTask } from '../storage/tasks.ts';
import { moveTrashedInstances } from '../storage/trash-rows.ts';
import type { Asker } from '../tasks/long-pages.ts';
import type { TaskPage } from '../tasks/query-schema.ts';
import { editIssues } from '../tasks/references.ts';
import type { Task } from '../tasks/schema.ts';
import { readTaskPage } from '../tasks/task-pages.ts';
import { editTask } from '../tasks/tasks.ts';
import type { Member } from '../workspaces/authorization.ts';
import { NO_UPCOMING, setUpcoming } from './advance.ts';
import { addSeries } from './create-series.ts';
import { dateOf, dayAt } from './recurrence/calendar.ts';
import { type EndCondition, MAX_COUNT } from './rule-schema.ts';
import { endConditionOf, intervalOf, scheduleOf } from './schedule.ts';
import { caughtUp, seriesIssues, writeCaughtUp, writeCaughtUpInSteps } from './series.ts';
import type { EditModeInput } from './series-schema.ts';
import { changeInstances, finishInstances, holderOf, saveTemplate, templateIssues } from './template.ts';

/** The tasks of a series that still exist, by occurrence. */
export async function listInstances(
  deps: Deps,
  who: Member,
  id: string,
  page: PageRequest,
  asker: Asker,
): Promise<WrittenPage<TaskPage>> {
  const series = await caughtUp(deps, who, id);
  const { items, total } = await readTaskPage(deps, who, asker, (db) => {
    const { items: rows, total } = store.findInstances(db, series, page);
    return { rows, total };
  });
  return pageOf(page, total, items);
}

/**
 * Changes an instance alone, with those that follow, or with all that are not done; fields overridden in an instance
 * stay there. `following` splits the series: what begins with this instance becomes a series of its own. 404 for a
 * task that is no instance of the series.
 */
export function editInstance(
  deps: Deps,
  who: Member,
  id: string,
  taskId: string,
  { mode, updates }: EditModeInput,
): Promise<Task> {
  const requireInstance = (tx: Tx) => {
    const task = findTask(tx, who.workspaceId, taskId);
    if (task?.recurring_task_id !== id) throw notFound('instance of this series');
    return task;
  };
  if (mode === 'this') {
    return writeCaughtUp(deps, who, id, (tx, _series, now) => {
      const task = requireInstance(tx);
      return underUpdates(() => taskOf(editTask(deps, tx, who, task, updates, now)));
    });
  }
  return writeCaughtUpInSteps(deps, who, id, updates, async (write, now) => {
    const { left, shown } = await write(function* (tx, series) {
      const task = requireInstance(tx);
      throwIfIssues(inUpdates(templateIssues(tx, who, updates, holderOf(series))));
      const own = mode === 'following' ? yield* splitAt(deps, tx, who, series, task, now) : series;
      const whole = saveTemplate(deps, tx, who, own, updates, now);
      const left = yield* changeInstances(deps, tx, who, whole, updates, now);
      return { left, shown: taskOf(findTask(tx, who.workspaceId, taskId) ?? task) };
    });
    await finishInstances(deps, who, left, now);
    const task = findTask(deps.read, who.workspaceId, taskId);
    return task ? taskOf(task) : shown;
  });
}

/** Validates the references in an edit of an instance, or of its series. */
export const updateIssues = (
  db: Db,
  who: Member,
  id: string,
  taskId: string,
  { mode, updates = {} }: Partial<EditModeInput>,
): Issue[] =>
  inUpdates(mode === 'this' ? editIssues(db, who, taskId, updates) : seriesIssues(db, who, id, updates));

/** Runs what rejects fields of a task; here they lie under `updates`. */
function underUpdates<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof AppError) || !error.issues) throw error;
    throw invalid(...inUpdates(error.issues));
  }
}

const inUpdates = (issues: readonly Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: `updates.${issue.path}` }));

/**
 * Makes the occurrences from this instance on a series of their own, numbered from 1 and with what is left of a count;
 * it stands where the present one stood, or at its own first that waits where that one stood before it, and the
 * present one ends. Nothing to split at the first one.
 */
function* splitAt(
  deps: Deps,
  tx: Tx,
  who: Member,
  series: StoredSeries,
  task: StoredTask,
  now: number,
): Steps<StoredSeries> {
  const number = task.occurrence_number ?? 1;
  if ((firstOccurrence(tx, series.id)?.number ?? 1) >= number) return series;
  const at = toInstant(now);
  const { workspace_code: _, next_number, ...row } = series;
  const isBehind = next_number !== null && next_number < number;
  const rest: RecurringSeriesRow = {
    ...row,
    id: newId(now),
    end_condition: JSON.stringify(endFrom(series, number)),
    starts_at: task.occurrence_at ?? series.starts_at,
    number_offset: series.number_offset - (number - 1),
    next_number: next_number && next_number - (number - 1),
    ...(isBehind && NO_UPCOMING),
    version: 1,
    created_at: at,
    updated_at: at,
  };
  const split = addSeries(deps, tx, who, rest);
  deleteSteps(tx, series.id);
  yield* moveOccurrences(tx, series.id, rest.id, number);
  yield* store.moveInstances(tx, series, split.id, number, at);
  yield* moveTrashedInstances(tx, series.id, split.id, number);
  updateSeriesRow(tx, series, {
    ...NO_UPCOMING,
    end_condition: JSON.stringify(endBefore(series, number, task)),
    state: 'ended',
    state_reason: 'completed',
    updated_at: at,
  });
  return isBehind && series.state === 'active'
    ? setUpcoming(tx, split, scheduleOf(split).after(at), who.userId, now)
    : split;
}

function endFrom(series: StoredSeries, number: number): EndCondition {
  const end = endConditionOf(series);
  return end.type === 'count' ? { type: 'count', count: end.count - number + 1 } : end;
}

/** A count, as far as one can be asked for; else the day before, on the calendar of the zone. */
function endBefore(series: StoredSeries, number: number, task: StoredTask): EndCondition {
  if (number - 1 <= MAX_COUNT) return { type: 'count', count: number - 1 };
  const day = dayAt(toMs(task.occurrence_at ?? task.created_at), intervalOf(series).timezone);
  return { type: 'date', endDate: dateOf(day - 1) };
}
