import { type Db, prepared, query, statement } from '../../db/connection.ts';
import type { TaskQuery } from '../../tasks/query-schema.ts';
import type { Member } from '../../workspaces/authorization.ts';
import type { Keyed } from '../keys.ts';
import { countTasksWithLabel } from '../labels.ts';
import type { StatusType } from '../tables.ts';
import { priorityRank } from '../template-fields.ts';
import { timezoneOf } from '../users.ts';
import type { Condition } from './condition.ts';
import { type DueRange, edgeAt } from './due-range.ts';

/**
 * Which tasks, in the terms of their rows: what is missing admits every task of the workspace, an empty array none.
 * Ids have become keys; spaces, types of status and `me` those of lists, statuses and a user.
 */
export interface Filters {
  workspaceKey: number;
  listId?: readonly number[] | undefined;
  assigneeId?: readonly (number | null)[] | undefined;
  statusId?: readonly number[] | undefined;
  /** Ranks. */
  priority?: readonly number[] | undefined;
  recurringTaskId?: readonly string[] | undefined;
  creatorId?: readonly number[] | undefined;
  /** With at least one of these labels. */
  labelId?: readonly number[] | undefined;
  /** With every one of these labels, the rarest first. */
  allLabelIds?: readonly number[] | undefined;
  /** Null: without a due date. */
  due?: DueRange | null | undefined;
}

export type Field = Exclude<keyof Filters, 'workspaceKey'>;

/** Those with counters come first: how many tasks they leave is known without counting. */
export const COLUMNS: Record<Field, string> = {
  listId: 'list_code',
  assigneeId: 'assignee_code',
  statusId: 'status_code',
  priority: 'priority',
  recurringTaskId: 'recurring_task_id',
  creatorId: 'creator_code',
  labelId: 'seq',
  allLabelIds: 'seq',
  due: 'due_date',
};

/** More tasks of a label are not counted. */
const MAX_COUNTED = 1_000;

const FIELDS = Object.keys(COLUMNS) as Field[];

type AskedFilters = Partial<Omit<TaskQuery, 'page' | 'limit' | 'sortBy' | 'sortOrder'>>;

/** What a query asks for, as filters of the caller's workspace. */
export function filtersOf(db: Db, who: Member, asked: AskedFilters): Filters {
  const within = { workspace_id: [who.workspaceId] };
  return {
    workspaceKey: who.workspaceKey,
    listId: both(
      asked.listId && keysOf(db, 'lists', { ...within, id: asked.listId }),
      asked.spaceId && keysOf(db, 'lists', { ...within, space_id: asked.spaceId }),
    ),
    assigneeId: asked.assigneeId && peopleAsked(db, who, asked.assigneeId),
    statusId: both(
      asked.statusId && keysOf(db, 'statuses', { ...within, id: asked.statusId }),
      statusesAsked(db, who.workspaceId, asked),
    ),
    priority: asked.priority?.map(priorityRank),
    recurringTaskId: asked.recurringTaskId,
    creatorId: asked.creatorId && keysOf(db, 'users', { id: asked.creatorId }),
    labelId: asked.labelId && keysOf(db, 'labels', { ...within, id: asked.labelId }),
    allLabelIds: asked.allLabelIds && everyLabel(db, within, asked.allLabelIds),
    due: dueAsked(db, who, asked),
  };
}

/** In which zone days begin for the caller. */
export const zoneOf = (db: Db, who: Member, { timezone }: Pick<TaskQuery, 'timezone'>): string =>
  timezone ?? timezoneOf(db, who.userId);

function dueAsked(db: Db, who: Member, asked: AskedFilters): DueRange | undefined {
  const { dueAfter, dueBefore, timezone } = asked;
  if (dueAfter === undefined && dueBefore === undefined) return undefined;
  const zone = zoneOf(db, who, { timezone });
  return {
    from: dueAfter === undefined ? undefined : edgeAt(dueAfter, zone),
    before: dueBefore === undefined ? undefined : edgeAt(dueBefore, zone),
  };
}

/** The fields that filter at all. */
export const fieldsOf = (filters: Filters): Field[] => FIELDS.filter((field) => filters[field] !== undefined);

/** The columns that they look at. */
export const columnsOf = (filters: Filters): string[] => [
  ...new Set(fieldsOf(filters).map((field) => COLUMNS[field])),
];

/** How many of the filters look at the labels of a task, which no index of tasks holds. */
export const labelFilters = (filters: Filters): number =>
  fieldsOf(filters).filter((field) => field === 'labelId' || field === 'allLabelIds').length;

/** Whether some filter admits no task whatever. */
export const admitsNone = (filters: Filters): boolean =>
  Object.values(filters).some((values) => Array.isArray(values) && values.length === 0);

/** Whether the tasks that pass this filter all have the same value in its column. */
export function isSingle(filters: Filters, field: Field): boolean {
  const values = filters[field];
  return Array.isArray(values) ? values.length === 1 : values === null;
}

/** Whether an index can be searched for its values: not for null among others. */
export function isIndexable(filters: Filters, field: Field): boolean {
  const values = filters[field];
  return !Array.isArray(values) || values.length === 1 || values.every((value) => value !== null);
}

/** What a row must fulfil to pass; with `leading`, by a filter of labels that tells which rows to read. */
export function conditionOf(filters: Filters, leading?: Field): Condition {
  const condition: Condition = { sql: 'workspace_code = ?', parameters: [filters.workspaceKey] };
  if (leading === 'labelId' || leading === 'allLabelIds') lead(condition, filters, leading);
  for (const field of fieldsOf(filters)) {
    if (field === 'labelId') {
      if (leading !== 'labelId') requireSomeLabel(condition, filters.labelId ?? []);
    } else if (field === 'allLabelIds') requireEveryLabel(condition, filters.allLabelIds ?? []);
    else if (field !== 'due') restrict(condition, COLUMNS[field], filters[field] ?? []);
    // SQLite uses a partial index only where its condition is in the text.
    if (field === 'recurringTaskId') condition.sql += ' and recurring_task_id is not null';
  }
  if (filters.due === null) condition.sql += ' and due_date is null';
  if (filters.due) restrictDue(condition, filters.due);
  return condition;
}

/** Each end bounds the index by one plain term. */
export function restrictDue(condition: Condition, { from, before }: DueRange): void {
  if (from?.day !== undefined && from.day < from.at) {
    add(condition, 'due_date >= ?', from.day);
    add(condition, '(+due_date >= ?', from.at);
    add(condition, '+due_date = ?)', from.day, ' or ');
  } else if (from) {
    add(condition, 'due_date >= ?', from.at);
    if (from.day !== undefined) add(condition, '+due_date <> ?', from.day);
  }
  if (before?.day !== undefined && before.day >= before.at) {
    add(condition, 'due_date <= ?', before.day);
    add(condition, '(+due_date < ?', before.at);
    add(condition, '+due_date = ?)', before.day, ' or ');
  } else if (before) {
    add(condition, 'due_date < ?', before.at);
    if (before.day !== undefined) add(condition, '+due_date <> ?', before.day);
  }
}

/** The tasks with a label, or with the rarest of those that they must all have, are the rows to read. */
function lead(condition: Condition, filters: Filters, field: 'labelId' | 'allLabelIds'): void {
  condition.sql += ' and seq in (select task_seq from task_labels where true';
  restrict(condition, 'label_code', labelsLedBy(filters, field));
  condition.sql += ')';
}

/** The labels whose tasks hold all that pass this filter. */
export const labelsLedBy = (filters: Filters, field: 'labelId' | 'allLabelIds'): readonly number[] =>
  field === 'labelId' ? (filters.labelId ?? []) : (filters.allLabelIds?.slice(0, 1) ?? []);

function requireSomeLabel(condition: Condition, labels: readonly number[]): void {
  condition.sql += ' and exists (select 1 from task_labels where task_seq = seq';
  restrict(condition, 'label_code', labels);
  condition.sql += ')';
}

function requireEveryLabel(condition: Condition, labels: readonly number[]): void {
  condition.sql += ' and (select count(*) from task_labels where task_seq = seq';
  restrict(condition, 'label_code', labels);
  add(condition, ') = ?', labels.length, '');
}

/** Adds that the column has one of the values; the text depends on the kind of the question, not on how many. */
export function restrict(
  condition: Condition,
  column: string,
  values: readonly (string | number | null)[],
): void {
  const [only] = values;
  const known = values.filter((value) => value !== null);
  if (values.length === 1 && only === null) condition.sql += ` and ${column} is null`;
  else if (values.length === 1) add(condition, `${column} = ?`, only ?? '');
  else {
    const among = `${column} in (select value from json_each(?))`;
    const sql = known.length === values.length ? among : `(${column} is null or ${among})`;
    add(condition, sql, JSON.stringify(known));
  }
}

function add(condition: Condition, sql: string, parameter: string | number, and = ' and '): void {
  condition.sql += and + sql;
  condition.parameters.push(parameter);
}

function peopleAsked(db: Db, who: Member, asked: readonly string[]): (number | null)[] {
  const ids = asked.filter((id) => id !== 'none').map((id) => (id === 'me' ? who.userId : id));
  const keys = ids.length > 0 ? keysOf(db, 'users', { id: ids }) : [];
  return asked.includes('none') ? [...keys, null] : keys;
}

/** What is in both; undefined stands for everything. */
const both = <Value>(some: readonly Value[] | undefined, others: readonly Value[] | undefined) =>
  some && others ? some.filter((value) => others.includes(value)) : (some ?? others);

/** The keys of the rows that have one of the values in each of these columns. */
function keysOf(db: Db, table: Keyed, columns: Record<string, readonly string[]>): number[] {
  const condition: Condition = { sql: 'true', parameters: [] };
  for (const [column, values] of Object.entries(columns)) restrict(condition, column, values);
  const { sql, parameters } = condition;
  return db
    .cached(statement<{ code: number }>(`select code from ${table} where ${sql}`, parameters))
    .map(({ code }) => code);
}

/** None where one of them is no label of the workspace: no task has that one. */
function everyLabel(db: Db, within: Record<string, readonly string[]>, ids: readonly string[]): number[] {
  const keys = keysOf(db, 'labels', { ...within, id: ids });
  if (keys.length < ids.length) return [];
  if (keys.length === 1) return keys;
  const counted = keys.map((key) => ({ key, n: countTasksWithLabel(db, key, MAX_COUNTED) }));
  return counted.sort((a, b) => a.n - b.n).map(({ key }) => key);
}

const statusesOfWorkspace = prepared<{ workspaceId: string }, { code: number; type: StatusType }>(
  (argument) =>
    query.selectFrom('statuses').select(['code', 'type']).where('workspace_id', '=', argument('workspaceId')),
);

function statusesAsked(db: Db, workspaceId: string, asked: AskedFilters): number[] | undefined {
  const { statusType, completed } = asked;
  if (statusType === undefined && completed === undefined) return undefined;
  return db
    .cached(statusesOfWorkspace({ workspaceId }))
    .filter(({ type }) => statusType === undefined || statusType.includes(type))
    .filter(({ type }) => completed === undefined || completed === (type === 'completed'))
    .map(({ code }) => code);
}
