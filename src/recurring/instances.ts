import type { RecurringSeriesRow } from '../db/tables.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { AppError, demandSound, type Issue, invalid, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { toInstant, toMs } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { editIssues } from '../tasks/references.ts';
import type { Task } from '../tasks/schema.ts';
import { findTask, type StoredTask, taskOf } from '../tasks/store.ts';
import { editTask } from '../tasks/tasks.ts';
import type { Member } from '../workspaces/door.ts';
import { dateOf, dayAt } from './calendar.ts';
import { NOWHERE, pointTo } from './generate.ts';
import * as store from './instances-store.ts';
import { firstOccurrence, moveOccurrences } from './occurrences.ts';
import { endConditionOf, intervalOf, scheduleOf } from './schedule.ts';
import { COUNT_AT_MOST, type EndCondition } from './schema.ts';
import { settled, writeSettled, writeSettledInSteps } from './series.ts';
import type { EditModeInput } from './series-schema.ts';
import { insertSeries, type StoredSeries, updateSeriesRow } from './store.ts';
import { changeInstances, saveTemplate, templateIssues } from './template.ts';

/** The tasks of a series that still exist, by occurrence. */
export async function listInstances(
  deps: Deps,
  who: Member,
  id: string,
  page: PageRequest,
): Promise<Page<Task>> {
  return store.listInstances(deps.read, await settled(deps, who, id), page);
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
  const demandInstance = (tx: Tx) => {
    const task = findTask(tx, who.workspaceId, taskId);
    if (task?.recurring_task_id !== id) throw notFound('instance of this series');
    return task;
  };
  if (mode === 'this') {
    return writeSettled(deps, who, id, (tx, _series, now) => {
      const task = demandInstance(tx);
      return underUpdates(() => taskOf(editTask(deps, tx, who, task, updates, now)));
    });
  }
  return writeSettledInSteps(deps, who, id, function* (tx, series, now) {
    const task = demandInstance(tx);
    demandSound(inUpdates(templateIssues(tx, who, updates)));
    const own = mode === 'following' ? yield* splitAt(tx, series, task, who.userId, now) : series;
    const whole = saveTemplate(tx, own, updates, now);
    yield* changeInstances(deps, tx, who, whole, updates, now);
    return taskOf(findTask(tx, who.workspaceId, taskId) ?? task);
  });
}

/** What will not do of the list, status and assignee that an instance, or its series, is to have. */
export function updateIssues(
  deps: Deps,
  who: Member,
  taskId: string,
  { mode, updates = {} }: Partial<EditModeInput>,
): Issue[] {
  const issues =
    mode === 'this' ? editIssues(deps, who, taskId, updates) : templateIssues(deps.read, who, updates);
  return inUpdates(issues);
}

/** Runs what refuses fields of a task; here they lie under `updates`. */
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
  tx: Tx,
  series: StoredSeries,
  task: StoredTask,
  by: string,
  now: number,
): Steps<StoredSeries> {
  const number = task.occurrence_number ?? 1;
  if ((firstOccurrence(tx, series.id)?.number ?? 1) >= number) return series;
  const at = toInstant(now);
  const { workspace_code, next_number, ...row } = series;
  const isBehind = next_number !== null && next_number < number;
  const rest: RecurringSeriesRow = {
    ...row,
    id: newId(now),
    end_condition: JSON.stringify(endFrom(series, number)),
    starts_at: task.occurrence_at ?? series.starts_at,
    number_offset: series.number_offset - (number - 1),
    next_number: next_number && next_number - (number - 1),
    ...(isBehind && NOWHERE),
    created_at: at,
    updated_at: at,
  };
  insertSeries(tx, rest);
  yield* moveOccurrences(tx, series.id, rest.id, number);
  const split = { ...rest, workspace_code };
  yield* store.moveInstances(tx, series, split.id, number, at);
  updateSeriesRow(tx, series, {
    ...NOWHERE,
    end_condition: JSON.stringify(endBefore(series, number, task)),
    state: 'ended',
    state_reason: 'completed',
    updated_at: at,
  });
  return isBehind && series.state === 'active'
    ? pointTo(tx, split, scheduleOf(split).after(at), by, now)
    : split;
}

function endFrom(series: StoredSeries, number: number): EndCondition {
  const end = endConditionOf(series);
  return end.type === 'count' ? { type: 'count', count: end.count - number + 1 } : end;
}

/** A count, as far as one can be asked for; else the day before, on the calendar of the zone. */
function endBefore(series: StoredSeries, number: number, task: StoredTask): EndCondition {
  if (number - 1 <= COUNT_AT_MOST) return { type: 'count', count: number - 1 };
  const day = dayAt(toMs(task.occurrence_at ?? task.created_at), intervalOf(series).timezone);
  return { type: 'date', endDate: dateOf(day - 1) };
}
