import { sql } from 'kysely';
import { type Db, prepared, query, statement } from '../db/connection.ts';
import type { Sums } from '../db/pending-sums.ts';
import type { Tx } from '../db/tx.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import { saveItems } from './checklists.ts';
import { keyIn } from './keys.ts';
import { saveTaskLabels } from './labels.ts';
import { recordTask } from './record.ts';
import type { TaskKeys, TaskRow } from './tables.ts';
import { INSERTED } from './task-fields.ts';
import { itemIds, itemTitles, labelIdsOf } from './template-fields.ts';
import { titleKey } from './words.ts';

/** A task as it begins: nobody was told of its due instant yet. */
export type NewTask = Omit<TaskRow, 'due_noticed' | 'title_key' | 'number' | 'version' | keyof Carried> &
  Partial<Pick<TaskRow, 'version' | 'label_ids' | 'checklist'>>;

/** What a task carries beside its fields; of the comments their sums. */
type Carried = Pick<TaskRow, 'label_ids' | 'checklist' | 'comment_count' | 'more_bytes'>;

type References = Pick<TaskRow, 'list_id' | 'status_id' | 'assignee_id' | 'creator_id'>;

const keysOf = prepared<References, TaskKeys>((argument) =>
  query.selectNoFrom([
    keyIn('lists', argument('list_id')).as('list_code'),
    keyIn('statuses', argument('status_id')).as('status_code'),
    keyIn('users', argument('assignee_id')).as('assignee_code'),
    keyIn('users', argument('creator_id')).as('creator_code'),
  ]),
);

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

const lastIn = prepared<{ workspaceKey: number; listId: string }, { position: number | null }>((argument) =>
  query
    .selectFrom('tasks')
    .select(({ fn }) => fn.max('position').as('position'))
    .where('list_code', '=', keyIn('lists', argument('listId')))
    .where('workspace_code', '=', argument('workspaceKey')),
);

/** What one new task leaves to the next one of its commit. */
const NEXT = { name: 'numbers of the next task', tables: ['tasks', 'task_numbers', 'last_task'] };
const LAST = { name: 'last positions of lists', tables: ['tasks'] };
type LastPositions = Map<string, number | undefined>;

/** The position of the last task of a list; undefined in an empty one. */
export function lastPosition(
  db: Db & Partial<Pick<Tx, 'recall' | 'remember'>>,
  workspaceKey: number,
  listId: string,
): number | undefined {
  const known = db.recall?.<LastPositions>(LAST.name) ?? new Map();
  if (known.has(listId)) return known.get(listId);
  const position = db.one(lastIn({ workspaceKey, listId }))?.position ?? undefined;
  db.remember?.(LAST.name, LAST.tables, known.set(listId, position));
  return position;
}

/** What a task brings that was elsewhere before, in place of what a new one gets. */
export type ImportedColumns = Pick<TaskRow, 'number' | 'due_noticed' | 'comment_count' | 'more_bytes'>;

/** What a new task seldom has, with what its columns hold then. To bind all columns takes a tenth of storing a row. */
const SELDOM: readonly [(typeof INSERTED)[number], null | number][] = [
  ['due_noticed', null],
  ['completed_at', null],
  ['recurring_task_id', null],
  ['occurrence_at', null],
  ['occurrence_number', null],
  ['overridden', null],
  ['label_ids', null],
  ['checklist', null],
  ['comment_count', 0],
  ['more_bytes', 0],
  ['version', 1],
];
const insertOf = (columns: typeof INSERTED) => ({
  columns,
  sql: `insert into tasks (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
});
const WHOLE = insertOf(INSERTED);
const PLAIN = insertOf(INSERTED.filter((column) => !SELDOM.some(([seldom]) => seldom === column)));

const isPlain = (task: Record<string, unknown>): boolean =>
  SELDOM.every(([column, value]) => task[column] === value);

/** The key of a row is the workspace, the field and its value, the priority and the status. */
const COUNTS: Sums = {
  tables: new Set(['task_counts']),
  add: (key, added) =>
    statement(
      `insert into task_counts (workspace_code, field, value, priority, status_code, n, bytes)
        values (?, ?, ?, ?, ?, ?, ?)
        on conflict do update set n = n + excluded.n, bytes = bytes + excluded.bytes`,
      [...key, ...added],
    ),
};

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
  const [keys] = tx.cached(keysOf(given));
  const { workspace_code: workspaceKey } = given;
  const known = tx.recall<NextNumbers & { workspaceKey: number }>(NEXT.name);
  const next = known?.workspaceKey === workspaceKey ? known : tx.one(nextNumbers({ workspaceKey }));
  const last = tx.recall<LastPositions>(LAST.name);
  if (!keys || !next) throw new Error('A select without a source returned nothing');
  const { label_ids = null, checklist = null, version = 1 } = given;
  const more_bytes = checklist === null ? 0 : bytesOfText(...itemTitles({ checklist }));
  // The columns by their names: to spread several objects costs as much as to store the row.
  const fresh = {
    ...given,
    seq: next.seq,
    number: next.number,
    list_code: keys.list_code,
    status_code: keys.status_code,
    assignee_code: keys.assignee_code,
    creator_code: keys.creator_code,
    due_noticed: null,
    title_key: titleKey(given.title),
    label_ids,
    checklist,
    comment_count: 0,
    more_bytes,
    version,
  };
  const task = imported ? { ...fresh, ...imported } : fresh;
  const { columns, sql: insert } = isPlain(task) ? PLAIN : WHOLE;
  tx.run(
    statement(
      insert,
      columns.map((column) => task[column]),
    ),
  );
  if (!imported) {
    const after = { workspaceKey, seq: task.seq + 1, number: task.number + 1 };
    tx.remember(NEXT.name, NEXT.tables, after);
  }
  if (last) {
    const { list_id: listId, position } = task;
    if (last.has(listId)) last.set(listId, Math.max(last.get(listId) ?? position, position));
    tx.remember(LAST.name, LAST.tables, last);
  }
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
  const count = (field: string, value: number, added: number) =>
    tx.addUp(COUNTS, [workspace_code, field, value, priority, status_code], [1, added]);
  count('all', 0, bytes);
  count('list', row.list_code, 0);
  count('assignee', row.assignee_code ?? 0, 0);
}
