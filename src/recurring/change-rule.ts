import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '../db/tx.ts';
import { boundsOf, dayOf } from '../kernel/days.ts';
import type { Issue } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { findOccurrence, lastOccurrence } from '../storage/occurrences.ts';
import { type StoredSeries, updateSeriesRow } from '../storage/series.ts';
import { deleteSteps } from '../storage/series-steps.ts';
import type { RecurringOccurrenceRow, RecurringSeriesRow, TaskRow } from '../storage/tables.ts';
import { overriddenIn } from '../storage/task-fields.ts';
import { findTask } from '../storage/tasks.ts';
import { NO_UPCOMING, reschedule, setUpcoming, upcomingColumns } from './advance.ts';
import { createRule, type Occurrence, occurrenceAfter, type Rule } from './recurrence/recurrence.ts';
import type { EndCondition } from './rule-schema.ts';
import { endConditionOf, intervalOf, justBefore, scheduleOf } from './schedule.ts';
import type { SeriesPatch } from './series-schema.ts';

export const NO_FUTURE: Issue = { path: 'endCondition', message: 'The rule has no future occurrence' };

/** What a new rule or a new end makes of a series. */
interface RulePlan {
  columns: Partial<RecurringSeriesRow>;
  /** The upcoming occurrence by the new rule. */
  first: Occurrence;
  isNewRhythm: boolean;
  /** The present upcoming occurrence, when it becomes the first one. */
  rescheduled?: RecurringOccurrenceRow | undefined;
}

/** Whether an instance is open and nothing of it overridden; comments and ticks do not count. */
export const isUntouched = (task: TaskRow): boolean =>
  task.completed_at === null && overriddenIn(task).length === 0;

/** Returns what a patch makes of the rule of a series; undefined when the rule stays as it is. */
export function planRule(
  tx: Tx,
  series: StoredSeries,
  patch: SeriesPatch,
  now: number,
): RulePlan | 'no future' | undefined {
  const at = toInstant(now);
  // A start to come is the series' until another is asked for.
  const startsAt = patch.startsAt ?? (series.starts_at > at ? series.starts_at : at);
  const [interval, end] = [intervalOf(series), endConditionOf(series)];
  const asked = createRule(patch.interval ?? interval, patch.endCondition ?? end, startsAt);
  const isNewRhythm =
    !isDeepStrictEqual(asked.interval, interval) ||
    (patch.startsAt !== undefined && patch.startsAt !== series.starts_at);
  if (isNewRhythm) return planRhythm(tx, series, asked, startsAt, at) ?? 'no future';
  if (isDeepStrictEqual(asked.endCondition, end)) return undefined;
  return planEnd(tx, series, asked.endCondition, at) ?? 'no future';
}

/** Stores a new rule, and reschedules the upcoming instance or makes another; `by` is who asked for it. */
export function setRule(tx: Tx, series: StoredSeries, plan: RulePlan, by: string, now: number): void {
  const at = toInstant(now);
  deleteSteps(tx, series.id);
  const changed = updateSeriesRow(tx, series, { ...plan.columns, updated_at: at });
  const { state } = series;
  if (plan.rescheduled) replaceUpcoming(tx, changed, plan.rescheduled, plan.first, at);
  else if (state === 'ended' || (state === 'active' && plan.isNewRhythm))
    setUpcoming(tx, changed, plan.first, by, now);
  else if (plan.isNewRhythm) updateSeriesRow(tx, changed, NO_UPCOMING);
}

/** Counted from the start asked for, else from now or a start to come, in numbers that go on from the last. */
function planRhythm(
  tx: Tx,
  series: StoredSeries,
  asked: Rule,
  startsAt: Instant,
  now: Instant,
): RulePlan | undefined {
  const at = afterWholeDay(series, asked, now);
  const next = occurrenceAfter({ ...asked, endCondition: { type: 'never' } }, at);
  if (!next) return undefined;
  const rescheduled = reschedulable(tx, series, next, now);
  const number = rescheduled?.number ?? (lastOccurrence(tx, series.id)?.number ?? 0) + 1;
  const columns = {
    interval: JSON.stringify(asked.interval),
    end_condition: JSON.stringify(asked.endCondition),
    starts_at: startsAt,
    anchor_date: asked.anchor,
    number_offset: number - next.number,
    rule_version: series.rule_version + 1,
  };
  const first = scheduleOf(columns).after(at);
  return first ? { columns, first, isNewRhythm: true, rescheduled } : undefined;
}

/** A rule that gets a time of day begins after a day that had its occurrence already: no day has a second one. */
function afterWholeDay(series: StoredSeries, asked: Rule, now: Instant): Instant {
  const { timeOfDay, timezone } = intervalOf(series);
  if (timeOfDay !== null || asked.interval.timeOfDay === null) return now;
  const { start, end } = boundsOf(dayOf(now, timezone), timezone);
  const hadOne = scheduleOf(series).newestBetween(justBefore(start), now, 1).length > 0;
  return hadOne ? justBefore(end) : now;
}

/** The rhythm goes on: no instance is rescheduled, and none that was decided upon before comes again. */
function planEnd(tx: Tx, series: StoredSeries, end: EndCondition, at: Instant): RulePlan | undefined {
  const columns = { end_condition: JSON.stringify(end) };
  const last = series.state === 'ended' ? lastOccurrence(tx, series.id)?.occurrence_at : undefined;
  const from = series.next_run_at === null ? at : justBefore(series.next_run_at);
  const first = scheduleOf({ ...series, ...columns }).after(last !== undefined && last > from ? last : from);
  return first ? { columns, first, isNewRhythm: false } : undefined;
}

/** The upcoming occurrence, if the first of a new rule takes its place: at the same instant, or nobody edited its task. */
function reschedulable(
  tx: Tx,
  series: StoredSeries,
  next: Occurrence,
  at: Instant,
): RecurringOccurrenceRow | undefined {
  const { id: series_id, rule_version, next_local: occurrence_local } = series;
  if (occurrence_local === null) return undefined;
  const upcoming = findOccurrence(tx, { series_id, rule_version, occurrence_local });
  if (!upcoming || upcoming.occurrence_at <= at) return undefined;
  if (upcoming.occurrence_at === next.at) return upcoming;
  const task = findTask(tx, series.workspace_id, upcoming.task_id);
  return task && isUntouched(task) ? upcoming : undefined;
}

function replaceUpcoming(
  tx: Tx,
  series: StoredSeries,
  upcoming: RecurringOccurrenceRow,
  first: Occurrence,
  at: Instant,
): void {
  reschedule(tx, series, upcoming, first, at);
  updateSeriesRow(tx, series, {
    ...upcomingColumns(first, upcoming.task_id),
    ...(series.state !== 'active' && { next_run_at: null }),
  });
}
