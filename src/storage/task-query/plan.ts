import { type Db, statement } from '../../db/connection.ts';
import type { TaskQuery } from '../../tasks/query-schema.ts';
import type { Condition } from './condition.ts';
import { countAll, countByCounters } from './counters.ts';
import {
  columnsOf,
  conditionOf,
  type Field,
  type Filters,
  fieldsOf,
  isIndexable,
  isSingle,
  labelFilters,
  labelsLedBy,
  restrict,
} from './filters.ts';

/** What the workspace's part of an index holds, in order: none of it needs the row. */
const INDEXES = {
  tasks_created: ['seq'],
  tasks_updated: ['updated_at', 'seq'],
  tasks_position: ['position', 'seq'],
  tasks_title: ['title_key', 'seq'],
  tasks_due: ['due_date', 'seq', 'status_code', 'assignee_code', 'list_code', 'priority', 'creator_code'],
  tasks_priority: ['priority', 'seq'],
  tasks_list: ['list_code', 'position', 'seq', 'status_code', 'assignee_code', 'priority', 'due_date'],
  tasks_assignee: ['assignee_code', 'seq', 'status_code', 'list_code', 'priority', 'due_date'],
  tasks_status: ['status_code', 'seq'],
  tasks_creator: ['creator_code', 'seq'],
  tasks_series: ['recurring_task_id'],
  labels: [],
  every_label: [],
} satisfies Record<string, readonly string[]>;
export type Index = keyof typeof INDEXES;

/** The index that a filter of this field is looked up in. */
const LED_BY: Record<Field, Index> = {
  recurringTaskId: 'tasks_series',
  listId: 'tasks_list',
  assigneeId: 'tasks_assignee',
  statusId: 'tasks_status',
  creatorId: 'tasks_creator',
  labelId: 'labels',
  allLabelIds: 'every_label',
  priority: 'tasks_priority',
  due: 'tasks_due',
};

const SORTS = {
  createdAt: { column: 'seq', index: 'tasks_created' },
  updatedAt: { column: 'updated_at', index: 'tasks_updated' },
  dueDate: { column: 'due_date', index: 'tasks_due' },
  position: { column: 'position', index: 'tasks_position' },
  priority: { column: 'priority', index: 'tasks_priority' },
  title: { column: 'title_key', index: 'tasks_title' },
} satisfies Record<TaskQuery['sortBy'], { column: string; index: Index }>;

/** The rows that an index leads to, and what they must fulfil: the tasks of labels are looked up by their numbers. */
export function sourceOf(index: Index, filters: Filters): { from: string } & Condition {
  const isOfLabels = index === 'labels' || index === 'every_label';
  const from = isOfLabels ? 'tasks not indexed' : `tasks indexed by ${index}`;
  const leading = index === 'labels' ? 'labelId' : index === 'every_label' ? 'allLabelIds' : undefined;
  return { from, ...conditionOf(filters, leading) };
}

/** What looking at the labels of a task costs, in index entries passed. */
const PROBE = 3;
/** What reading a row costs, in index entries passed. */
export const ROW = 6;
/** What costs no more is not compared with anything. */
export const GOOD_ENOUGH_COST = 400;
/** Without counters, more are many. */
const MAX_COUNTED = 10_000;

export interface Sort {
  by: TaskQuery['sortBy'];
  descending: boolean;
  /** Where a day begins. */
  zone: string;
  /** From the far end: the very opposite order, undated tasks first. */
  backwards?: boolean;
}

export const sortColumn = ({ by }: Sort): string => SORTS[by].column;
export const sortIndex = ({ by }: Sort): Index => SORTS[by].index;

/** An `order by` that is total: the number decides last, which tasks get in the order of their ids. */
export function orderOf({ by, descending, backwards = false }: Sort): string {
  const direction = descending === backwards ? '' : ' desc';
  if (by === 'createdAt') return `seq${direction}`;
  const nulls = by === 'dueDate' ? ` nulls ${backwards ? 'first' : 'last'}` : '';
  return `${SORTS[by].column}${direction}${nulls}, seq${direction}`;
}

/** What it takes to pass an entry of an index, when these columns are asked for. */
export const weightOf = (index: Index, columns: readonly string[]): number =>
  columns.every((column) => (INDEXES[index] as readonly string[]).includes(column)) ? 1 : ROW;

/** The index whose entries are the matches, all of them and nothing else, in the order asked for; if there is one. */
export function exactIndex(filters: Filters, sort: Sort): Index | undefined {
  const [field, another] = fieldsOf(filters);
  if (field === undefined) return sortIndex(sort);
  const index = LED_BY[field];
  return another === undefined && isInOrder(index, field, filters, sort) ? index : undefined;
}

/** A set of index entries that holds every match. */
interface Source {
  index: Index;
  /** Whether the entries come in the order asked for. */
  isInOrder: boolean;
  /** What reading from it costs, in index entries passed. */
  cost: number;
}

/** The part of the matches that is wanted: so many of them have to be passed, of how many, in which order. */
interface Wanted {
  sort: Sort;
  reach: number;
  total: number;
}

/** The cheapest source of the matches: of some of them in order, or of one column of them all. */
export function cheapestSource(
  db: Db,
  filters: Filters,
  { wanted, column }: { wanted?: Wanted; column?: string } = {},
): Source {
  const fields = fieldsOf(filters);
  const columns = column === undefined ? columnsOf(filters) : [...columnsOf(filters), column];
  const sourceIn = (field: Field, entries: number): Source => {
    const index = LED_BY[field];
    const probes = index === 'labels' ? labelFilters(filters) - 1 : labelFilters(filters);
    const passing = entries * (weightOf(index, columns) + PROBE * probes);
    if (!wanted) return { index, isInOrder: false, cost: passing };
    const { sort, reach, total } = wanted;
    if (isInOrder(index, field, filters, sort)) {
      return { index, isInOrder: true, cost: (passing * reach) / total };
    }
    return { index, isInOrder: false, cost: passing + total * weightOf(index, [sortColumn(sort)]) };
  };
  let best: Source | undefined;
  for (const field of fields.filter((field) => isIndexable(filters, field))) {
    const alone = fields.length === 1 ? wanted?.total : undefined;
    const source = sourceIn(field, alone ?? entriesOf(db, filters, field, best?.cost ?? Infinity));
    if (best === undefined || source.cost < best.cost) best = source;
    if (best.cost < GOOD_ENOUGH_COST) return best;
  }
  // Every filter but that of a series can be read from tasks_due, so it serves any query.
  const any = sourceIn('due', countAll(db, filters.workspaceKey));
  return best === undefined || any.cost < best.cost ? any : best;
}

/** How many entries a filter leaves of its index; infinitely many where they are no fewer than `bound`. */
function entriesOf(db: Db, filters: Filters, field: Field, bound: number): number {
  const alone: Filters = { workspaceKey: filters.workspaceKey, [field]: filters[field] };
  const counted = countByCounters(db, alone);
  if (counted !== undefined) return counted;
  const limit = Math.ceil(Math.min(bound, MAX_COUNTED));
  const { from, sql, parameters } =
    field === 'labelId' || field === 'allLabelIds'
      ? entriesOfLabels(filters, field)
      : sourceOf(LED_BY[field], alone);
  const found = db.one(
    statement<{ n: number }>(`select count(*) as n from (select 1 from ${from} where ${sql} limit ?)`, [
      ...parameters,
      limit,
    ]),
  );
  return found === undefined || found.n === limit ? Infinity : found.n;
}

function entriesOfLabels(filters: Filters, field: 'labelId' | 'allLabelIds'): { from: string } & Condition {
  const condition: Condition = { sql: 'true', parameters: [] };
  restrict(condition, 'label_code', labelsLedBy(filters, field));
  return { from: 'task_labels', ...condition };
}

function isInOrder(index: Index, field: Field, filters: Filters, sort: Sort): boolean {
  const [first, second] = INDEXES[index];
  return sortColumn(sort) === first || (sortColumn(sort) === second && isSingle(filters, field));
}
