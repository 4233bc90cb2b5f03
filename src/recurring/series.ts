import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { NotPromise } from '../db/writer.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import { badRequest, type Issue, invalid, orNotFound } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { type Page, type PageRequest, pageOf } from '../kernel/page.ts';
import { countInstances, NO_SERIES, releaseInstances } from '../storage/instances.ts';
import { deleteAllOccurrences } from '../storage/occurrences.ts';
import * as store from '../storage/series.ts';
import type { StoredTask } from '../storage/task-fields.ts';
import { findTask, isInTransit } from '../storage/tasks.ts';
import { changeTask } from '../tasks/change-task.ts';
import { type Asker, type Kind, readInSteps } from '../tasks/long-pages.ts';
import { dropTask } from '../tasks/tasks.ts';
import {
  asMassChange,
  type Member,
  requireRole,
  writeAs,
  writeInStepsAs,
} from '../workspaces/authorization.ts';
import { isOverdue } from './advance.ts';
import { isUntouched, NO_FUTURE, planRule, setRule } from './change-rule.ts';
import { createRule, preview } from './recurrence/recurrence.ts';
import { justBefore, scheduleOf } from './schedule.ts';
import {
  type ComingOccurrences,
  PREVIEWED_BY_DEFAULT,
  type Preview,
  type PreviewInput,
  type RecurringTask,
  type SeriesDeletion,
  type SeriesPatch,
  type SeriesQuery,
} from './series-schema.ts';
import { catchUpSeries } from './sweep.ts';
import {
  changeInstances,
  finishInstances,
  holderOf,
  saveTemplate,
  templateIssues,
  weightOf,
} from './template.ts';

/** The invalid references of an edit of a series. */
export function seriesIssues(db: Db, who: Member, id: string, patch: SeriesPatch): Issue[] {
  const series = store.findSeries(db, who.workspaceId, id);
  return series ? templateIssues(db, who, patch, holderOf(series)) : [];
}

/** A series brought to now. */
export async function readSeries(deps: Deps, who: Member, id: string): Promise<RecurringTask> {
  return store.recurringTaskOf(await caughtUp(deps, who, id));
}

const SERIES: Kind<store.PagedSeries, RecurringTask> = {
  complete: store.completeSeries,
  itemOf: store.recurringTaskOf,
};

/** The series of the workspace, each brought to now. */
export async function listSeries(
  deps: Deps,
  who: Member,
  query: SeriesQuery,
  page: PageRequest,
  asker: Asker,
): Promise<Page<RecurringTask>> {
  const now = deps.clock.now();
  const find = (db: Db) => {
    const { items: rows, ...found } = store.listSeries(db, who.workspaceId, query, page);
    return { ...found, rows };
  };
  for (;;) {
    const overdue = find(deps.read).rows.filter((row) => isOverdue(row, now));
    if (overdue.length === 0) {
      const { items, total } = await readInSteps(deps, who, asker, SERIES, find);
      return pageOf(page, total, items);
    }
    await Promise.all(overdue.map(({ id }) => catchUpSeries(deps, who.workspaceId, id, now)));
    requireRole(deps, deps.read, who, 'viewer');
  }
}

/**
 * Changes a series. Title, description, priority, assignee, list, labels and checklist change every instance not done,
 * except what is overridden there. An interval or start makes a new rule from now on: the upcoming instance is rescheduled, or stays
 * as an exception where it was edited; a new end leaves the rhythm as it is. Numbers go on, and a count is one of
 * them. 400 for a rule without a future; one with a future revives an ended series.
 */
export const updateSeries = (
  deps: Deps,
  who: Member,
  id: string,
  patch: SeriesPatch,
  ifMatch: Precondition,
): Promise<RecurringTask> =>
  writeCaughtUpInSteps(deps, who, id, patch, async (write, now) => {
    const { left, shown } = await write(function* (tx, series) {
      const issues = templateIssues(tx, who, patch, holderOf(series));
      const plan = planRule(tx, series, patch, now);
      if (plan === 'no future') issues.push(NO_FUTURE);
      if (plan === 'no future' || issues.length > 0) throw invalid(...issues);
      ifMatch(series);
      const changed = saveTemplate(deps, tx, who, series, patch, now);
      if (plan) setRule(tx, changed, plan, who.userId, now);
      const left = yield* changeInstances(deps, tx, who, changed, patch, now);
      return { left, shown: store.recurringTaskOf(requireSeries(tx, who, id)) };
    });
    await finishInstances(deps, who, left, now);
    return shown;
  });

/**
 * Deletes a series and its upcoming instance, if the series made that and it is as it was made; other tasks stay. Kept, the
 * upcoming instance becomes an ordinary task.
 */
export const removeSeries = (
  deps: Deps,
  who: Member,
  id: string,
  { keepUpcoming = false }: SeriesDeletion,
  ifMatch: Precondition,
): Promise<undefined> =>
  writeCaughtUpInSteps(deps, who, id, {}, (write, now) =>
    write(function* (tx, series) {
      ifMatch(series);
      const task = findTask(tx, who.workspaceId, series.next_task_id);
      const isUpcoming = task?.occurrence_at != null && task.occurrence_at > toInstant(now);
      if (isUpcoming && keepUpcoming) changeTask(tx, task, NO_SERIES, toInstant(now));
      else if (isUpcoming && goesWithSeries(series, task)) dropTask(tx, task);
      yield* releaseInstances(tx, series);
      yield* deleteAllOccurrences(tx, id);
      store.deleteSeries(tx, series);
      return undefined;
    }),
  );

const goesWithSeries = (series: store.StoredSeries, task: StoredTask): boolean =>
  isUntouched(task) && task.comment_count === 0 && series.adopted_task_id !== task.id;

/** The occurrences to come, the upcoming one with its task; none of a series that is not active. */
export async function comingOccurrences(
  deps: Deps,
  who: Member,
  id: string,
  limit: number,
): Promise<ComingOccurrences> {
  const series = await caughtUp(deps, who, id);
  if (series.next_run_at === null) return { occurrences: [], exhausted: true };
  const { occurrences, exhausted } = scheduleOf(series).coming(justBefore(series.next_run_at), limit);
  return {
    occurrences: occurrences.map((occurrence) => ({
      ...occurrence,
      taskId: occurrence.at === series.next_run_at ? series.next_task_id : null,
    })),
    exhausted,
  };
}

/** The occurrences of a rule, stored nowhere. */
export function previewRule(deps: Deps, input: PreviewInput): Preview {
  const { interval, endCondition = { type: 'never' }, startsAt, after, limit = PREVIEWED_BY_DEFAULT } = input;
  const rule = createRule(interval, endCondition, startsAt ?? toInstant(deps.clock.now()));
  return preview(rule, { after, limit });
}

const requireSeries = (db: Db, who: Member, id: string): store.StoredSeries =>
  orNotFound(store.findSeries(db, who.workspaceId, id), 'recurring task');

/** The series, brought to now. */
export async function caughtUp(deps: Deps, who: Member, id: string): Promise<store.StoredSeries> {
  await catchUpSeries(deps, who.workspaceId, id, deps.clock.now());
  requireRole(deps, deps.read, who, 'viewer');
  return requireSeries(deps.read, who, id);
}

/** Writes to a series in the member's name, brought to now first: no service function meets an overdue occurrence. */
export async function writeCaughtUp<T>(
  deps: Deps,
  who: Member,
  id: string,
  fn: (tx: Tx, series: store.StoredSeries, now: number) => NotPromise<T>,
): Promise<T> {
  const now = deps.clock.now();
  await catchUpSeries(deps, who.workspaceId, id, now);
  return writeAs<T>(deps, who, (tx) => fn(tx, requireSeries(tx, who, id), now));
}

/**
 * As `writeCaughtUp`, for what may change very many instances by `change`: `act` is given what writes in steps, and may
 * go on after it with what is too much for one commit.
 */
export async function writeCaughtUpInSteps<T>(
  deps: Deps,
  who: Member,
  id: string,
  change: Pick<SeriesPatch, 'description' | 'checklist'>,
  act: (
    write: <Found>(fn: (tx: Tx, series: store.StoredSeries) => Steps<Found>) => Promise<Found>,
    now: number,
  ) => Promise<T>,
): Promise<T> {
  const now = deps.clock.now();
  await catchUpSeries(deps, who.workspaceId, id, now);
  const rows = weightOf(countInstances(deps.read, requireSeries(deps.read, who, id)), change);
  return asMassChange(deps, who, rows, () =>
    act((fn) => writeInStepsAs(deps, who, 0, (tx) => fn(tx, requireSeries(tx, who, id))), now),
  );
}

/** 400 for a series that has ended. */
export function rejectEnded({ state }: store.StoredSeries): void {
  if (state === 'ended') throw badRequest('The series has ended');
}

/**
 * The upcoming occurrence of a series; 400 for one that is not active, for another `occurrenceAt`, and while its task is
 * on its way into the trash or out of it.
 */
export function requireUpcoming(db: Db, series: store.StoredSeries, occurrenceAt: Instant | undefined) {
  rejectEnded(series);
  const { state, next_run_at: at, next_number: number, workspace_id: workspaceId } = series;
  if (state === 'paused' || at === null || number === null) throw badRequest('The series is paused');
  if (occurrenceAt !== undefined && occurrenceAt !== at) {
    throw invalid({ path: 'occurrenceAt', message: `The upcoming occurrence is at ${at}` });
  }
  if (isInTransit(db, workspaceId, series.next_task_id))
    throw badRequest('The upcoming task is on its way with its list');
  return { at, number };
}
