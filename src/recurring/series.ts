import type { Db } from '../db/connection.ts';
import type { RecurringSeriesRow } from '../db/tables.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { demand, invalid } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { toInstant } from '../kernel/instants.ts';
import type { Page, PageRequest } from '../kernel/page.ts';
import { findTask, priorityRank } from '../tasks/store.ts';
import { dropTask } from '../tasks/tasks.ts';
import { demandRight, type Member, writeAs, writeInStepsAs } from '../workspaces/door.ts';
import { isOverdue, NOWHERE, pointTo } from './generate.ts';
import { releaseInstances } from './instances-store.ts';
import { dropOccurrences } from './occurrences.ts';
import { createRule, occurrenceAfter, preview } from './recurrence.ts';
import { isUntouched, NO_FUTURE, planRule, setRule } from './rule.ts';
import { justBefore, scheduleOf } from './schedule.ts';
import type {
  ComingOccurrences,
  Preview,
  PreviewInput,
  RecurringTask,
  SeriesInput,
  SeriesPatch,
  SeriesQuery,
} from './series-schema.ts';
import * as store from './store.ts';
import { settle } from './sweep.ts';
import { changeInstances, saveTemplate, templateIssues } from './template.ts';

/**
 * Makes a series and the task of its first occurrence after now. 400 for a list or person that will not do, and for
 * a rule without any future occurrence.
 */
export function createSeries(deps: Deps, who: Member, input: SeriesInput): Promise<RecurringTask> {
  const now = deps.clock.now();
  const at = toInstant(now);
  const startsAt = input.startsAt ?? at;
  const rule = createRule(input.interval, input.endCondition ?? { type: 'never' }, startsAt);
  const first = occurrenceAfter(rule, at);
  return writeAs(deps, who, (tx) => {
    const issues = templateIssues(tx, who, input);
    if (!first) issues.push(NO_FUTURE);
    if (!first || issues.length > 0) throw invalid(...issues);
    const row: RecurringSeriesRow = {
      id: newId(now),
      workspace_id: who.workspaceId,
      list_id: input.listId,
      title: input.title,
      description: input.description ?? null,
      priority: priorityRank(input.priority ?? 'none'),
      assignee_id: input.assigneeId ?? null,
      creator_id: who.userId,
      interval: JSON.stringify(rule.interval),
      end_condition: JSON.stringify(rule.endCondition),
      starts_at: startsAt,
      catch_up: input.catchUp ?? 'latest',
      anchor_date: rule.anchor,
      number_offset: 0,
      rule_version: 1,
      state: 'active',
      state_reason: null,
      ...NOWHERE,
      created_at: at,
      updated_at: at,
    };
    store.insertSeries(tx, row);
    const series = { ...row, workspace_code: who.workspaceCode };
    return store.recurringTaskOf(pointTo(tx, series, first, who.userId, now));
  });
}

/** A series brought to now. */
export async function readSeries(deps: Deps, who: Member, id: string): Promise<RecurringTask> {
  return store.recurringTaskOf(await settled(deps, who, id));
}

/** The series of the workspace, each brought to now. */
export async function listSeries(
  deps: Deps,
  who: Member,
  query: SeriesQuery,
  page: PageRequest,
): Promise<Page<RecurringTask>> {
  const now = deps.clock.now();
  for (;;) {
    const found = store.listSeries(deps.read, who.workspaceId, query, page);
    const overdue = found.items.filter((row) => isOverdue(row, now));
    if (overdue.length === 0) return { ...found, items: found.items.map(store.recurringTaskOf) };
    await Promise.all(overdue.map(({ id }) => settle(deps, who.workspaceId, id, now)));
    demandRight(deps, deps.read, who, 'viewer');
  }
}

/**
 * Changes a series. Title, description, priority, assignee and list change every instance not done, except what is
 * overridden there. An interval or start makes a new rule from now on: the upcoming instance is dated anew, or stays
 * as an exception where it was edited; a new end leaves the rhythm as it is. Numbers go on, and a count is one of
 * them. 400 for a rule without a future; one with a future revives an ended series.
 */
export const updateSeries = (
  deps: Deps,
  who: Member,
  id: string,
  patch: SeriesPatch,
): Promise<RecurringTask> =>
  writeSettledInSteps(deps, who, id, function* (tx, series, now) {
    const issues = templateIssues(tx, who, patch);
    const plan = planRule(tx, series, patch, now);
    if (plan === 'no future') issues.push(NO_FUTURE);
    if (plan === 'no future' || issues.length > 0) throw invalid(...issues);
    const changed = saveTemplate(tx, series, patch, now);
    if (plan) setRule(tx, changed, plan, who.userId, now);
    yield* changeInstances(deps, tx, who, changed, patch, now);
    return store.recurringTaskOf(demandSeries(tx, who, id));
  });

/** Deletes a series and its upcoming instance, if that is open and nobody edited it; other tasks stay. */
export const removeSeries = (deps: Deps, who: Member, id: string): Promise<undefined> =>
  writeSettledInSteps(deps, who, id, function* (tx, series, now) {
    const task = findTask(tx, who.workspaceId, series.next_task_id);
    const isUpcoming = task?.occurrence_at != null && task.occurrence_at > toInstant(now);
    if (isUpcoming && isUntouched(task)) dropTask(tx, task);
    yield* releaseInstances(tx, series);
    yield* dropOccurrences(tx, id);
    store.deleteSeries(tx, series);
    return undefined;
  });

/** The occurrences to come, the upcoming one with its task; none of a series that is not active. */
export async function comingOccurrences(
  deps: Deps,
  who: Member,
  id: string,
  limit: number,
): Promise<ComingOccurrences> {
  const series = await settled(deps, who, id);
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
  const { interval, endCondition = { type: 'never' }, startsAt, after, limit } = input;
  const rule = createRule(interval, endCondition, startsAt ?? toInstant(deps.clock.now()));
  return preview(rule, { after, limit });
}

const demandSeries = (db: Db, who: Member, id: string): store.StoredSeries =>
  demand(store.findSeries(db, who.workspaceId, id), 'recurring task');

/** The series, brought to now. */
export async function settled(deps: Deps, who: Member, id: string): Promise<store.StoredSeries> {
  await settle(deps, who.workspaceId, id, deps.clock.now());
  demandRight(deps, deps.read, who, 'viewer');
  return demandSeries(deps.read, who, id);
}

/** Writes to a series in the member's name, brought to now first: no verb meets an overdue occurrence. */
export async function writeSettled<T>(
  deps: Deps,
  who: Member,
  id: string,
  job: (tx: Tx, series: store.StoredSeries, now: number) => ReturnType<Parameters<typeof deps.write<T>>[0]>,
): Promise<T> {
  const now = deps.clock.now();
  await settle(deps, who.workspaceId, id, now);
  return writeAs<T>(deps, who, (tx) => job(tx, demandSeries(tx, who, id), now));
}

/** As `writeSettled`, for a job that may change very many instances. */
export async function writeSettledInSteps<T>(
  deps: Deps,
  who: Member,
  id: string,
  job: (tx: Tx, series: store.StoredSeries, now: number) => Steps<T>,
): Promise<T> {
  const now = deps.clock.now();
  await settle(deps, who.workspaceId, id, now);
  return writeInStepsAs<T>(deps, who, (tx) => job(tx, demandSeries(tx, who, id), now));
}
