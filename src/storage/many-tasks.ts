import { type Expression, type ExpressionBuilder, type SqlBool, sql, type UpdateObject } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { keyIn } from './keys.ts';
import { RAISED, recordTask, SCOPE_COLUMNS, type TaskScope } from './record.ts';
import { rewriteInSteps, TEMPLATE_BYTES } from './step-bytes.ts';
import type { Tables } from './tables.ts';

const READ_BATCH_SIZE = 500;

type AreSo = (tasks: ExpressionBuilder<Tables, 'tasks'>) => Expression<SqlBool>;

/** Changes all the tasks of a workspace that are so, some in each step, fewer where their texts are long. */
export function* changeTasks(
  tx: Tx,
  workspaceKey: number,
  areSo: AreSo,
  changes: UpdateObject<Tables, 'tasks'>,
): Steps<void> {
  const found = query
    .selectFrom('tasks')
    .select(sql<string>`json_group_array(seq)`.as('seqs'))
    .where('workspace_code', '=', workspaceKey)
    .where(areSo);
  yield* changeFound(tx, workspaceKey, JSON.parse(tx.one(found)?.seqs ?? '[]'), changes);
}

/** As `changeTasks`, of one list, which may have very many: they are looked for in steps too. */
export function* changeTasksOfList(
  tx: Tx,
  workspaceKey: number,
  listId: string,
  areSo: AreSo,
  changes: UpdateObject<Tables, 'tasks'>,
): Steps<void> {
  const inOrder = query
    .selectFrom('tasks')
    .select((tasks) => ['seq', 'position', sql<0 | 1>`${areSo(tasks)}`.as('is_so')])
    .where('workspace_code', '=', workspaceKey)
    .where('list_code', '=', keyIn('lists', listId))
    // As the index of lists is.
    .orderBy('position')
    .orderBy('seq')
    .limit(READ_BATCH_SIZE);
  const seqs: number[] = [];
  for (let page = tx.all(inOrder); ; ) {
    for (const { seq, is_so } of page) if (is_so) seqs.push(seq);
    const last = page.at(-1);
    if (!last || page.length < READ_BATCH_SIZE) break;
    yield;
    page = tx.all(inOrder.where(sql<SqlBool>`(position, seq) > (${last.position}, ${last.seq})`));
  }
  yield* changeFound(tx, workspaceKey, seqs, changes);
}

function changeFound(
  tx: Tx,
  workspaceKey: number,
  seqs: readonly number[],
  changes: UpdateObject<Tables, 'tasks'>,
): Steps<void> {
  return rewriteInSteps(readTasks(tx, seqs), (batch) => {
    const some = JSON.stringify(batch.map(({ seq }) => seq));
    tx.run(
      query
        .updateTable('tasks')
        .set({ ...changes, version: RAISED })
        .where('workspace_code', '=', workspaceKey)
        .where('seq', 'in', sql<number>`(select value from json_each(${some}))`),
    );
    for (const task of batch) recordTask(tx, task, 'put', changes);
  });
}

/** What is told of a task that changes, and the bytes of the text that is written with it. */
type WeighedTask = TaskScope & { seq: number; bytes: number };

/** The tasks of these numbers, read when their turn comes: all of very many at once would hold up everyone. */
function* readTasks(tx: Tx, all: readonly number[]): Generator<WeighedTask> {
  for (let done = 0; done < all.length; done += READ_BATCH_SIZE) {
    const some = JSON.stringify(all.slice(done, done + READ_BATCH_SIZE));
    yield* tx.all(
      statement<WeighedTask>(
        `select seq, ${SCOPE_COLUMNS}, ${TEMPLATE_BYTES} as bytes from tasks where seq in (select value from json_each(?))`,
        [some],
      ),
    );
  }
}

/** How many tasks a workspace has in a list, with one of the statuses, or of an assignee; by the kept counters. */
export function countTasksOf(
  db: Db,
  workspaceKey: number,
  of: { listId: string } | { templateId: string } | { assigneeId: string },
): number {
  const [condition, id] =
    'listId' in of
      ? [`field = 'list' and value = (select code from lists where id = ?)`, of.listId]
      : 'assigneeId' in of
        ? [`field = 'assignee' and value = (select code from users where id = ?)`, of.assigneeId]
        : [
            `field = 'all' and status_code in (select code from statuses where template_id = ?)`,
            of.templateId,
          ];
  const counted = statement<{ n: number }>(
    `select ifnull(sum(n), 0) as n from task_counts where workspace_code = ? and ${condition}`,
    [workspaceKey, id],
  );
  return db.one(counted)?.n ?? 0;
}

/** Takes a label from all the tasks that have it, some in each step, and records each. */
export function removeLabelFromTasks(
  tx: Tx,
  workspaceKey: number,
  { id, code }: { id: string; code: number },
  now: Instant,
): Steps<void> {
  const labelled = statement<{ seqs: string }>(
    `select json_group_array(seq) as seqs from tasks
      where workspace_code = ? and seq in (select task_seq from task_labels where label_code = ?)`,
    [workspaceKey, code],
  );
  return rewriteInSteps(readTasks(tx, JSON.parse(tx.one(labelled)?.seqs ?? '[]')), (batch) => {
    const some = JSON.stringify(batch.map(({ seq }) => seq));
    tx.run(
      statement(
        `update tasks set version = version + 1, updated_at = ?, label_ids =
            nullif((select json_group_array(value) from json_each(label_ids) where value <> ?), '[]')
          where workspace_code = ? and seq in (select value from json_each(?))`,
        [now, id, workspaceKey, some],
      ),
    );
    tx.run(
      statement(
        'delete from task_labels where label_code = ? and task_seq in (select value from json_each(?))',
        [code, some],
      ),
    );
    for (const task of batch) recordTask(tx, task, 'put', { label_ids: null });
  });
}
