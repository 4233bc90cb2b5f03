import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import { Existing } from '../http/route.ts';
import { forbidden, notFound } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { type Page, type PageRequest, pageOf } from '../kernel/page.ts';
import { bytesOfText } from '../kernel/text-bytes.ts';
import { notify } from '../notifications/notify.ts';
import { userKeyOf } from '../storage/changes.ts';
import * as store from '../storage/comments.ts';
import { mentionsIn } from '../storage/mentions.ts';
import { recordTask } from '../storage/record.ts';
import { giveUpWords, indexComment, reindexComment } from '../storage/searchable.ts';
import type { StoredTask } from '../storage/task-fields.ts';
import { findTask, updateTaskRow } from '../storage/tasks.ts';
import { isAtLeast, type Member, writeAs, writeStepsAs } from '../workspaces/authorization.ts';
import { claimId } from '../workspaces/client-ids.ts';
import { requireCapacity } from '../workspaces/quotas.ts';
import { changeTask } from './change-task.ts';
import type { Comment, CommentInput, CommentPatch } from './comment-schema.ts';
import { requireTask } from './tasks.ts';

/** Fewer are told in one go, some 0.1 ms each. */
const NOTICE_BATCH_SIZE = 50;

/** The comments of a task, the oldest first. */
export function listComments({ read }: Deps, who: Member, taskId: string, page: PageRequest): Page<Comment> {
  const { comment_count, seq } = requireTask(read, who, taskId);
  const comments = store.commentsOfTask(read, who.workspaceKey, seq, page);
  return pageOf(page, comment_count, comments.map(store.commentOf));
}

/** Reads a comment on a task; 404 where that is none of its own. */
export const readComment = ({ read }: Deps, who: Member, taskId: string, id: string): Comment =>
  store.commentOf(requireComment(read, who, taskId, id).comment);

/**
 * Comments on a task; tells those who are mentioned, and otherwise the assignee, the creator and who commented before.
 * One that the caller made for it with this id already is the response.
 */
export function createComment(
  deps: Deps,
  who: Member,
  taskId: string,
  input: CommentInput,
): Promise<Written> {
  const now = deps.clock.now();
  const create = function* (tx: Tx): Steps<Written> {
    const task = requireTask(tx, who, taskId);
    const { body } = input;
    const id = claimId(tx, input.id, now, (given) => {
      const same = store.findComment(tx, who.workspaceKey, given);
      return same?.task_id === taskId && same.author_id === who.userId ? store.commentOf(same) : undefined;
    });
    if (id instanceof Existing) return id;
    const bytes = bytesOfText(body);
    requireCapacity(deps, tx, who, { tasks: 0, bytes });
    const at = toInstant(now);
    const earlier = store.commentersOf(tx, who.workspaceKey, task.seq);
    const key = store.insertComment(tx, who.workspaceId, {
      id,
      workspace_code: who.workspaceKey,
      task_seq: task.seq,
      author_code: userKeyOf(tx, who.userId),
      body,
      version: 1,
      created_at: at,
      edited_at: null,
    });
    indexComment(tx, key, who.workspaceKey, body);
    const sums = { comment_count: task.comment_count + 1, more_bytes: task.more_bytes + bytes };
    changeTask(tx, task, sums, at);
    const mentioned = store.saveMentions(tx, key, mentionedIn(tx, who, body));
    yield* tell(tx, who, task, id, 'comment.mentioned', mentioned, at);
    const concerned = new Set([task.assignee_id, task.creator_id, ...earlier]);
    const others = [...concerned].flatMap((id) => (id === null || mentioned.includes(id) ? [] : id));
    const members = store.membersAmong(tx, who.workspaceId, others);
    yield* tell(tx, who, task, id, 'comment.added', members, at);
    return store.commentOf(requireComment(tx, who, taskId, id).comment);
  };
  return writeComment(deps, who, taskId, input, create);
}

/** Changes the body of the caller's own comment, else 403; who is mentioned there for the first time is told. */
export function updateComment(
  deps: Deps,
  who: Member,
  taskId: string,
  id: string,
  { body }: CommentPatch,
  ifMatch: Precondition,
): Promise<Written> {
  const now = toInstant(deps.clock.now());
  const update = function* (tx: Tx): Steps<Comment> {
    const { task, comment } = requireComment(tx, who, taskId, id);
    if (comment.author_id !== who.userId) throw forbidden('Only its author may change a comment');
    ifMatch(comment);
    if (body === undefined || body === comment.body) return store.commentOf(comment);
    const growth = bytesOfText(body) - bytesOfText(comment.body);
    requireCapacity(deps, tx, who, { tasks: 0, bytes: growth });
    const changes = { body, version: comment.version + 1, edited_at: now };
    store.saveComment(tx, who, comment, changes);
    reindexComment(tx, comment.code, who.workspaceKey, body);
    updateTaskRow(tx, task, { more_bytes: task.more_bytes + growth });
    recordTask(tx, task, 'put', { comment_count: task.comment_count });
    const mentioned = store.saveMentions(tx, comment.code, mentionedIn(tx, who, body));
    yield* tell(tx, who, task, id, 'comment.mentioned', mentioned, now);
    return store.commentOf(requireComment(tx, who, taskId, id).comment);
  };
  return writeComment(deps, who, taskId, { body }, update);
}

/** Deletes a comment: its author, or an admin; else 403. */
export function removeComment(
  deps: Deps,
  who: Member,
  taskId: string,
  id: string,
  ifMatch: Precondition,
): Promise<undefined> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    const { task, comment } = requireComment(tx, who, taskId, id);
    if (comment.author_id !== who.userId && !isAtLeast(who.role, 'admin')) {
      throw forbidden('Only its author or an admin may delete a comment');
    }
    ifMatch(comment);
    giveUpWords(tx, -comment.code);
    store.deleteCommentRow(tx, who, comment);
    const more_bytes = task.more_bytes - bytesOfText(comment.body);
    changeTask(tx, task, { comment_count: task.comment_count - 1, more_bytes }, now);
    return undefined;
  });
}

/** A comment that was written, or was there already. */
type Written = Comment | Existing<Comment>;

/** Writes a comment, in steps where many may have to be told. */
function writeComment(
  deps: Deps,
  who: Member,
  taskId: string,
  { body = '' }: CommentPatch,
  act: (tx: Tx) => Steps<Written>,
): Promise<Written> {
  const commented = findTask(deps.read, who.workspaceId, taskId)?.comment_count ?? 0;
  const isMuch = Math.max(commented, mentionsIn(body).length) > NOTICE_BATCH_SIZE;
  return writeStepsAs(deps, who, isMuch, act);
}

/** The members that a body mentions. */
const mentionedIn = (db: Db, who: Member, body: string): string[] =>
  store.membersAmong(db, who.workspaceId, mentionsIn(body));

/** Quotes nothing of the comment: a notification outlives it. */
function* tell(
  tx: Tx,
  who: Member,
  task: StoredTask,
  commentId: string,
  type: 'comment.added' | 'comment.mentioned',
  userIds: readonly string[],
  at: Instant,
): Steps<void> {
  const title = type === 'comment.added' ? 'A task has a new comment' : 'You were mentioned in a comment';
  const notice = {
    type,
    actorId: who.userId,
    workspaceId: who.workspaceId,
    title,
    body: task.title,
    data: { taskId: task.id, commentId },
  };
  for (let done = 0; done < userIds.length; done += NOTICE_BATCH_SIZE) {
    if (done > 0) yield;
    notify(tx, userIds.slice(done, done + NOTICE_BATCH_SIZE), notice, at);
  }
}

function requireComment(db: Db, who: Member, taskId: string, id: string) {
  const task = requireTask(db, who, taskId);
  const comment = store.findComment(db, who.workspaceKey, id);
  if (comment?.task_id !== taskId) throw notFound('comment');
  return { task, comment };
}
