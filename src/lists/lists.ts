import type { Db } from '../db/connection.ts';
import { isBeingRemoved } from '../db/removed.ts';
import type { ListRow, TaskRow } from '../db/tables.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { demand, demandSound, type Issue, notFound } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { positionAfter } from '../kernel/positions.ts';
import { type Member, writeAs, writeInStepsAs } from '../workspaces/door.ts';
import { beginRemoval, finishRemoval } from '../workspaces/removals.ts';
import type { List, ListInput, ListPatch } from './schema.ts';
import { counterpartOf } from './statuses.ts';
import * as store from './store.ts';
import { moveTasksToSpace, restatusTasks } from './tasks-in-lists.ts';
import { findDefaultTemplate, findTemplate } from './templates-store.ts';

/** Makes a list in a space. 400 for a space or template that is not this workspace's. */
export function createList(deps: Deps, who: Member, input: ListInput): Promise<List> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    demandSound(listIssues(tx, who, input));
    return addList(tx, who.workspaceId, input, now);
  });
}

/** Puts a list into a space, after its last one if not elsewhere, in the caller's transaction. */
export function addList(tx: Tx, workspaceId: string, list: ListInput, now: Instant): List {
  const { spaceId, title, statusTemplateId } = list;
  const templateId = statusTemplateId ?? findDefaultTemplate(tx, workspaceId)?.id;
  if (templateId === undefined) throw new Error('A workspace has no default status template');
  const row: ListRow = {
    id: newId(now),
    workspace_id: workspaceId,
    space_id: spaceId,
    title,
    status_template_id: templateId,
    position: list.position ?? positionAfter(store.lastListPosition(tx, workspaceId, spaceId)),
    created_at: now,
    updated_at: now,
  };
  store.insertList(tx, row);
  return store.listOf(tx, row);
}

export const readList = (db: Db, who: Member, id: string): List => store.listOf(db, demandList(db, who, id));

/**
 * Changes a list; in another space it keeps its position. Another template gives its tasks the status of the same
 * title there, else of the same type, else the first. 404 to take it out of a space whose deletion has begun.
 */
export function updateList(deps: Deps, who: Member, id: string, input: ListPatch): Promise<List> {
  const nowMs = deps.clock.now();
  const now = toInstant(nowMs);
  return writeInStepsAs(deps, who, function* (tx) {
    const row = demandList(tx, who, id);
    demandSound(listIssues(tx, who, input));
    const { title, position, spaceId, statusTemplateId } = input;
    const patch = { title, position, space_id: spaceId, status_template_id: statusTemplateId };
    const next = patched(row, patch, now);
    if (next.space_id !== row.space_id && isBeingRemoved(tx, { kind: 'space', id: row.space_id })) {
      throw notFound('list');
    }
    if (next !== row) store.saveList(tx, next);
    if (next.space_id !== row.space_id) yield* moveTasksToSpace(tx, who, id, next.space_id);
    if (next.status_template_id === row.status_template_id) return store.listOf(tx, next);
    for (const task of yield* translateStatuses(tx, who, row, next, now)) {
      deps.instanceLeft(deps, tx, { task, how: 'completed', by: who.userId }, nowMs);
      yield;
    }
    return store.listOf(tx, next);
  });
}

/** Deletes a list with its tasks and series; where they are many, in steps, the list last. */
export async function removeList(deps: Deps, who: Member, id: string): Promise<undefined> {
  const removal = { kind: 'list', id } as const;
  const isDone = await writeAs(deps, who, (tx) => {
    demandList(tx, who, id);
    return beginRemoval(tx, removal);
  });
  if (!isDone) await finishRemoval(deps, removal);
}

/** Answers the upcoming instances of series that were completed by it. */
function* translateStatuses(
  tx: Tx,
  who: Member,
  before: ListRow,
  after: ListRow,
  now: Instant,
): Steps<TaskRow[]> {
  const { workspaceId } = who;
  const among = store.statusesOf(tx, workspaceId, after.status_template_id);
  const changes = store
    .statusesOf(tx, workspaceId, before.status_template_id)
    .map((status) => ({ from: status.id, to: counterpartOf(status, among) }));
  return yield* restatusTasks(tx, who, changes, now, after.id);
}

/** What will not do of the space and status template that a list is to have. */
export function listIssues(
  db: Db,
  { workspaceId }: Member,
  { spaceId, statusTemplateId }: ListPatch,
): Issue[] {
  const issues: Issue[] = [];
  if (spaceId !== undefined && !store.findSpace(db, workspaceId, spaceId)) {
    issues.push({ path: 'spaceId', message: 'No such space in this workspace' });
  }
  if (statusTemplateId !== undefined && !findTemplate(db, workspaceId, statusTemplateId)) {
    issues.push({ path: 'statusTemplateId', message: 'No such status template in this workspace' });
  }
  return issues;
}

const demandList = (db: Db, who: Member, id: string): ListRow =>
  demand(store.findList(db, who.workspaceId, id), 'list');
