import { type Db, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import type { Status } from '../lists/schema.ts';
import { userIdOf, userKeyOf } from './changes.ts';
import { saveItems } from './checklists.ts';
import { nextComments } from './comments.ts';
import { deleteRows } from './delete-rows.ts';
import { countTask } from './insert-task.ts';
import { saveTaskLabels } from './labels.ts';
import { keysIn } from './long-texts.ts';
import { NOBODY } from './mentions.ts';
import { recordLosses, recordThing } from './record.ts';
import { mergeSome } from './searchable.ts';
import { sumOfBytes, TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import type { CommentRow, TaskKeys } from './tables.ts';
import type { StoredTask } from './task-fields.ts';
import { checklistOf, itemIds, labelIdsOf, toJson } from './template-fields.ts';
import type { StoredEntry } from './trash.ts';
import { insertBeside, insertPacked, type Packed, type StoredPacked } from './trash-rows.ts';

/** A step packs or unpacks at most so many tasks. */
export const TASK_BATCH_SIZE = 64;

/** Any row: columns that later migrations add are packed and restored like the others. */
export type AnyRow = Record<string, unknown>;

/** A row whose people are known by their keys alone, and whose labels are. */
export interface PackedRow {
  row: AnyRow;
  /** By the name of the column without `_id`. */
  people: Record<string, number>;
  labels: number[];
}

export interface PackedTask extends PackedRow {
  /** What its status was, for finding one like it. */
  status: Pick<Status, 'id' | 'title' | 'type'>;
}

export interface PackedComment {
  row: CommentRow & { code: number };
  mentions: { user_code: number; is_current: 0 | 1 }[];
}

const PEOPLE = ['assignee', 'creator'] as const;

/** Takes the ids of people and labels out of a row, and keeps their keys. */
export function packRow(db: Db, workspaceId: string, given: object): PackedRow {
  const row: AnyRow = { ...given };
  const people: PackedRow['people'] = {};
  for (const as of PEOPLE) {
    const id = row[`${as}_id`];
    const key = row[`${as}_code`] ?? (typeof id === 'string' ? userKeyOf(db, id) : null);
    if (typeof key === 'number') people[as] = key;
    delete row[`${as}_id`];
    delete row[`${as}_code`];
  }
  const ids = labelIdsOf({ label_ids: (row.label_ids as string | null | undefined) ?? null });
  delete row.label_ids;
  delete row.workspace_id;
  return { row, people, labels: keysOfLabels(db, workspaceId, ids) };
}

/** In the order of the ids; what is no label of the workspace is left out. */
function keysOfLabels(db: Db, workspaceId: string, ids: readonly string[]): number[] {
  if (ids.length === 0) return [];
  return db
    .all(
      statement<{ code: number }>(
        `select code from json_each(?) as asked join labels on labels.id = asked.value
          where workspace_id = ? order by asked.key`,
        [JSON.stringify(ids), workspaceId],
      ),
    )
    .map(({ code }) => code);
}

/** The ids of packed labels, of those that are still there. */
export function labelsOf(db: Db, keys: readonly number[]): string[] {
  if (keys.length === 0) return [];
  const found = statement<{ id: string }>(
    'select labels.id from json_each(?) as asked join labels on labels.code = asked.value order by asked.key',
    [JSON.stringify(keys)],
  );
  return db.all(found).map(({ id }) => id);
}

/** The columns of a person of a packed row: none once the account is gone. */
export function personColumns(db: Db, packed: PackedRow, as: (typeof PEOPLE)[number]) {
  const key = packed.people[as];
  const id = key === undefined ? null : userIdOf(db, key);
  return { id, code: id === null ? null : (key ?? null) };
}

/** Which tasks an entry takes along. */
const TASKS_OF: Record<StoredEntry['kind'], string> = {
  task: 'id = ?',
  list: 'list_code = (select code from lists where id = ?)',
  space: 'list_code in (select code from lists where space_id = ?)',
};

/**
 * Moves some tasks of an entry into it, with what they carry; false when none is left. Where the comments of a task are
 * much they go first, some at a time.
 */
export function packSomeTasks(tx: Tx, entry: StoredEntry): boolean {
  const keys = nextTasks(tx, entry);
  if (keys.length === 0) return false;
  if (!packComments(tx, entry, keys)) return true;
  const tasks = tx.all(
    statement<StoredTask & TaskKeys & { status_title: string; status_type: Status['type'] }>(
      `select tasks.*, statuses.title as status_title, statuses.type as status_type
        from tasks join statuses on statuses.code = status_code
        where seq in (select value from json_each(?))`,
      [JSON.stringify(keys)],
    ),
  );
  const packed = tasks.map(({ status_title: title, status_type: type, ...task }): Packed => {
    const status = { id: task.status_id, title, type };
    const content: PackedTask = { ...packRow(tx, task.workspace_id, task), status };
    const bytes = bytesOfText(task.title, task.description, ...checklistOf(task).map((item) => item.title));
    return { id: task.id, series_id: task.recurring_task_id, bytes, content };
  });
  insertPacked(tx, entry, 'task', packed);
  const items = tasks.flatMap((task) => checklistOf(task).map((item) => ({ id: task.id, value: item.id })));
  insertBeside(tx, 'trash_items', items);
  recordLosses(tx, keys);
  deleteRows(tx, 'tasks', tasks, 'seq');
  mergeSome(tx, keys.length, sumOfBytes(packed));
  return true;
}

function nextTasks(db: Db, { id, kind }: StoredEntry): number[] {
  const found = db.all(
    statement<{ seq: number; bytes: number }>(
      `select seq, ${TEMPLATE_BYTES} as bytes from tasks where ${TASKS_OF[kind]} limit ?`,
      [id, TASK_BATCH_SIZE],
    ),
  );
  return withinStep(found).map(({ seq }) => seq);
}

/** Returns whether these were all the comments of the tasks. */
function packComments(tx: Tx, entry: StoredEntry, tasks: readonly number[]): boolean {
  const { some: chosen, areMore } = nextComments(tx, tasks);
  if (chosen.length === 0) return true;
  const some = keysIn(chosen, 'code');
  const comments = tx.all(
    statement<PackedComment['row']>(
      'select * from comments where code in (select value from json_each(?)) order by code',
      [some],
    ),
  );
  const mentions = Map.groupBy(
    tx.all(
      statement<{ comment_code: number; user_code: number; is_current: 0 | 1 }>(
        'select * from comment_mentions where comment_code in (select value from json_each(?))',
        [some],
      ),
    ),
    (mention) => mention.comment_code,
  );
  const mentionsOf = (code: number) =>
    (mentions.get(code) ?? []).map(({ user_code, is_current }) => ({ user_code, is_current }));
  insertPacked(
    tx,
    entry,
    'comment',
    comments.map((row) => {
      const content: PackedComment = { row, mentions: mentionsOf(row.code) };
      return { id: row.id, bytes: bytesOfText(row.body), content };
    }),
  );
  const people = comments.flatMap(({ id, code }) =>
    mentionsOf(code).map(({ user_code: value }) => ({ id, value })),
  );
  insertBeside(tx, 'trash_mentions', people);
  deleteRows(tx, 'comments', chosen, 'code');
  mergeSome(tx, chosen.length, sumOfBytes(chosen));
  return !areMore;
}

/** Stores a row again, in the columns that its table has by now. */
export function insertRow(tx: Tx, table: string, row: AnyRow): void {
  const known = new Set(
    tx
      .all(statement<{ name: string }>('select name from pragma_table_info(?)', [table]))
      .map(({ name }) => name),
  );
  const columns = Object.keys(row).filter((name) => known.has(name));
  tx.run(
    statement(
      `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      columns.map((name) => row[name]),
    ),
  );
}

/** Stores a task again, with the labels that are still there, and counts it. */
export function insertTaskAgain(tx: Tx, row: StoredTask & TaskKeys, labels: readonly string[]): void {
  insertRow(tx, 'tasks', { ...row, label_ids: toJson(labels) });
  countTask(tx, row, bytesOfText(row.title, row.description) + row.more_bytes);
  saveTaskLabels(tx, row.workspace_id, row.seq, labels);
  saveItems(tx, row.seq, itemIds(row));
}

/** Stores a comment again, without who is gone: that is a change of it. */
export function insertCommentAgain(tx: Tx, workspace_id: string, { row, mentions }: PackedComment): void {
  const isThere = (code: number | null) => code !== null && userIdOf(tx, code) !== null;
  const author_code = isThere(row.author_code) ? row.author_code : null;
  const isChanged = author_code !== row.author_code || row.body.includes(NOBODY);
  insertRow(tx, 'comments', { ...row, author_code, version: row.version + (isChanged ? 1 : 0) });
  if (isChanged) recordThing(tx, 'comment', { id: row.id, workspace_id }, 'put');
  for (const { user_code, is_current } of mentions) {
    if (!isThere(user_code)) continue;
    tx.run(
      statement('insert into comment_mentions (comment_code, user_code, is_current) values (?, ?, ?)', [
        row.code,
        user_code,
        is_current,
      ]),
    );
  }
}

export const contentOf = <Content>({ content }: Pick<StoredPacked, 'content'>): Content =>
  JSON.parse(content) as Content;
