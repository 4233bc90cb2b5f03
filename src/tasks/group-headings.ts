import { type Db, prepared, query, statement } from '../db/connection.ts';
import { findList } from '../storage/lists.ts';
import { fold } from '../storage/words.ts';
import type { Filters } from './filters.ts';
import type { Sort } from './query-plan.ts';
import type { Grouping } from './query-schema.ts';
import { PRIORITIES, type Priority } from './schema.ts';
import { totalsBy } from './totals.ts';

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

type Named = Heading & { key: string };

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
    listId: () => db.all(listsInOrder({ workspaceId })),
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
  const statuses = db.all(statusesInOrder({ workspaceId }));
  if (listId === undefined) return statuses;
  const templateId = findList(db, workspaceId, listId)?.status_template_id;
  return statuses.filter(({ template_id }) => template_id === templateId);
}

/** By name, which of someone who has left is no business of the workspace any more; those of nobody last. */
function assigneeHeadings(db: Db, workspaceId: string, codes: Iterable<string | number | null>): Heading[] {
  const people = db.all(
    statement<Named>(
      `select code as value, id as key, coalesce(
         (select name from members where workspace_id = ? and user_id = users.id), ?) as label
         from users where code in (select value from json_each(?))`,
      [workspaceId, FORMER_MEMBER, JSON.stringify([...codes])],
    ),
  );
  const sorted = people
    .map((person) => ({ ...person, folded: fold(person.label) }))
    .sort((a, b) => compare(a.folded, b.folded) || compare(a.label, b.label) || compare(a.key, b.key));
  return [...sorted, { value: null, key: null, label: 'No assignee' }];
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Template after template, as they are listed. */
const statusesInOrder = prepared<{ workspaceId: string }, Named & { template_id: string }>((argument) =>
  query
    .selectFrom('statuses as status')
    .innerJoin('status_templates as template', 'template.id', 'status.template_id')
    .select(['status.code as value', 'status.id as key', 'status.title as label', 'status.template_id'])
    .where('status.workspace_id', '=', argument('workspaceId'))
    .orderBy('template.created_at')
    .orderBy('template.id')
    .orderBy('status.position')
    .orderBy('status.id'),
);

const listsInOrder = prepared<{ workspaceId: string }, Named>((argument) =>
  query
    .selectFrom('lists')
    .select(['code as value', 'id as key', 'title as label'])
    .where('workspace_id', '=', argument('workspaceId'))
    .orderBy('position')
    .orderBy('id'),
);
