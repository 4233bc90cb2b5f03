import { PRIORITY_NAMES } from './priorities.ts';

export const FILTER_TITLES = {
  priority: 'Priority',
  assignee: 'Assignee',
  label: 'Label',
  status: 'Status',
  due: 'Due',
} as const;
export type FilterName = keyof typeof FILTER_TITLES;
export const FILTER_NAMES = Object.keys(FILTER_TITLES) as FilterName[];
export type Filters = Partial<Record<FilterName, string>>;

export const DUES = {
  overdue: 'Overdue',
  today: 'Today',
  week: 'Next 7 days',
  any: 'Any date',
  none: 'No date',
} as const;

/** What a status means, in any list. */
export const STATUS_TYPES = {
  unstarted: 'Not started',
  started: 'Started',
  completed: 'Completed',
  canceled: 'Canceled',
} as const;

/** The values that are no ids. */
const WORDS: Record<FilterName, Readonly<Record<string, string>>> = {
  priority: PRIORITY_NAMES,
  assignee: { everyone: 'Everyone', me: 'Me', none: 'No one' },
  label: { none: 'No label' },
  status: { open: 'Open', ...STATUS_TYPES },
  due: DUES,
};

/** The value of a filter in words: `urgent,high` is `Urgent, High`. `titleOf` names the people, labels and statuses. */
export function sayFilter(
  name: FilterName,
  value: string,
  titleOf: (name: FilterName, id: string) => string | undefined,
): string {
  const words = WORDS[name];
  return value
    .split(',')
    .map((one) => (Object.hasOwn(words, one) ? words[one] : titleOf(name, one)) ?? 'one that is gone')
    .join(', ');
}
