import { computed, type ReadonlySignal } from '@preact/signals';
import { compareTexts } from '../data/live-list.ts';
import type { Status, Task } from '../data/rows.ts';
import { query, setQuery } from '../shell/navigation.ts';
import { addDays, type Day } from '../text/days.ts';
import { PRIORITIES } from '../text/priorities.ts';
import { FILTER_NAMES, type Filters } from '../text/say-filters.ts';
import { compareDue, dueOf } from './dates.ts';

export const SORTS = {
  position: 'Own order',
  due: 'Due date',
  priority: 'Priority',
  title: 'Title',
  created: 'Created',
  updated: 'Changed',
} as const;
type Sort = keyof typeof SORTS;

export const GROUPINGS = {
  status: 'Status',
  priority: 'Priority',
  assignee: 'Assignee',
  label: 'Label',
  due: 'Due date',
  none: 'Nothing',
} as const;
export type Grouping = keyof typeof GROUPINGS;

/** Shows all tasks again. */
export const clearFilters = (): void =>
  setQuery(Object.fromEntries(FILTER_NAMES.map((name) => [name, undefined])));

/** The filters in the address. */
export const filters = computed<Filters>(() =>
  Object.fromEntries(
    FILTER_NAMES.flatMap((name) => {
      const value = query.value.get(name);
      return value ? [[name, value]] : [];
    }),
  ),
);

/** Which of some things the address names; `otherwise` where it names none of them. */
export const namedInQuery = <Things extends object>(
  name: string,
  things: Things,
  otherwise: keyof Things,
): ReadonlySignal<keyof Things> =>
  computed(() => {
    const wanted = query.value.get(name) ?? '';
    return Object.hasOwn(things, wanted) ? (wanted as keyof Things) : otherwise;
  });

export const sort = namedInQuery('sort', SORTS, 'position');
export const grouping = namedInQuery('group', GROUPINGS, 'status');

interface FilterContext {
  userId: string;
  today: Day;
  zone: string;
  statusOf(id: string): Status | undefined;
}

const isOneOf = (values: string, value: string): boolean => values.split(',').includes(value);

/** Whether a task passes the filters of an address. */
export function passes(task: Task, wanted: Filters, context: FilterContext): boolean {
  const { priority, assignee, label, status, due } = wanted;
  if (priority !== undefined && !isOneOf(priority, task.priority)) return false;
  if (assignee !== undefined && !isAssigned(task, assignee, context.userId)) return false;
  if (label !== undefined) {
    const found =
      label === 'none' ? task.labelIds.length === 0 : task.labelIds.some((id) => isOneOf(label, id));
    if (!found) return false;
  }
  if (status !== undefined) {
    const type = context.statusOf(task.statusId)?.type ?? '';
    const isOpen = type === 'unstarted' || type === 'started';
    if (!isOneOf(status, task.statusId) && !isOneOf(status, type) && !(status === 'open' && isOpen))
      return false;
  }
  return due === undefined || isDueWithin(task, due, context);
}

function isAssigned({ assigneeId }: Task, wanted: string, userId: string): boolean {
  if (wanted === 'everyone') return true;
  if (assigneeId === null) return isOneOf(wanted, 'none');
  return isOneOf(wanted, assigneeId) || (assigneeId === userId && isOneOf(wanted, 'me'));
}

function isDueWithin(task: Task, wanted: string, { today, zone }: FilterContext): boolean {
  const day = dueOf(task, zone)?.day;
  if (wanted === 'none') return day === undefined;
  if (day === undefined) return false;
  if (wanted === 'overdue') return day < today;
  if (wanted === 'today') return day <= today;
  if (wanted === 'week') return day <= addDays(today, 7);
  return true;
}

/** The order of an address; `position` is the list's own. */
export function compareBy(order: Sort, zone: string): (a: Task, b: Task) => number {
  const own = (a: Task, b: Task): number => a.position - b.position;
  switch (order) {
    case 'due':
      return compareDue(zone);
    case 'priority':
      return (a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority) || own(a, b);
    case 'title':
      return (a, b) => a.title.localeCompare(b.title) || own(a, b);
    case 'created':
      return (a, b) => compareTexts(b.createdAt, a.createdAt);
    case 'updated':
      return (a, b) => compareTexts(b.updatedAt, a.updatedAt);
    default:
      return own;
  }
}
