import type { Outcome } from '../../data/api.ts';
import { pause, resume, skip } from '../../data/intents.ts';
import type { Row, Series, Task } from '../../data/rows.ts';
import { currentUserData } from '../../shell/store.ts';
import { act } from '../../tasks/act.ts';
import { quoted } from '../../text/quoted.ts';
import type { Interval } from '../../text/say-rules.ts';

/** Whether the upcoming occurrence is known: that of a series just resumed is once the server said so. */
export const maySkip = (series: Series): boolean =>
  series.state === 'active' && skip(currentUserData().store.view, series) !== null;

/** Skips the next occurrence of a series. */
export function skipNext(series: Series): void {
  const intent = skip(currentUserData().store.view, series);
  if (intent) act(`Skipped ${quoted(series.title)}`, [intent]);
}

/** Pauses a series, or resumes one that is paused. */
export function pauseOrResume(series: Series): void {
  if (series.state === 'paused') act(`Resumed ${quoted(series.title)}`, [resume(series)]);
  else act(`Paused ${quoted(series.title)}`, [pause(series)]);
}

/** Makes a series of its own begin with this task, by another rule; only the server can. Returns what it came to. */
export async function changeFollowing(series: Series, task: Task, changes: Row): Promise<Outcome> {
  const { store } = currentUserData();
  const root = `workspaces/${series.workspaceId}/recurring-tasks`;
  const path = `${root}/${series.id}/instances/${task.id}/edit-mode`;
  // Both by this store, which names its user, also where another one has signed in by the second.
  const split = await store.api.request('POST', path, {
    mode: 'following',
    updates: { title: series.title },
  });
  const own = split.kind === 'ok' ? (split.body as Task).recurrence?.recurringTaskId : undefined;
  const outcome = own ? await store.api.request('PATCH', `${root}/${own}`, changes) : split;
  store.pullNow(series.workspaceId);
  return outcome;
}

/** The fields of a stored rule in the order that a draft gives them, so that they compare. */
export function ordered(rule: Interval): Interval {
  return {
    frequency: rule.frequency,
    every: rule.every ?? 1,
    timeOfDay: rule.timeOfDay,
    timezone: rule.timezone,
    ...(rule.frequency === 'week' && {
      daysOfWeek: rule.daysOfWeek ?? [],
      ...(rule.firstDayOfWeek && { firstDayOfWeek: rule.firstDayOfWeek }),
    }),
    ...(rule.weekIndex
      ? { weekIndex: rule.weekIndex, daysOfWeek: rule.daysOfWeek ?? [] }
      : rule.dayOfMonth !== undefined && { dayOfMonth: rule.dayOfMonth }),
    ...(rule.month !== undefined && { month: rule.month }),
  };
}
