import type { CompiledQuery } from 'kysely';
import { statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import { deleteSomeComments } from './comments.ts';
import { deleteRows, deletionOf } from './delete-rows.ts';
import { keysIn } from './long-texts.ts';
import { NOBODY } from './mentions.ts';
import { OCCURRENCE_KEY } from './occurrences.ts';
import { recordLosses, recordThing } from './record.ts';
import { mergeSome } from './searchable.ts';
import { deleteSomeSeries } from './series.ts';
import { sumOfBytes, TEMPLATE_BYTES, withinStep } from './step-bytes.ts';
import { releaseSome } from './tasks.ts';
import { deleteSomePacked } from './trash-rows.ts';

/** Takes away at most so many rows of what goes with a thing, and returns how many those were. */
export type RemovalPart = (tx: Tx, id: string, most: number) => number;

const runs =
  (query: (id: string, most: number) => CompiledQuery<unknown>): RemovalPart =>
  (tx, id, most) =>
    tx.run(query(id, most));

/** Whether a row is of the workspace with the id that is asked for. */
export const IS_WORKSPACE = 'workspace_code = (select code from workspaces where id = ?)';
/** Whether a column names the user with the id that is asked for. */
export const IS_USER = (column: string) => `${column} = (select code from users where id = ?)`;

/** A part whose rows `where` finds, which has a `?` for the id; `times` as many of them go as quickly as tasks. */
export const deletes = (table: string, where: string, key?: string, times = 1): RemovalPart => {
  const rows = deletionOf(table, where, key);
  return runs((id, most) => rows(id, times * most));
};

/** Changes rows so that `where`, which has a `?` for the id, does not find them again. */
export const updateRows = (table: string, set: string, where: string): RemovalPart =>
  runs((id, most) => {
    const some = `select rowid from ${table} where ${where} limit ?`;
    return statement(`update ${table} set ${set} where rowid in (${some})`, [id, most]);
  });

/** Tasks have nobody any more where that user was. */
export const clearTaskReference = (as: 'assignee' | 'creator'): RemovalPart =>
  updateRows('tasks', `${as}_id = null, ${as}_code = null, version = version + 1`, IS_USER(`${as}_code`));

/** Series have nobody any more where that user was. */
export const clearSeriesReference = (as: 'assignee' | 'creator'): RemovalPart =>
  updateRows('recurring_series', `${as}_id = null, version = version + 1`, `${as}_id = ?`);

/** Changes some of the comments that `where` finds, which has a `?` for the id of a user, and records each. */
const changeComments =
  (source: string, where: string, change: (tx: Tx, id: string, some: string) => void): RemovalPart =>
  (tx, id, most) => {
    const found = tx.all(
      statement<{ code: number; id: string; workspace_id: string }>(
        `select comments.code, comments.id, workspaces.id as workspace_id from ${source}
          join workspaces on workspaces.code = comments.workspace_code where ${where} limit ?`,
        [id, most],
      ),
    );
    change(tx, id, keysIn(found, 'code'));
    for (const comment of found) recordThing(tx, 'comment', comment, 'put');
    return found.length;
  };

/** What that user wrote has no author any more. */
export const clearAuthor = changeComments('comments', IS_USER('author_code'), (tx, _, some) =>
  tx.run(
    statement(
      `update comments set author_code = null, version = version + 1
        where code in (select value from json_each(?))`,
      [some],
    ),
  ),
);

/** Mentions in what others wrote name nobody any more. */
export const eraseMentions = changeComments(
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

/** The same, of what others wrote in the trash. */
export const eraseTrashedMentions: RemovalPart = runs((id, most) =>
  statement(
    `update trash_rows set content = replace(content, ?, ?) where code in (
      select row_code from trash_mentions join trash_rows on trash_rows.code = row_code
        where ${IS_USER('user_code')} and instr(content, ?) > 0 limit ?)`,
    [`errand:user/${id}`, `errand:user/${NOBODY}`, id, `errand:user/${id}`, most],
  ),
);

/** Series decide upon an occurrence a day, for years. */
export const deleteOccurrences = (kind: keyof typeof SERIES_IS_IN): RemovalPart =>
  deletes(
    'recurring_occurrences',
    `series_id in (select id from recurring_series where ${SERIES_IS_IN[kind]})`,
    OCCURRENCE_KEY,
    10,
  );

/** Sessions go with their user; one may have used up thousands of tokens. */
export const deleteRefreshTokens = deletes(
  'refresh_tokens',
  'session_id in (select id from sessions where user_id = ?)',
  'hash',
  20,
);

/**
 * Series in other lists lose their upcoming tasks with them. Of long tasks fewer go at once, after their comments where
 * those are much.
 */
export const deleteTasks =
  (kind: keyof typeof TASK_IS_IN): RemovalPart =>
  (tx, id, most) => {
    const found = tx.all(
      statement<{ seq: number; bytes: number }>(
        `select seq, ${TEMPLATE_BYTES} as bytes from tasks where ${TASK_IS_IN[kind]} limit ?`,
        [id, most],
      ),
    );
    const some = withinStep(found);
    const seqs = some.map(({ seq }) => seq);
    if (deleteSomeComments(tx, seqs)) return most;
    if (kind !== 'workspace') recordLosses(tx, seqs);
    mergeSome(tx, seqs.length, sumOfBytes(some));
    deleteRows(tx, 'tasks', some, 'seq');
    return some.length < found.length ? most : found.length;
  };

/** Of long series fewer go at once. */
export const deleteSeries =
  (kind: keyof typeof SERIES_IS_IN): RemovalPart =>
  (tx, id, most) =>
    deleteSomeSeries(tx, SERIES_IS_IN[kind], id, most);

/** Each list is told of as it goes. */
export const deleteLists: RemovalPart = (tx, id, most) => {
  const lists = tx.all(
    statement<{ id: string; workspace_id: string }>(
      'select id, workspace_id from lists where space_id = ? limit ?',
      [id, most],
    ),
  );
  for (const list of lists) recordThing(tx, 'list', list, 'delete');
  return deleteRows(tx, 'lists', lists, 'id');
};

/** Of long things in the trash fewer go at once. */
export const deleteTrashed: RemovalPart = (tx, id, most) => deleteSomePacked(tx, IS_WORKSPACE, id, most);

/** Tasks in other lists stay without their series. */
export const releaseTasks =
  (kind: keyof typeof SERIES_IS_IN): RemovalPart =>
  (tx, id, most) =>
    releaseSome(tx, SERIES_IS_IN[kind], id, most);

export const TASK_IS_IN = {
  workspace: IS_WORKSPACE,
  space: 'list_code in (select code from lists where space_id = ?)',
  list: 'list_code = (select code from lists where id = ?)',
};
const SERIES_IS_IN = {
  workspace: 'workspace_id = ?',
  space: 'list_id in (select id from lists where space_id = ?)',
  list: 'list_id = ?',
};
