import type { CompiledQuery } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { forgetMemberChanges } from './changes.ts';
import { deleteRows } from './delete-rows.ts';
import { scheduleErasure } from './erasure.ts';
import { recordLosses, recordTask, recordThing } from './record.ts';
import type { RemovalRow } from './tables.ts';
import { releaseSome } from './tasks.ts';

/** Notes that something is being deleted: what is left of it goes in steps. */
export const insertRemoval = (tx: Tx, removal: RemovalRow) =>
  tx.run(
    query
      .insertInto('removals')
      .values(removal)
      .onConflict((conflict) => conflict.doNothing()),
  );

/** Backwards by name: a user comes after the workspaces they owned. */
export const begunRemovals = (db: Db): RemovalRow[] =>
  db.all(query.selectFrom('removals').selectAll().orderBy('kind', 'desc'));

/** Takes at most so many rows of a part away, part after part; with the last of them the thing itself, and returns true. */
export function takeRemovalStep(tx: Tx, { kind, id }: RemovalRow, most: number): boolean {
  if (leavesWords(tx, kind, id)) scheduleErasure(tx, 'search');
  if (kind === 'user') recordReferences(tx, id, most);
  const isDone = PARTS[kind].every((part) => part(tx, id, most) < most);
  if (!isDone) return false;
  recordRemoval(tx, kind, id);
  tx.run(query.deleteFrom(TABLES[kind]).where('id', '=', id));
  tx.run(query.deleteFrom('removals').where('kind', '=', kind).where('id', '=', id));
  return true;
}

/** Records that a list or space is gone, with all that was in it; of a user, who was a member, no id stays. */
function recordRemoval(tx: Tx, kind: RemovalRow['kind'], id: string): void {
  if (kind === 'user') forgetMemberChanges(tx, id);
  const isIn = kind === 'space' ? 'space_id' : 'id';
  const lists = query.selectFrom('lists').select(['id', 'workspace_id']).where(isIn, '=', id);
  if (kind === 'list' || kind === 'space') {
    for (const list of tx.all(lists)) recordThing(tx, 'list', list, 'delete');
  }
  if (kind !== 'space') return;
  const [space] = tx.all(query.selectFrom('spaces').select(['id', 'workspace_id']).where('id', '=', id));
  if (space) recordThing(tx, 'space', space, 'delete');
}

/** Records what a step is about to take a user from, as assignee or creator. */
function recordReferences(tx: Tx, userId: string, most: number): void {
  const isUser = (as: string) => `${as}_code = (select code from users where id = ?)`;
  for (const as of ['assignee', 'creator'] as const) {
    const change = { [`${as}_id`]: null };
    const tasks = statement<Parameters<typeof recordTask>[1]>(
      `select id, workspace_id, list_id, space_id, recurring_task_id from tasks where ${isUser(as)} limit ?`,
      [userId, most],
    );
    for (const task of tx.all(tasks)) recordTask(tx, task, 'put', change);
    const series = statement<{ id: string; workspace_id: string }>(
      `select id, workspace_id from recurring_series where ${as}_id = ? limit ?`,
      [userId, most],
    );
    for (const row of tx.all(series)) recordThing(tx, 'recurringTask', row, 'put', change);
  }
}

/** The search index is cleared as a whole, which is too much to do for a list that is empty. */
const leavesWords = (tx: Tx, kind: RemovalRow['kind'], id: string): boolean =>
  kind === 'user' ||
  kind === 'workspace' ||
  tx.one(statement(`select 1 from tasks where ${TASK_IS_IN[kind]} limit 1`, [id])) !== undefined;

const TABLES = { user: 'users', workspace: 'workspaces', space: 'spaces', list: 'lists' } as const;

/** Takes away at most so many rows, and returns how many those were. */
type Part = (tx: Tx, id: string, most: number) => number;

const runs =
  (query: (id: string, most: number) => CompiledQuery<unknown>): Part =>
  (tx, id, most) =>
    tx.run(query(id, most));
const deletes = (...rows: Parameters<typeof deleteRows>): Part => runs(deleteRows(...rows));

/** Changes rows so that `where`, which has a `?` for the id, does not find them again. */
const updateRows = (table: string, set: string, where: string): Part =>
  runs((id, most) => {
    const some = `select rowid from ${table} where ${where} limit ?`;
    return statement(`update ${table} set ${set} where rowid in (${some})`, [id, most]);
  });

/** Tasks and series have nobody any more where that user was. */
const clearReference = (as: 'assignee' | 'creator'): Part[] => [
  updateRows(
    'tasks',
    `${as}_id = null, ${as}_code = null, version = version + 1`,
    `${as}_code = (select code from users where id = ?)`,
  ),
  updateRows('recurring_series', `${as}_id = null, version = version + 1`, `${as}_id = ?`),
];

/** As long as an id, so that no count of bytes changes. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

const IS_USER = (column: string) => `${column} = (select code from users where id = ?)`;

/** Changes some of the comments that `where` finds, which has a `?` for the id of a user, and records each. */
const changeComments =
  (source: string, where: string, change: (tx: Tx, id: string, some: string) => void): Part =>
  (tx, id, most) => {
    const found = tx.all(
      statement<{ code: number; id: string; workspace_id: string }>(
        `select comments.code, comments.id, workspaces.id as workspace_id from ${source}
          join workspaces on workspaces.code = comments.workspace_code where ${where} limit ?`,
        [id, most],
      ),
    );
    change(tx, id, JSON.stringify(found.map(({ code }) => code)));
    for (const comment of found) recordThing(tx, 'comment', comment, 'put');
    return found.length;
  };

/** What that user wrote has no author any more. */
const clearAuthor = changeComments('comments', IS_USER('author_code'), (tx, _, some) =>
  tx.run(
    statement(
      `update comments set author_code = null, version = version + 1
        where code in (select value from json_each(?))`,
      [some],
    ),
  ),
);

/** Mentions in what others wrote name nobody any more. */
const eraseMentions = changeComments(
  'comment_mentions join comments on comments.code = comment_code',
  IS_USER('user_code'),
  (tx, id, some) => {
    tx.run(
      statement(
        `update comments set body = replace(body, ?, ?), version = version + 1
          where code in (select value from json_each(?)) and instr(body, ?) > 0`,
        [`errand:user/${id}`, `errand:user/${NOBODY}`, some, `errand:user/${id}`],
      ),
    );
    tx.run(
      statement(
        `delete from comment_mentions where ${IS_USER('user_code')}
          and comment_code in (select value from json_each(?))`,
        [id, some],
      ),
    );
  },
);

const eraseTrashedMentions: Part = runs((id, most) =>
  statement(
    `update trash_rows set content = replace(content, ?, ?) where code in (
      select row_code from trash_mentions join trash_rows on trash_rows.code = row_code
        where user_code = (select code from users where id = ?) and instr(content, ?) > 0 limit ?)`,
    [`errand:user/${id}`, `errand:user/${NOBODY}`, id, `errand:user/${id}`, most],
  ),
);

/** Series decide upon an occurrence a day, for years; ten such rows go as quickly as a task. */
const deleteOccurrences = (isIn: string): Part => {
  const where = `series_id in (select id from recurring_series where ${isIn})`;
  const part = deleteRows('recurring_occurrences', where, 'series_id, rule_version, occurrence_local');
  return runs((id, most) => part(id, 10 * most));
};

/** Sessions go with their user; one may have used up thousands of tokens, which go twenty times as quickly as tasks. */
const deleteRefreshTokens: Part = runs((id, most) => {
  const where = 'session_id in (select id from sessions where user_id = ?)';
  return deleteRows('refresh_tokens', where, 'hash')(id, 20 * most);
});

/** What a list holds, the tasks first: a series that goes before its tasks would have to let each of them go. */
const contents = (kind: keyof typeof TASK_IS_IN): Part[] => [
  deleteTasks(kind),
  ...(kind === 'workspace' ? [] : [releaseTasks(SERIES_IS_IN[kind])]),
  deleteOccurrences(SERIES_IS_IN[kind]),
  deletes('recurring_series', SERIES_IS_IN[kind]),
];

/** Series in other lists lose their upcoming tasks with them. */
const deleteTasks =
  (kind: keyof typeof TASK_IS_IN): Part =>
  (tx, id, most) => {
    const found = tx.all(
      statement<{ seq: number }>(`select seq from tasks where ${TASK_IS_IN[kind]} limit ?`, [id, most]),
    );
    const seqs = found.map(({ seq }) => seq);
    if (kind !== 'workspace') recordLosses(tx, seqs);
    return tx.run(
      statement('delete from tasks where seq in (select value from json_each(?))', [JSON.stringify(seqs)]),
    );
  };

/** Tasks in other lists stay without their series. */
const releaseTasks =
  (isIn: string): Part =>
  (tx, id, most) =>
    releaseSome(tx, isIn, id, most);

const TASK_IS_IN = {
  workspace: 'workspace_code = (select code from workspaces where id = ?)',
  space: 'list_code in (select code from lists where space_id = ?)',
  list: 'list_code = (select code from lists where id = ?)',
};
const SERIES_IS_IN = {
  workspace: 'workspace_id = ?',
  space: 'list_id in (select id from lists where space_id = ?)',
  list: 'list_id = ?',
};

/** What may be much, and goes before the thing itself; the rest goes with it by the foreign keys. */
const PARTS: Record<RemovalRow['kind'], readonly Part[]> = {
  user: [
    deleteRefreshTokens,
    deletes('notifications', 'user_id = ?'),
    deletes('notifications', 'actor_id = ?'),
    ...clearReference('assignee'),
    ...clearReference('creator'),
    clearAuthor,
    eraseMentions,
    updateRows('trash', 'deleted_by = null', 'deleted_by = (select code from users where id = ?)'),
    eraseTrashedMentions,
    deletes('trash_mentions', 'user_code = (select code from users where id = ?)', 'user_code, row_code'),
  ],
  workspace: [
    deletes('notifications', 'workspace_id = ?'),
    ...contents('workspace'),
    deletes('trash_rows', 'workspace_code = (select code from workspaces where id = ?)'),
    deletes('trash', 'workspace_code = (select code from workspaces where id = ?)'),
    deletes('changes', 'workspace_code = (select code from workspaces where id = ?)', 'workspace_code, seq'),
  ],
  space: contents('space'),
  list: contents('list'),
};
