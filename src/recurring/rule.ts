import { isDeepStrictEqual } from 'node:util';
import type { RecurringOccurrenceRow, RecurringSeriesRow, TaskRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Issue } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { findTask, overriddenIn } from '../tasks/store.ts';
import { NOWHERE, pointTo, redate, standingAt } from './generate.ts';
import { findOccurrence, lastOccurrence } from './occurrences.ts';
import { createRule, type Occurrence, occurrenceAfter, type Rule } from './recurrence.ts';
import { endConditionOf, intervalOf, justBefore, scheduleOf } from './schedule.ts';
import type { EndCondition } from './schema.ts';
import type { SeriesPatch } from './series-schema.ts';
import { type StoredSeries, updateSeriesRow } from './store.ts';

export const NO_FUTURE: Issue = { path: 'endCondition', message: 'The rule has no future occurrence' };

/** What a new rule or a new end makes of a series. */
interface RulePlan {
  columns: Partial<RecurringSeriesRow>;
  /** The upcoming occurrence by the new rule. */
  first: Occurrence;
  isNewRhythm: boolean;
  /** The present upcoming occurrence, when it becomes the first one. */
  redated?: RecurringOccurrenceRow | undefined;
}

/** An instance that is just as its series made it. */
export const isUntouched = (task: TaskRow): boolean =>
  task.completed_at === null && overriddenIn(task).length === 0;

/** Undefined when the rule stays as it is. */
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

export function setRule(tx: Tx, series: StoredSeries, plan: RulePlan, by: string, now: number): void {
  const at = toInstant(now);
  const changed = updateSeriesRow(tx, series, { ...plan.columns, updated_at: at });
  const { state } = series;
  if (plan.redated) replaceUpcoming(tx, changed, plan.redated, plan.first, at);
  else if (state === 'ended' || (state === 'active' && plan.isNewRhythm))
    pointTo(tx, changed, plan.first, by, now);
  else if (plan.isNewRhythm) updateSeriesRow(tx, changed, NOWHERE);
}

/** Counted from the start asked for, else from now or a start to come, in numbers that go on from the last. */
function planRhythm(
  tx: Tx,
  series: StoredSeries,
  asked: Rule,
  startsAt: Instant,
  at: Instant,
): RulePlan | undefined {
  const next = occurrenceAfter({ ...asked, endCondition: { type: 'never' } }, at);
  if (!next) return undefined;
  const redated = redatable(tx, series, next, at);
  const number = redated?.number ?? (lastOccurrence(tx, series.id)?.number ?? 0) + 1;
  const columns = {
    interval: JSON.stringify(asked.interval),
    end_condition: JSON.stringify(asked.endCondition),
    starts_at: startsAt,
    anchor_date: asked.anchor,
    number_offset: number - next.number,
    rule_version: series.rule_version + 1,
  };
  const first = scheduleOf(columns).after(at);
  return first ? { columns, first, isNewRhythm: true, redated } : undefined;
}

/** The rhythm goes on: no instance is dated anew, and none that was decided upon before comes again. */
function planEnd(tx: Tx, series: StoredSeries, end: EndCondition, at: Instant): RulePlan | undefined {
  const columns = { end_condition: JSON.stringify(end) };
  const last = series.state === 'ended' ? lastOccurrence(tx, series.id)?.occurrence_at : undefined;
  const from = series.next_run_at === null ? at : justBefore(series.next_run_at);
  const first = scheduleOf({ ...series, ...columns }).after(last !== undefined && last > from ? last : from);
  return first ? { columns, first, isNewRhythm: false } : undefined;
}

/** The upcoming occurrence, if the first of a new rule takes its place: at the same instant, or nobody edited its task. */
function redatable(
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
  redate(tx, series, upcoming, first, at);
  updateSeriesRow(tx, series, {
    ...standingAt(first, upcoming.task_id),
    ...(series.state !== 'active' && { next_run_at: null }),
  });
}
