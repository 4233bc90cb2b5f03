import { type SqlBool, sql } from 'kysely';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { type Day, isWholeDay } from '../kernel/days.ts';
import type { Instant } from '../kernel/instants.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import type { List } from '../lists/schema.ts';
import { type ChecklistItem, PRIORITIES, type Task } from '../tasks/schema.ts';
import { saveItems } from './checklists.ts';
import { keyIn } from './keys.ts';
import { saveTaskLabels } from './labels.ts';
import { findList, listOf } from './lists.ts';
import { keysIn, type LeftOut, putBack, withoutLong } from './long-texts.ts';
import { raisedBy, recordLosses, recordTask, withChanges } from './record.ts';
import type { DateText, Role, TaskCountRow, TaskKeys, TaskRow } from './tables.ts';
import { titleKey } from './words.ts';

/** A task as it begins: nobody was told of its due instant yet. */
export type NewTask = Omit<TaskRow, 'due_noticed' | 'title_key' | 'number' | 'version' | keyof Carried> &
  Partial<Pick<TaskRow, 'version' | 'label_ids' | 'checklist'>>;

/** What a task carries beside its fields; of the comments their sums. */
type Carried = Pick<TaskRow, 'label_ids' | 'checklist' | 'comment_count' | 'more_bytes'>;

/** What of a task is on the wire. */
export type ShownTask = Omit<TaskRow, 'due_noticed' | 'title_key' | 'workspace_code' | 'more_bytes'>;

/** The columns of a `ShownTask`. */
export const SHOWN = `id, number, workspace_id, space_id, list_id, title, description, priority, status_id, assignee_id,
  creator_id, start_date, due_date, completed_at, position, recurring_task_id, occurrence_at, occurrence_number,
  overridden, created_at, updated_at, label_ids, checklist, comment_count, version`;

/** A task of a page, with its place in the default order; without its long texts. */
export type PagedTask = ShownTask & Pick<TaskRow, 'workspace_code'> & { seq: number } & LeftOut;

/** The columns of a `PagedTask`. */
export const PAGED = `${withoutLong(SHOWN)}, workspace_code, seq`;

/** Reads what was left out of these tasks of one workspace. */
export function completeTasks(db: Db, tasks: readonly PagedTask[]): void {
  const long = tasks.filter(({ left_out }) => left_out > 0);
  if (long[0])
    putBack(long, db.all(statement(LONG_TEXTS, [long[0].workspace_code, keysIn(long, 'seq')])), 'seq');
}

const LONG_TEXTS = `select seq, description, checklist from tasks not indexed
  where workspace_code = ? and seq in (select value from json_each(?))`;

/** A task with its number: the rowid, in the search index too. */
export type StoredTask = TaskRow & { seq: number };

export const taskOf = (row: ShownTask): Task => ({
  id: row.id,
  number: row.number,
  workspaceId: row.workspace_id,
  spaceId: row.space_id,
  listId: row.list_id,
  title: row.title,
  description: row.description,
  priority: PRIORITIES[row.priority] ?? 'none',
  statusId: row.status_id,
  assigneeId: row.assignee_id,
  creatorId: row.creator_id,
  startDate: instantIn(row.start_date),
  startDay: dayIn(row.start_date),
  dueDate: instantIn(row.due_date),
  dueDay: dayIn(row.due_date),
  completedAt: row.completed_at,
  position: row.position,
  labelIds: labelIdsOf(row),
  checklist: checklistOf(row),
  commentCount: row.comment_count,
  recurrence:
    row.occurrence_at === null
      ? null
      : {
          recurringTaskId: row.recurring_task_id,
          occurrenceAt: row.occurrence_at,
          occurrenceNumber: row.occurrence_number ?? 0,
          overridden: overriddenIn(row),
        },
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  version: row.version,
});

const dayIn = (date: DateText | null): Day | null => (date !== null && isWholeDay(date) ? date : null);
const instantIn = (date: DateText | null): Instant | null =>
  date !== null && !isWholeDay(date) ? date : null;

/** A date that is given as an instant or a day: either takes the place of the other, null clears its own kind only. */
export function dateAfter(
  before: DateText | null,
  instant: Instant | null | undefined,
  day: Day | null | undefined,
): DateText | null {
  if (instant != null || day != null) return instant ?? day ?? null;
  const kept = instant === null ? dayIn(before) : before;
  return day === null && kept !== null ? instantIn(kept) : kept;
}

export const labelIdsOf = ({ label_ids: ids }: Pick<TaskRow, 'label_ids'>): string[] =>
  ids === null ? [] : (JSON.parse(ids) as string[]);

export const checklistOf = ({ checklist }: Pick<TaskRow, 'checklist'>): ChecklistItem[] =>
  checklist === null ? [] : (JSON.parse(checklist) as ChecklistItem[]);

/** How labels and checklists are kept: null where there are none. */
export const toJson = (values: readonly unknown[]): string | null =>
  values.length === 0 ? null : JSON.stringify(values);

/** The titles of its items, which are searched and counted like its own. */
export const itemTitles = (row: Pick<TaskRow, 'checklist'>): string[] =>
  checklistOf(row).map(({ title }) => title);

const itemIds = (row: Pick<TaskRow, 'checklist'>): string[] => checklistOf(row).map(({ id }) => id);

/** The fields of an instance that differ from its series by intent. */
export const overriddenIn = (row: ShownTask): string[] =>
  row.overridden === null ? [] : (JSON.parse(row.overridden) as string[]);

export const priorityRank = (priority: Task['priority']): number => PRIORITIES.indexOf(priority);

const byId = prepared<{ workspaceId: string; id: string }, StoredTask>((argument) =>
  query
    .selectFrom('tasks')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where('id', '=', argument('id'))
    .where(sql<SqlBool>`list_code not in (select code from lists where in_transit = 1)`),
);

/** A task that may be changed: not while its list is on its way into the trash or out of it. Null finds none. */
export const findTask = (db: Db, workspaceId: string, id: string | null) =>
  id === null ? undefined : db.one(byId({ workspaceId, id }));

const SHOWN_BY_ID = `select ${SHOWN} from tasks where workspace_id = ? and id = ?`;

/** As it is on the wire, without what is kept for storing it. */
export const findShownTask = (db: Db, workspaceId: string, id: string) =>
  db.one(statement<ShownTask>(SHOWN_BY_ID, [workspaceId, id]));

const SHOWN_BY_NUMBER = `select ${SHOWN} from tasks where workspace_code = ? and number = ?`;

/** The task that has this number in the workspace. */
export const findTaskByNumber = (db: Db, workspaceKey: number, number: number) =>
  db.one(statement<ShownTask>(SHOWN_BY_NUMBER, [workspaceKey, number]));

type References = Pick<TaskRow, 'list_id' | 'status_id' | 'assignee_id' | 'creator_id'>;

const keysOf = prepared<References, TaskKeys>((argument) =>
  query.selectNoFrom([
    keyIn('lists', argument('list_id')).as('list_code'),
    keyIn('statuses', argument('status_id')).as('status_code'),
    keyIn('users', argument('assignee_id')).as('assignee_code'),
    keyIn('users', argument('creator_id')).as('creator_code'),
  ]),
);

const placeKeys = prepared<
  Pick<References, 'list_id' | 'status_id'>,
  Pick<TaskKeys, 'list_code' | 'status_code'>
>((argument) =>
  query.selectNoFrom([
    keyIn('lists', argument('list_id')).as('list_code'),
    keyIn('statuses', argument('status_id')).as('status_code'),
  ]),
);

/** What the indexes know a list and a status by. */
export function keysOfPlace(db: Db, list_id: string, status_id: string) {
  const [keys] = db.cached(placeKeys({ list_id, status_id }));
  if (!keys) throw new Error('A select without a source returned nothing');
  return keys;
}

/** What a new task gets: its place in the default order and its number in the workspace. */
export interface NextNumbers {
  seq: number;
  number: number;
}

const nextNumbers = prepared<{ workspaceKey: number }, NextNumbers>((argument) => {
  const highestOf = (table: 'tasks' | 'task_numbers', column: string) => sql`ifnull((
    select max(${sql.ref(column)}) from ${sql.table(table)} where workspace_code = ${argument('workspaceKey')}), 0)`;
  return query.selectNoFrom([
    sql<number>`max(
      ifnull((select max(seq) from tasks), 0), (select seq from last_task)) + 1`.as('seq'),
    sql<number>`max(${highestOf('tasks', 'number')}, ${highestOf('task_numbers', 'last')}) + 1`.as('number'),
  ]);
});

/** The highest number that a task of the workspace ever had; 0 for none. */
export const lastNumber = (db: Db, workspaceKey: number): number =>
  (db.one(nextNumbers({ workspaceKey }))?.number ?? 1) - 1;

/** What a task brings that was elsewhere before, in place of what a new one gets. */
export type ImportedColumns = Pick<TaskRow, 'number' | 'due_noticed' | 'comment_count' | 'more_bytes'>;

type InsertedTask = NewTask &
  NextNumbers &
  TaskKeys &
  Carried &
  Pick<TaskRow, 'title_key' | 'due_noticed' | 'version'>;

const insert = prepared<InsertedTask, unknown>((argument) =>
  query.insertInto('tasks').values({
    seq: argument('seq'),
    id: argument('id'),
    number: argument('number'),
    workspace_code: argument('workspace_code'),
    workspace_id: argument('workspace_id'),
    space_id: argument('space_id'),
    list_code: argument('list_code'),
    list_id: argument('list_id'),
    status_code: argument('status_code'),
    status_id: argument('status_id'),
    priority: argument('priority'),
    assignee_code: argument('assignee_code'),
    assignee_id: argument('assignee_id'),
    creator_code: argument('creator_code'),
    creator_id: argument('creator_id'),
    start_date: argument('start_date'),
    due_date: argument('due_date'),
    due_noticed: argument('due_noticed'),
    completed_at: argument('completed_at'),
    position: argument('position'),
    recurring_task_id: argument('recurring_task_id'),
    occurrence_at: argument('occurrence_at'),
    occurrence_number: argument('occurrence_number'),
    overridden: argument('overridden'),
    created_at: argument('created_at'),
    updated_at: argument('updated_at'),
    title: argument('title'),
    title_key: argument('title_key'),
    description: argument('description'),
    label_ids: argument('label_ids'),
    checklist: argument('checklist'),
    comment_count: argument('comment_count'),
    more_bytes: argument('more_bytes'),
    version: argument('version'),
  } satisfies Record<keyof (TaskRow & NextNumbers & TaskKeys), unknown>),
);

const count = prepared<Omit<TaskCountRow, 'n'>, unknown>((argument) =>
  query
    .insertInto('task_counts')
    .values({
      workspace_code: argument('workspace_code'),
      field: argument('field'),
      value: argument('value'),
      priority: argument('priority'),
      status_code: argument('status_code'),
      n: 1,
      bytes: argument('bytes'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_code', 'field', 'value', 'priority', 'status_code'])
        .doUpdateSet((row) => ({
          n: row('task_counts.n', '+', 1),
          bytes: row('task_counts.bytes', '+', argument('bytes')),
        })),
    ),
);

/**
 * Stores a task with the next number, unless it has one already, and counts it. By statements that write a single row
 * each: for a trigger, a `returning` or several rows, SQLite would journal every page and have the search index written
 * out each time.
 */
export function insertTaskRow(
  tx: Tx,
  given: NewTask,
  imported?: Partial<ImportedColumns & NextNumbers>,
): NewTask & NextNumbers & Carried & Pick<TaskRow, 'version'> {
  const [codes] = tx.cached(keysOf(given));
  const next = tx.one(nextNumbers({ workspaceKey: given.workspace_code }));
  if (!codes || !next) throw new Error('A select without a source returned nothing');
  const { label_ids = null, checklist = null, version = 1 } = given;
  const more_bytes = checklist === null ? 0 : bytesOfText(...itemTitles({ checklist }));
  // The columns by their names: to spread several objects costs as much as to store the row.
  const fresh = {
    ...given,
    seq: next.seq,
    number: next.number,
    list_code: codes.list_code,
    status_code: codes.status_code,
    assignee_code: codes.assignee_code,
    creator_code: codes.creator_code,
    due_noticed: null,
    title_key: titleKey(given.title),
    label_ids,
    checklist,
    comment_count: 0,
    more_bytes,
    version,
  };
  const task = imported ? { ...fresh, ...imported } : fresh;
  tx.run(insert(task));
  countTask(tx, task, bytesOfText(task.title, task.description) + task.more_bytes);
  if (label_ids !== null) saveTaskLabels(tx, task.workspace_id, task.seq, labelIdsOf({ label_ids }));
  if (checklist !== null) saveItems(tx, task.seq, itemIds({ checklist }));
  recordTask(tx, task, 'put');
  return task;
}

/** Counts a task that is new to the table, and the bytes of its text. */
export function countTask(
  tx: Tx,
  row: Pick<TaskRow, 'workspace_code' | 'priority'> & TaskKeys,
  bytes: number,
) {
  const { workspace_code, priority, status_code } = row;
  const counted = { workspace_code, priority, status_code, bytes: 0 };
  tx.run(count({ ...counted, field: 'all', value: 0, bytes }));
  tx.run(count({ ...counted, field: 'list', value: row.list_code }));
  tx.run(count({ ...counted, field: 'assignee', value: row.assignee_code ?? 0 }));
}

/** Stores the changed fields of a task and returns it as it is then. */
export function updateTaskRow(tx: Tx, row: StoredTask, changes: Partial<TaskRow>): StoredTask {
  tx.run(
    query
      .updateTable('tasks')
      .set({ ...changes, ...keysFor(changes), ...raisedBy(changes) })
      .where('workspace_code', '=', row.workspace_code)
      .where('seq', '=', row.seq),
  );
  const { label_ids, checklist } = changes;
  if (label_ids !== undefined) saveTaskLabels(tx, row.workspace_id, row.seq, labelIdsOf({ label_ids }));
  if (checklist !== undefined) saveItems(tx, row.seq, itemIds({ checklist }));
  recordTask(tx, row, 'put', changes);
  return withChanges(row, changes);
}

const keysFor = ({ list_id, status_id, assignee_id, creator_id }: Partial<References>) => ({
  ...(list_id !== undefined && { list_code: keyIn('lists', list_id) }),
  ...(status_id !== undefined && { status_code: keyIn('statuses', status_id) }),
  ...(assignee_id !== undefined && { assignee_code: keyIn('users', assignee_id) }),
  ...(creator_id !== undefined && { creator_code: keyIn('users', creator_id) }),
});

/** Deletes a task, which its series loses. */
export function deleteTaskRow(tx: Tx, row: StoredTask): void {
  if (row.recurring_task_id !== null) recordLosses(tx, [row.seq]);
  tx.run(
    query.deleteFrom('tasks').where('workspace_code', '=', row.workspace_code).where('seq', '=', row.seq),
  );
  recordTask(tx, row, 'delete');
}

/** What is told of a task that another change releases, or takes back. */
export type ReleasedTask = Parameters<typeof recordTask>[1] & { seq: number };

/** Makes instances of the series that `isSeries` finds by the argument tasks of none, at most so many; returns how many. */
export function releaseSome(tx: Tx, isSeries: string, argument: string, most: number): number {
  const tasks = tx.all(
    statement<ReleasedTask>(
      `select seq, id, workspace_id, list_id, space_id, recurring_task_id from tasks
        where recurring_task_id in (select id from recurring_series where ${isSeries}) limit ?`,
      [argument, most],
    ),
  );
  for (const task of tasks) saveSeriesOf(tx, task, null);
  return tasks.length;
}

/** Makes a task an instance of a series, or of none. */
export function saveSeriesOf(tx: Tx, { seq, ...task }: ReleasedTask, seriesId: string | null): void {
  tx.run(
    statement('update tasks set recurring_task_id = ?, version = version + 1 where seq = ?', [seriesId, seq]),
  );
  recordTask(tx, task, 'put', { recurring_task_id: seriesId });
}

/** The list that tasks may be put into, with its statuses. */
export function findListWithStatuses(db: Db, workspaceId: string, listId: string): List | undefined {
  const row = findList(db, workspaceId, listId);
  return row && listOf(db, row);
}

const lastIn = prepared<{ workspaceKey: number; listId: string }, { position: number | null }>((argument) =>
  query
    .selectFrom('tasks')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('list_code', '=', keyIn('lists', argument('listId')))
    .where('workspace_code', '=', argument('workspaceKey')),
);

/** The position of the last task of a list; undefined in an empty one. */
export const lastPosition = (db: Db, workspaceKey: number, listId: string): number | undefined =>
  db.one(lastIn({ workspaceKey, listId }))?.position ?? undefined;

const assignable = prepared<{ workspaceId: string; userId: string }, { role: Role }>((argument) =>
  query
    .selectFrom('members')
    .select('role')
    .where('workspace_id', '=', argument('workspaceId'))
    .where('user_id', '=', argument('userId'))
    .where('role', '!=', sql.lit('viewer')),
);

/** Whether tasks of the workspace may be given to that user: a member who is not a viewer. */
export const isAssignable = (db: Db, workspaceId: string, userId: string): boolean =>
  db.cached(assignable({ workspaceId, userId })).length > 0;
