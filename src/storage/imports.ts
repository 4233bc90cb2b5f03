import { sql } from 'kysely';
import { type Db, query, statement } from '../db/connection.ts';
import type { Tx } from '../db/tx.ts';
import type { Instant } from '../kernel/instants.ts';
import { insertRemoval } from './removals.ts';
import type { ImportRow, WorkspaceRow } from './tables.ts';
import { insertMember, insertWorkspace } from './workspaces.ts';

/** Writes without recording: nobody follows a workspace that is still being made. */
export const unrecorded = (tx: Tx): Tx => ({ ...tx, record: () => {} });

/** The condition that a workspace is not still being imported; `id` is the column that holds its id. */
export const isNotBeingImported = (id: string) =>
  sql<boolean>`not exists (select 1 from imports where imports.workspace_id = ${sql.ref(id)})`;

/** Makes a workspace without members, for an import to fill; returns its key. */
export function beginWorkspace(
  tx: Tx,
  row: Omit<WorkspaceRow, 'member_count'>,
  source: ImportRow['source'],
  now: Instant,
): number {
  const key = insertWorkspace(tx, row);
  tx.run(query.insertInto('imports').values({ workspace_id: row.id, source, alive_at: now }));
  return key;
}

const isAmong = (ids: readonly string[]) =>
  sql<boolean>`workspace_id in (select value from json_each(${JSON.stringify(ids)}))`;

/** Whether all of them are still being imported, and nobody has begun to delete them or their owner. */
export const areBeingImported = (db: Db, workspaceIds: readonly string[]): boolean =>
  db.one(
    statement<{ n: number }>(
      `select count(*) as n from imports join workspaces on workspaces.id = workspace_id
        where workspace_id in (select value from json_each(?))
          and not exists (select 1 from removals where kind = 'workspace' and removals.id = workspace_id)
          and not exists (select 1 from removals where kind = 'user' and removals.id = owner_id)`,
      [JSON.stringify(workspaceIds)],
    ),
  )?.n === workspaceIds.length;

/** The workspaces still being imported, and when the import of each last showed that it lives; the longest silent first. */
export const listImports = (db: Db): ImportRow[] =>
  db.all(query.selectFrom('imports').selectAll().orderBy('alive_at'));

/** Notes that their import is alive. */
export const noteImportAlive = (tx: Tx, workspaceIds: readonly string[], now: Instant) =>
  tx.run(query.updateTable('imports').set({ alive_at: now }).where(isAmong(workspaceIds)));

/** Opens imported workspaces to their owner. */
export function finishWorkspaces(
  tx: Tx,
  workspaceIds: readonly string[],
  ownerId: string,
  now: Instant,
): void {
  tx.run(query.deleteFrom('imports').where(isAmong(workspaceIds)));
  for (const id of workspaceIds) {
    insertMember(tx, { workspace_id: id, user_id: ownerId, role: 'owner', is_default: 0, joined_at: now });
    // All that is in it, in one row: it always has one, for a position to stand at.
    tx.record({ workspaceId: id, kind: 'workspace', id, op: 'refetch' });
  }
}

/** Has the workspaces of imports deleted: those given, or all that nobody fills any more. Returns whether there are any. */
export function deleteImports(
  tx: Tx,
  which: { workspaceIds: readonly string[] } | { source: ImportRow['source'] } | { aliveBefore: Instant },
): boolean {
  const condition =
    'workspaceIds' in which
      ? isAmong(which.workspaceIds)
      : 'source' in which
        ? sql<boolean>`source = ${which.source}`
        : sql<boolean>`alive_at < ${which.aliveBefore}`;
  const ids = tx.all(query.selectFrom('imports').select('workspace_id').where(condition));
  for (const { workspace_id: id } of ids) {
    insertRemoval(tx, { kind: 'workspace', id });
    tx.run(query.deleteFrom('imports').where('workspace_id', '=', id));
  }
  return ids.length > 0;
}

/** Notes the highest number that tasks of a new workspace had, where those that had it are gone. */
export const noteLastNumber = (tx: Tx, workspaceKey: number, last: number) =>
  tx.run(query.insertInto('task_numbers').values({ workspace_code: workspaceKey, last }));

/** Takes the next place in the default order of tasks, for one that goes into the trash at once. */
export const reserveSeq = (tx: Tx): number =>
  tx.one(
    statement<{ seq: number }>(
      `update last_task set seq = max(ifnull((select max(seq) from tasks), 0), seq) + 1 returning seq`,
      [],
    ),
  )?.seq ?? 0;

/** Takes the next key of comments, for one that goes into the trash at once. */
export function reserveCommentKey(tx: Tx): number {
  const next = `update sqlite_sequence set seq = seq + 1 where name = 'comments' returning seq`;
  const found = tx.one(statement<{ seq: number }>(next, []));
  if (found) return found.seq;
  tx.run(statement(`insert into sqlite_sequence (name, seq) values ('comments', 1)`, []));
  return 1;
}
