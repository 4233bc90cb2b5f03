import type { CompiledQuery } from 'kysely';
import { query, statement } from '../db/connection.ts';
import { deleteRows } from '../db/delete-rows.ts';
import { eraseResidue, markResidue } from '../db/residue.ts';
import type { RemovalRow } from '../db/tables.ts';
import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { unavailable } from '../kernel/errors.ts';

/** So little goes in the commit that asks for it. */
export const FEW = 20;
/** Rows of each kind in a step, which holds everyone up for some milliseconds. */
const AT_ONCE = { user: 20, workspace: 64, space: 64, list: 64 };
/** Tasks after which the search index is cleared of them: in one step, as nothing is left to write. */
const ERASED_AT_ONCE = 8_000;

/**
 * Begins to delete something in the caller's transaction; true when that is all, as it holds at most `most` rows of
 * each kind. Otherwise `finishRemoval` goes on. A user or workspace is not to be seen from now on; a space or list
 * stays until the end, so that its tasks always have one.
 */
export function beginRemoval(tx: Tx, removal: RemovalRow, most = FEW): boolean {
  if (takeStep(tx, removal, most)) return true;
  tx.run(
    query
      .insertInto('removals')
      .values(removal)
      .onConflict((conflict) => conflict.doNothing()),
  );
  return false;
}

/**
 * Deletes the rest in steps, each a commit of its own between those of others; answers when nothing is left. 503
 * when the server stops: the next one goes on.
 */
export async function finishRemoval(deps: Deps, removal: RemovalRow): Promise<void> {
  if (await finished(deps, removal)) return;
  throw unavailable('The server is stopping; the deletion goes on when it is back');
}

/** Goes on with what a crash or a stop interrupted, and erases what it left. */
export async function finishRemovals(deps: Deps): Promise<void> {
  // Backwards by name: a user comes after the workspaces they owned.
  const begun = query.selectFrom('removals').selectAll().orderBy('kind', 'desc');
  for (const removal of deps.read.all(begun)) if (!(await finished(deps, removal))) return;
  await eraseResidue(deps);
}

/** False when the server stops before the end. Whoever asks while it is under way waits for the same. */
function finished(deps: Deps, removal: RemovalRow): Promise<boolean> {
  const key = `${removal.kind}:${removal.id}`;
  const begun = deps.removals.get(key) ?? runSteps(deps, removal).finally(() => deps.removals.delete(key));
  deps.removals.set(key, begun);
  return begun;
}

async function runSteps(deps: Deps, removal: RemovalRow): Promise<boolean> {
  const most = AT_ONCE[removal.kind];
  const step = (tx: Tx) => {
    markResidue(tx, 'log');
    return takeStep(tx, removal, most);
  };
  const stepsBetween = Math.ceil(ERASED_AT_ONCE / most);
  for (let steps = 1; !deps.stopping.aborted; steps += 1) {
    if (await deps.write(step)) return true;
    if (steps % stepsBetween === 0) await eraseResidue(deps);
  }
  return false;
}

/** Takes at most so many rows of a part away, part after part; with the last of them the thing itself, and answers true. */
function takeStep(tx: Tx, { kind, id }: RemovalRow, most: number): boolean {
  if (leavesWords(tx, kind, id)) markResidue(tx, 'search');
  const isDone = PARTS[kind].every((part) => tx.run(part(id, most)) < most);
  if (!isDone) return false;
  tx.run(query.deleteFrom(TABLES[kind]).where('id', '=', id));
  tx.run(query.deleteFrom('removals').where('kind', '=', kind).where('id', '=', id));
  return true;
}

/** The search index is cleared as a whole, which is too much to do for a list that is empty. */
const leavesWords = (tx: Tx, kind: RemovalRow['kind'], id: string): boolean =>
  kind === 'user' ||
  kind === 'workspace' ||
  tx.one(statement(`select 1 from tasks where ${TASK_IS_IN[kind]} limit 1`, [id])) !== undefined;

const TABLES = { user: 'users', workspace: 'workspaces', space: 'spaces', list: 'lists' } as const;

type Part = (id: string, most: number) => CompiledQuery<unknown>;

/** Changes rows so that `where`, which has a `?` for the id, does not find them again. */
const updateRows =
  (table: string, set: string, where: string): Part =>
  (id, most) => {
    const some = `select rowid from ${table} where ${where} limit ?`;
    return statement(`update ${table} set ${set} where rowid in (${some})`, [id, most]);
  };

/** Tasks and series have nobody any more where that user was. */
const clearReference = (as: 'assignee' | 'creator'): Part[] => [
  updateRows(
    'tasks',
    `${as}_id = null, ${as}_code = null`,
    `${as}_code = (select code from users where id = ?)`,
  ),
  updateRows('recurring_series', `${as}_id = null`, `${as}_id = ?`),
];

/** Series decide upon an occurrence a day, for years; ten such rows go as quickly as a task. */
const deleteOccurrences = (isIn: string): Part => {
  const where = `series_id in (select id from recurring_series where ${isIn})`;
  const part = deleteRows('recurring_occurrences', where, 'series_id, rule_version, occurrence_local');
  return (id, most) => part(id, 10 * most);
};

/** Sessions go with their user; one may have used up thousands of tokens, which go twenty times as quickly as tasks. */
const deleteRefreshTokens: Part = (id, most) => {
  const where = 'session_id in (select id from sessions where user_id = ?)';
  return deleteRows('refresh_tokens', where, 'hash')(id, 20 * most);
};

/** What a list holds, the tasks first: a series that goes before its tasks would have to let each of them go. */
const contents = (kind: keyof typeof TASK_IS_IN): Part[] => [
  deleteRows('tasks', TASK_IS_IN[kind]),
  deleteOccurrences(SERIES_IS_IN[kind]),
  deleteRows('recurring_series', SERIES_IS_IN[kind]),
];

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
    deleteRows('notifications', 'user_id = ?'),
    deleteRows('notifications', 'actor_id = ?'),
    ...clearReference('assignee'),
    ...clearReference('creator'),
  ],
  workspace: [deleteRows('notifications', 'workspace_id = ?'), ...contents('workspace')],
  space: contents('space'),
  list: contents('list'),
};
