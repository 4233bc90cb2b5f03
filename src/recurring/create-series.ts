import type { Db } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { Existing } from '../http/route.ts';
import { boundsOf, isWholeDay } from '../kernel/days.ts';
import { type Issue, invalid } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import * as store from '../storage/series.ts';
import { isOpen } from '../storage/status-types.ts';
import type { RecurringSeriesRow } from '../storage/tables.ts';
import type { StoredTask } from '../storage/task-fields.ts';
import { findTask } from '../storage/tasks.ts';
import { itemTitles } from '../storage/template-fields.ts';
import { ownIdIssues } from '../tasks/checklist.ts';
import { planEdit, statusOf } from '../tasks/references.ts';
import { editTask } from '../tasks/tasks.ts';
import { type Member, writeAs } from '../workspaces/authorization.ts';
import { claimId } from '../workspaces/client-ids.ts';
import { requireCapacity, requireQuota } from '../workspaces/quotas.ts';
import { adoptTask, advance, NO_UPCOMING, setUpcoming } from './advance.ts';
import { NO_FUTURE } from './change-rule.ts';
import {
  createRule,
  type Occurrence,
  occurrenceAfter,
  occurrenceAtOrBefore,
  type Rule,
} from './recurrence/recurrence.ts';
import type { Interval } from './rule-schema.ts';
import type { RecurringTask, SeriesInput } from './series-schema.ts';
import { givenTemplate, newTemplate, templateIssues, templateOfTask } from './template.ts';

/**
 * Makes a series and the task of its first occurrence after now, or makes one of a task, which is its first instance:
 * on this day where that is its own due day. 400 for an invalid list or person, a task that is done or has a series, and
 * a rule without any future occurrence.
 */
export function createSeries(
  deps: Deps,
  who: Member,
  input: SeriesInput,
): Promise<RecurringTask | Existing<RecurringTask>> {
  const now = deps.clock.now();
  const at = toInstant(now);
  return writeAs(deps, who, (tx) => {
    const id = claimId(tx, input.id, now, (given) => {
      const same = store.findSeries(tx, who.workspaceId, given);
      return same?.creator_id === who.userId ? store.recurringTaskOf(same) : undefined;
    });
    if (id instanceof Existing) return id;
    const given = findTask(tx, who.workspaceId, input.taskId ?? null);
    const startsAt = input.startsAt ?? startFor(input.interval, at, given);
    const rule = createRule(input.interval, input.endCondition ?? { type: 'never' }, startsAt);
    const first = firstOccurrence(rule, at, given);
    const issues = newSeriesIssues(tx, who, input);
    if (!first) issues.push(NO_FUTURE);
    if (!first || issues.length > 0) throw invalid(...issues);
    const task = given && editTask(deps, tx, who, given, givenTemplate(input), now, { mayMove: false });
    const row: RecurringSeriesRow = {
      id,
      workspace_id: who.workspaceId,
      ...(task ? templateOfTask(task, now) : newTemplate(input, now)),
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
      ...NO_UPCOMING,
      // Its upcoming occurrence makes it 1.
      version: 0,
      created_at: at,
      updated_at: at,
      adopted_task_id: null,
    };
    const series = addSeries(deps, tx, who, row);
    return store.recurringTaskOf(
      task
        ? advance(tx, adoptTask(tx, series, task, first, now), now)
        : setUpcoming(tx, series, first, who.userId, now),
    );
  });
}

/** Stores a series, within the quotas of its workspace's owner. */
export function addSeries(deps: Deps, tx: Tx, who: Member, row: RecurringSeriesRow): store.StoredSeries {
  requireQuota(deps, tx, who, 'series');
  const bytes = bytesOfText(row.title, row.description, ...itemTitles(row));
  requireCapacity(deps, tx, who, { tasks: 0, bytes });
  store.insertSeries(tx, row);
  return { ...row, workspace_code: who.workspaceKey };
}

/** Now; or the beginning of this day for a rule of days, where a task that becomes a series is due on it. */
function startFor({ timeOfDay, timezone }: Interval, at: Instant, task: StoredTask | undefined): Instant {
  const due = task?.due_date;
  if (timeOfDay !== null || !due || !isWholeDay(due)) return at;
  const { start, end } = boundsOf(due, timezone);
  return start <= at && at < end ? start : at;
}

/** The first after now; of a task that is due on this day as a whole, which is not over, that of its own day. */
function firstOccurrence(rule: Rule, at: Instant, task: StoredTask | undefined): Occurrence | null {
  const present = occurrenceAtOrBefore(rule, at);
  const isOfTask = present !== null && isWholeDay(present.local) && present.local === task?.due_date;
  if (isOfTask && boundsOf(present.local, rule.interval.timezone).end > at) return present;
  return occurrenceAfter(rule, at);
}

const NO_SUCH_TASK: Issue = {
  path: 'taskId',
  message: 'Must be an open task of this workspace that belongs to no series',
};

/** The invalid references of a new series. */
export function newSeriesIssues(db: Db, who: Member, input: Partial<SeriesInput>): Issue[] {
  const issues = ownIdIssues(input.id, input.checklist);
  if (input.taskId === undefined) return [...templateIssues(db, who, input), ...issues];
  const task = findTask(db, who.workspaceId, input.taskId);
  const mayRepeat = task?.recurring_task_id === null && isOpen(statusOf(db, task).type);
  if (!task || !mayRepeat) return [NO_SUCH_TASK, ...templateIssues(db, who, input), ...issues];
  return [...planEdit(db, who, task, givenTemplate(input), task.created_at, false).issues, ...issues];
}
