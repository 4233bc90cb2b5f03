import type { Coded } from '../db/codes.ts';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { StatusType } from '../db/tables.ts';
import type { Instant } from '../kernel/instants.ts';
import type { Member } from '../workspaces/door.ts';
import type { TaskQuery } from './query-schema.ts';
import { priorityRank } from './store.ts';

/**
 * Which tasks, in the terms of their rows: what is missing admits every task of the workspace, an empty array none.
 * Ids have become codes; spaces, types of status and `me` those of lists, statuses and a user.
 */
export interface Filters {
  workspaceCode: number;
  listId?: readonly number[] | undefined;
  assigneeId?: readonly (number | null)[] | undefined;
  statusId?: readonly number[] | undefined;
  /** Ranks. */
  priority?: readonly number[] | undefined;
  recurringTaskId?: readonly string[] | undefined;
  creatorId?: readonly number[] | undefined;
  /** Null: without a due date. */
  due?: DueRange | null | undefined;
}

export interface DueRange {
  /** Inclusive. */
  from?: Instant | undefined;
  /** Exclusive. */
  before?: Instant | undefined;
}

export type Field = Exclude<keyof Filters, 'workspaceCode'>;

/** Those that are counted come first: what they leave is known without looking. */
export const COLUMNS: Record<Field, string> = {
  listId: 'list_code',
  assigneeId: 'assignee_code',
  statusId: 'status_code',
  priority: 'priority',
  recurringTaskId: 'recurring_task_id',
  creatorId: 'creator_code',
  due: 'due_date',
};

const FIELDS = Object.keys(COLUMNS) as Field[];

type AskedFilters = Partial<Omit<TaskQuery, 'page' | 'limit' | 'sortBy' | 'sortOrder'>>;

/** What a query asks for, as filters of the caller's workspace. */
export function filtersOf(db: Db, who: Member, asked: AskedFilters): Filters {
  const within = { workspace_id: [who.workspaceId] };
  const isDueAsked = asked.dueAfter !== undefined || asked.dueBefore !== undefined;
  return {
    workspaceCode: who.workspaceCode,
    listId: both(
      asked.listId && codesOf(db, 'lists', { ...within, id: asked.listId }),
      asked.spaceId && codesOf(db, 'lists', { ...within, space_id: asked.spaceId }),
    ),
    assigneeId: asked.assigneeId && peopleAsked(db, who, asked.assigneeId),
    statusId: both(
      asked.statusId && codesOf(db, 'statuses', { ...within, id: asked.statusId }),
      statusesAsked(db, who.workspaceId, asked),
    ),
    priority: asked.priority?.map(priorityRank),
    recurringTaskId: asked.recurringTaskId,
    creatorId: asked.creatorId && codesOf(db, 'users', { id: asked.creatorId }),
    due: isDueAsked ? { from: asked.dueAfter, before: asked.dueBefore } : undefined,
  };
}

/** The fields that filter at all. */
export const fieldsOf = (filters: Filters): Field[] => FIELDS.filter((field) => filters[field] !== undefined);

/** The columns that they look at. */
export const columnsOf = (filters: Filters): string[] => fieldsOf(filters).map((field) => COLUMNS[field]);

/** Whether some filter admits no task whatever. */
export const admitsNone = (filters: Filters): boolean =>
  Object.values(filters).some((values) => Array.isArray(values) && values.length === 0);

/** Whether the tasks that pass this filter all have the same value in its column. */
export function isSingle(filters: Filters, field: Field): boolean {
  const values = filters[field];
  return Array.isArray(values) ? values.length === 1 : values === null;
}

/** Whether an index can be searched for it: not for nothing or else a value. */
export function isOfStretches(filters: Filters, field: Field): boolean {
  const values = filters[field];
  return !Array.isArray(values) || values.length === 1 || values.every((value) => value !== null);
}

/** A part of a statement with the values of its placeholders. */
export interface Condition {
  sql: string;
  parameters: (string | number)[];
}

/** What a row must fulfil to pass. */
export function conditionOf(filters: Filters): Condition {
  const condition: Condition = { sql: 'workspace_code = ?', parameters: [filters.workspaceCode] };
  for (const field of fieldsOf(filters)) {
    if (field !== 'due') restrict(condition, COLUMNS[field], filters[field] ?? []);
    // SQLite uses a partial index only where its condition is in the text.
    if (field === 'recurringTaskId') condition.sql += ' and recurring_task_id is not null';
  }
  if (filters.due === null) condition.sql += ' and due_date is null';
  if (filters.due?.from !== undefined) add(condition, 'due_date >= ?', filters.due.from);
  if (filters.due?.before !== undefined) add(condition, 'due_date < ?', filters.due.before);
  return condition;
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

function add(condition: Condition, sql: string, parameter: string | number): void {
  condition.sql += ` and ${sql}`;
  condition.parameters.push(parameter);
}

function peopleAsked(db: Db, who: Member, asked: readonly string[]): (number | null)[] {
  const ids = asked.filter((id) => id !== 'none').map((id) => (id === 'me' ? who.userId : id));
  const codes = ids.length > 0 ? codesOf(db, 'users', { id: ids }) : [];
  return asked.includes('none') ? [...codes, null] : codes;
}

/** What is in both; undefined stands for everything. */
const both = <Value>(some: readonly Value[] | undefined, others: readonly Value[] | undefined) =>
  some && others ? some.filter((value) => others.includes(value)) : (some ?? others);

/** The codes of the rows that have one of the values in each of these columns. */
function codesOf(db: Db, table: Coded, columns: Record<string, readonly string[]>): number[] {
  const condition: Condition = { sql: 'true', parameters: [] };
  for (const [column, values] of Object.entries(columns)) restrict(condition, column, values);
  const { sql, parameters } = condition;
  return db
    .all(statement<{ code: number }>(`select code from ${table} where ${sql}`, parameters))
    .map(({ code }) => code);
}

const statusesOfWorkspace = prepared<{ workspaceId: string }, { code: number; type: StatusType }>(
  (argument) =>
    query.selectFrom('statuses').select(['code', 'type']).where('workspace_id', '=', argument('workspaceId')),
);

function statusesAsked(db: Db, workspaceId: string, asked: AskedFilters): number[] | undefined {
  const { statusType, completed } = asked;
  if (statusType === undefined && completed === undefined) return undefined;
  return db
    .all(statusesOfWorkspace({ workspaceId }))
    .filter(({ type }) => statusType === undefined || statusType.includes(type))
    .filter(({ type }) => completed === undefined || completed === (type === 'completed'))
    .map(({ code }) => code);
}
