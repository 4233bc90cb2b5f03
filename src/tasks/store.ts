import { sql } from 'kysely';
import { codeIn } from '../db/codes.ts';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { Role, TaskCodes, TaskCountRow, TaskRow } from '../db/tables.ts';
import type { List } from '../lists/schema.ts';
import { findList, listOf } from '../lists/store.ts';
import { PRIORITIES, type Task } from './schema.ts';
import { titleKey } from './words.ts';

/** A task as it begins: nobody was told of its due instant yet. */
export type NewTask = Omit<TaskRow, 'due_noticed' | 'title_key'>;

/** What of a task is on the wire. */
export type ShownTask = Omit<NewTask, 'workspace_code'>;

/** The columns of a `ShownTask`. */
export const SHOWN = `id, workspace_id, space_id, list_id, title, description, priority, status_id, assignee_id,
  creator_id, start_date, due_date, completed_at, position, recurring_task_id, occurrence_at, occurrence_number,
  overridden, created_at, updated_at`;

/** A task with its number: the rowid, in the search index too. */
export type StoredTask = TaskRow & { seq: number };

export const taskOf = (row: ShownTask): Task => ({
  id: row.id,
  workspaceId: row.workspace_id,
  spaceId: row.space_id,
  listId: row.list_id,
  title: row.title,
  description: row.description,
  priority: PRIORITIES[row.priority] ?? 'none',
  statusId: row.status_id,
  assigneeId: row.assignee_id,
  creatorId: row.creator_id,
  startDate: row.start_date,
  dueDate: row.due_date,
  completedAt: row.completed_at,
  position: row.position,
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
});

/** The fields of an instance that differ from its series by intent. */
export const overriddenIn = (row: ShownTask): string[] =>
  row.overridden === null ? [] : (JSON.parse(row.overridden) as string[]);

export const priorityRank = (priority: Task['priority']): number => PRIORITIES.indexOf(priority);

const byId = prepared<{ workspaceId: string; id: string }, StoredTask>((argument) =>
  query
    .selectFrom('tasks')
    .selectAll()
    .where('workspace_id', '=', argument('workspaceId'))
    .where('id', '=', argument('id')),
);

/** Null finds none. */
export const findTask = (db: Db, workspaceId: string, id: string | null) =>
  id === null ? undefined : db.one(byId({ workspaceId, id }));

const SHOWN_BY_ID = `select ${SHOWN} from tasks where workspace_id = ? and id = ?`;

/** As it is on the wire, without what is kept for storing it. */
export const findShownTask = (db: Db, workspaceId: string, id: string) =>
  db.one(statement<ShownTask>(SHOWN_BY_ID, [workspaceId, id]));

type References = Pick<TaskRow, 'list_id' | 'status_id' | 'assignee_id' | 'creator_id'>;

const codesOf = prepared<References, TaskCodes>((argument) =>
  query.selectNoFrom([
    codeIn('lists', argument('list_id')).as('list_code'),
    codeIn('statuses', argument('status_id')).as('status_code'),
    codeIn('users', argument('assignee_id')).as('assignee_code'),
    codeIn('users', argument('creator_id')).as('creator_code'),
  ]),
);

const insert = prepared<NewTask & TaskCodes & Pick<TaskRow, 'title_key'>, unknown>((argument) =>
  query.insertInto('tasks').values({
    id: argument('id'),
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
    due_noticed: null,
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
  }),
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
    })
    .onConflict((conflict) =>
      conflict
        .columns(['workspace_code', 'field', 'value', 'priority', 'status_code'])
        .doUpdateSet((row) => ({ n: row('task_counts.n', '+', 1) })),
    ),
);

/**
 * Stores a task and counts it; answers its number. By statements that write a single row each: for a trigger, a
 * `returning` or several rows, SQLite would journal every page and have the search index written out each time.
 */
export function insertTaskRow(db: Db, row: NewTask): number {
  const [codes] = db.recall(codesOf(row));
  if (!codes) throw new Error('A select without a source answered nothing');
  const seq = db.insert(insert({ ...row, ...codes, title_key: titleKey(row.title) }));
  const { workspace_code, priority } = row;
  const counted = { workspace_code, priority, status_code: codes.status_code };
  db.run(count({ ...counted, field: 'all', value: 0 }));
  db.run(count({ ...counted, field: 'list', value: codes.list_code }));
  db.run(count({ ...counted, field: 'assignee', value: codes.assignee_code ?? 0 }));
  return seq;
}

/** Stores the changed fields of a task. */
export const updateTaskRow = (db: Db, row: StoredTask, changes: Partial<TaskRow>) =>
  db.run(
    query
      .updateTable('tasks')
      .set({ ...changes, ...codesFor(changes) })
      .where('workspace_code', '=', row.workspace_code)
      .where('seq', '=', row.seq),
  );

const codesFor = ({ list_id, status_id, assignee_id, creator_id }: Partial<References>) => ({
  ...(list_id !== undefined && { list_code: codeIn('lists', list_id) }),
  ...(status_id !== undefined && { status_code: codeIn('statuses', status_id) }),
  ...(assignee_id !== undefined && { assignee_code: codeIn('users', assignee_id) }),
  ...(creator_id !== undefined && { creator_code: codeIn('users', creator_id) }),
});

export const deleteTaskRow = (db: Db, row: StoredTask) =>
  db.run(
    query.deleteFrom('tasks').where('workspace_code', '=', row.workspace_code).where('seq', '=', row.seq),
  );

/** The list that tasks may be put into, with its statuses. */
export function findPlace(db: Db, workspaceId: string, listId: string): List | undefined {
  const row = findList(db, workspaceId, listId);
  return row && listOf(db, row);
}

const lastIn = prepared<{ workspaceCode: number; listId: string }, { position: number | null }>((argument) =>
  query
    .selectFrom('tasks')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('list_code', '=', codeIn('lists', argument('listId')))
    .where('workspace_code', '=', argument('workspaceCode')),
);

/** The position of the last task of a list; undefined in an empty one. */
export const lastPosition = (db: Db, workspaceCode: number, listId: string): number | undefined =>
  db.one(lastIn({ workspaceCode, listId }))?.position ?? undefined;

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
  db.recall(assignable({ workspaceId, userId })).length > 0;
