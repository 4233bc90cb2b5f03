import type { Db } from '../db/connection.ts';
import { findList } from '../storage/lists.ts';
import type { Filters } from '../storage/task-query/filters.ts';
import { assigneesAmong, listsInOrder, statusesInOrder } from '../storage/task-query/groupings.ts';
import type { Sort } from '../storage/task-query/plan.ts';
import { totalsBy } from '../storage/task-query/totals.ts';
import { fold } from '../storage/words.ts';
import type { Grouping } from './query-schema.ts';
import { PRIORITIES, type Priority } from './schema.ts';

/** A group of tasks, before they are read. */
export interface Group {
  key: string | null;
  label: string;
  total: number;
  /** Those that its tasks pass. */
  filters: Filters;
}

/** What a group has in common: the value in the rows, on the wire, and for people. */
interface Heading {
  value: number | null;
  key: string | null;
  label: string;
}

const FORMER_MEMBER = 'Former member';
const PRIORITY_LABELS: Record<Priority, string> = {
  none: 'No priority',
  low: 'Low',
  medium: 'Medium',
  high: 'High',
  urgent: 'Urgent',
};

/** The groups that the tasks fall into, in order; by status of one list, all of its statuses. */
export function groupsBy(
  db: Db,
  grouping: Exclude<Grouping, 'dueDate'>,
  filters: Filters,
  { workspaceId, sort, listId }: { workspaceId: string; sort: Sort; listId: string | undefined },
): Group[] {
  const totals = totalsBy(db, filters, grouping);
  const headings = {
    priority: () => priorityHeadings(sort),
    statusId: () => statusHeadings(db, workspaceId, listId),
    assigneeId: () => assigneeHeadings(db, workspaceId, totals.keys()),
    listId: () => listsInOrder(db, workspaceId),
  }[grouping]();
  return headings
    .map(({ value, key, label }) => ({
      key,
      label,
      total: totals.get(value) ?? 0,
      filters: { ...filters, [grouping]: [value] },
    }))
    .filter(({ total }) => total > 0 || (grouping === 'statusId' && listId !== undefined));
}

/** The most urgent first, unless the tasks are asked for by ascending priority. */
function priorityHeadings({ by, descending }: Sort): Heading[] {
  const headings = PRIORITIES.map((key, value) => ({ value, key, label: PRIORITY_LABELS[key] }));
  return by === 'priority' && !descending ? headings : headings.reverse();
}

function statusHeadings(db: Db, workspaceId: string, listId: string | undefined): Heading[] {
  const statuses = statusesInOrder(db, workspaceId);
  if (listId === undefined) return statuses;
  const templateId = findList(db, workspaceId, listId)?.status_template_id;
  return statuses.filter(({ template_id }) => template_id === templateId);
}

/** By name, which of someone who has left is no business of the workspace any more; those of nobody last. */
function assigneeHeadings(db: Db, workspaceId: string, keys: Iterable<string | number | null>): Heading[] {
  const sorted = assigneesAmong(db, workspaceId, [...keys])
    .map(({ name, ...person }) => ({ ...person, label: name ?? FORMER_MEMBER }))
    .map((person) => ({ ...person, folded: fold(person.label) }))
    .sort((a, b) => compare(a.folded, b.folded) || compare(a.label, b.label) || compare(a.key, b.key));
  return [...sorted, { value: null, key: null, label: 'No assignee' }];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
