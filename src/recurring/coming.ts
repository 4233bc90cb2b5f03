import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Deps } from '../deps.ts';
import { isWholeDay, startOfDay } from '../kernel/days.ts';
import { invalid } from '../kernel/errors.ts';
import { DAY, type Instant } from '../kernel/instants.ts';
import { type ComingSeries, listComingSeries } from '../storage/series.ts';
import { timezoneOf } from '../storage/users.ts';
import { type Member, requireRole } from '../workspaces/authorization.ts';
import { scheduleOf } from './schedule.ts';
import type { CalendarOccurrence, CalendarOccurrences, CalendarQuery } from './series-schema.ts';

const MAX_DAYS = 62;
const MAX_ITEMS = 1_000;
/** Series looked at in one turn of the event loop. */
const BATCH_SIZE = 20;

/**
 * Lists the coming occurrences of all active series of a workspace between two instants, for its viewers: in order of
 * time, at most 1,000. 400 at `to` for an empty span or one of more than 62 days.
 */
export async function listCalendar(
  deps: Deps,
  who: Member,
  query: CalendarQuery,
): Promise<CalendarOccurrences> {
  const zone = timezoneOf(deps.read, who.userId);
  const instantOf = (date: string): Instant => (isWholeDay(date) ? startOfDay(date, zone) : date);
  const [from, to] = [instantOf(query.from), instantOf(query.to)];
  if (to <= from) throw invalid({ path: 'to', message: 'To must be later than from' });
  // Between days, those of the calendar count, however long clock changes make them.
  const [first, end] = isWholeDay(query.from) && isWholeDay(query.to) ? [query.from, query.to] : [from, to];
  if (Date.parse(end) - Date.parse(first) > MAX_DAYS * DAY)
    throw invalid({ path: 'to', message: `To must be at most ${MAX_DAYS} days after from` });
  let found: CalendarOccurrence[] = [];
  let last: ComingSeries | undefined;
  for (;;) {
    const bound = found.length > MAX_ITEMS ? (found.at(-1)?.at ?? to) : to;
    const series = listComingSeries(deps.read, who.workspaceId, {
      before: bound,
      after: last,
      limit: BATCH_SIZE,
    });
    for (const one of series) found.push(...occurrencesOf(one, from, bound));
    found = found.sort(inOrder).slice(0, MAX_ITEMS + 1);
    if (series.length < BATCH_SIZE) break;
    last = series.at(-1);
    await nextTurn();
    requireRole(deps, deps.read, who, 'viewer');
  }
  return { items: found.slice(0, MAX_ITEMS), hasMore: found.length > MAX_ITEMS };
}

function occurrencesOf(series: ComingSeries, from: Instant, to: Instant): CalendarOccurrence[] {
  const { id, title, list_id: listId, next_run_at: next, next_task_id: nextTaskId } = series;
  if (next === null) return [];
  const schedule = scheduleOf(series);
  const found: CalendarOccurrence[] = [];
  for (const occurrence of schedule.from(from > next ? from : next)) {
    if (occurrence.at >= to || found.length > MAX_ITEMS) break;
    const { at, local, number, note } = occurrence;
    const taskId = at === next ? nextTaskId : null;
    found.push({ recurringTaskId: id, title, listId, at, local, number, note, taskId });
  }
  return found;
}

const inOrder = (a: CalendarOccurrence, b: CalendarOccurrence): number =>
  compare(a.at, b.at) || compare(a.recurringTaskId, b.recurringTaskId);

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
