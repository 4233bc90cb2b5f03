import { type Db, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { offsetOf, type PageRequest } from '../kernel/page.ts';
import type { Comment } from '../tasks/comment-schema.ts';
import { deleteRows } from './delete-rows.ts';
import { recordThing } from './record.ts';
import { mergeSome } from './searchable.ts';
import { sumOfBytes, withinStep } from './step-bytes.ts';
import type { CommentRow } from './tables.ts';

/** A comment with the ids that it is shown with. */
export interface StoredComment {
  code: number;
  id: string;
  task_id: string;
  author_id: string | null;
  body: string;
  /** JSON: ids. */
  mentioned: string;
  version: number;
  created_at: string;
  edited_at: string | null;
}

export const commentOf = (row: StoredComment): Comment => ({
  id: row.id,
  taskId: row.task_id,
  authorId: row.author_id,
  body: row.body,
  mentionedUserIds: JSON.parse(row.mentioned) as string[],
  createdAt: row.created_at,
  editedAt: row.edited_at,
  version: row.version,
});

/** Comments as they are shown. */
export const SHOWN_COMMENTS = `
  select comment.code, comment.task_seq, comment.id, task.id as task_id, author.id as author_id, comment.body, comment.version,
      comment.created_at, comment.edited_at, (
        select json_group_array(id) from (
          select mentioned.id from comment_mentions join users as mentioned on mentioned.code = user_code
            where comment_code = comment.code and is_current = 1 order by user_code)
      ) as mentioned
    from comments as comment join tasks as task on task.seq = comment.task_seq
      left join users as author on author.code = comment.author_code`;

/** The comments of a task of the workspace, the oldest first. */
export const commentsOfTask = (
  db: Db,
  workspaceKey: number,
  seq: number,
  page: PageRequest,
): StoredComment[] =>
  db.all(
    statement<StoredComment>(
      `${SHOWN_COMMENTS} where comment.task_seq = ? and +comment.workspace_code = ?
        order by comment.code limit ? offset ?`,
      [seq, workspaceKey, page.limit, offsetOf(page)],
    ),
  );

/** A comment of the workspace. */
export const findComment = (db: Db, workspaceKey: number, id: string): StoredComment | undefined =>
  db.one(
    statement<StoredComment>(`${SHOWN_COMMENTS} where comment.id = ? and comment.workspace_code = ?`, [
      id,
      workspaceKey,
    ]),
  );

/** Those of the comments that are in the workspace. */
export const findComments = (db: Db, workspaceKey: number, ids: readonly string[]): StoredComment[] =>
  db.all(
    statement<StoredComment>(
      `${SHOWN_COMMENTS} where comment.id in (select value from json_each(?)) and +comment.workspace_code = ?`,
      [JSON.stringify(ids), workspaceKey],
    ),
  );

/** A workspace, by its id and its key. */
interface Tenant {
  workspaceId: string;
  workspaceKey: number;
}

/** Stores a comment; returns its key. */
export function insertComment(tx: Tx, workspaceId: string, row: CommentRow): number {
  const code = tx.insert(query.insertInto('comments').values(row));
  recordComment(tx, workspaceId, row.id, 'put');
  return code;
}

/** Stores what the body of a comment became. */
export function saveComment(
  tx: Tx,
  { workspaceId, workspaceKey }: Tenant,
  { id, code }: StoredComment,
  { body, version, edited_at }: Pick<CommentRow, 'body' | 'version' | 'edited_at'>,
): void {
  const update = query.updateTable('comments').set({ body, version, edited_at });
  tx.run(update.where('workspace_code', '=', workspaceKey).where('code', '=', code));
  recordComment(tx, workspaceId, id, 'put', { body, edited_at });
}

/** Deletes a comment, but not its words from the search index. */
export function deleteCommentRow(
  tx: Tx,
  { workspaceId, workspaceKey }: Tenant,
  { id, code }: StoredComment,
): void {
  tx.run(query.deleteFrom('comments').where('workspace_code', '=', workspaceKey).where('code', '=', code));
  recordComment(tx, workspaceId, id, 'delete');
}

const STEP_COMMENTS = 200;

/** The next comments of tasks that fit into a step, and whether there are more. */
export function nextComments(db: Db, tasks: readonly number[]) {
  const found = db.all(
    statement<{ code: number; bytes: number }>(
      `select code, octet_length(body) as bytes from comments
        where task_seq in (select value from json_each(?)) order by code limit ?`,
      [JSON.stringify(tasks), STEP_COMMENTS],
    ),
  );
  const some = withinStep(found);
  return { some, areMore: some.length < found.length || found.length === STEP_COMMENTS };
}

/** Deletes some of the comments of tasks that go next, unrecorded; returns whether more are left. */
export function deleteSomeComments(tx: Tx, tasks: readonly number[]): boolean {
  const { some, areMore } = nextComments(tx, tasks);
  deleteRows(tx, 'comments', some, 'code');
  mergeSome(tx, some.length, sumOfBytes(some));
  return areMore;
}

const recordComment = (
  tx: Tx,
  workspace_id: string,
  id: string,
  op: 'put' | 'delete',
  changes?: Record<string, unknown>,
) => recordThing(tx, 'comment', { id, workspace_id }, op, changes);

/** Those of the users who are members of the workspace. */
export const membersAmong = (db: Db, workspaceId: string, userIds: readonly string[]): string[] =>
  userIds.length === 0
    ? []
    : db
        .all(
          statement<{ user_id: string }>(
            `select user_id from members where workspace_id = ? and user_id in (select value from json_each(?))`,
            [workspaceId, JSON.stringify(userIds)],
          ),
        )
        .map((row) => row.user_id);

/** Notes who is mentioned in a comment; returns those who never were before. */
export function saveMentions(tx: Tx, commentKey: number, userIds: readonly string[]): string[] {
  const json = JSON.stringify(userIds);
  const fresh = tx.all(
    statement<{ id: string }>(
      `select id from users where id in (select value from json_each(?))
        and code not in (select user_code from comment_mentions where comment_code = ?)`,
      [json, commentKey],
    ),
  );
  tx.run(statement('update comment_mentions set is_current = 0 where comment_code = ?', [commentKey]));
  tx.run(
    statement(
      `insert into comment_mentions (comment_code, user_code, is_current)
        select ?, code, 1 from users where id in (select value from json_each(?))
        on conflict do update set is_current = 1`,
      [commentKey, json],
    ),
  );
  return fresh.map(({ id }) => id);
}

/** Who wrote comments on a task, members or not any more. */
export const commentersOf = (db: Db, workspaceKey: number, seq: number): string[] =>
  db
    .all(
      statement<{ id: string }>(
        `select distinct users.id from comments join users on users.code = author_code
          where task_seq = ? and +workspace_code = ?`,
        [seq, workspaceKey],
      ),
    )
    .map(({ id }) => id);
