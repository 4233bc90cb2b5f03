import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import { Existing } from '../http/route.ts';
import { type Issue, notFound, orNotFound, throwIfIssues } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import { patched } from '../kernel/patch.ts';
import { positionAfter } from '../kernel/positions.ts';
import { userKeyOf } from '../storage/changes.ts';
import * as store from '../storage/lists.ts';
import { countTasksOf } from '../storage/many-tasks.ts';
import { isBeingRemoved } from '../storage/removals.ts';
import { findDefaultTemplate, findTemplate } from '../storage/status-templates.ts';
import type { ListRow } from '../storage/tables.ts';
import type { ShortTask } from '../storage/task-fields.ts';
import { moveTasksToSpace, restatusTasks } from '../storage/tasks-in-lists.ts';
import { type Member, writeAs, writeInStepsAs } from '../workspaces/authorization.ts';
import { claimId, isMaker } from '../workspaces/client-ids.ts';
import { requireQuota } from '../workspaces/quotas.ts';
import type { List, ListInput, ListPatch } from './schema.ts';
import { counterpartOf } from './statuses.ts';

/** Makes a list in a space. 400 for a space or template that is not this workspace's. */
export function createList(deps: Deps, who: Member, input: ListInput): Promise<List | Existing<List>> {
  const now = toInstant(deps.clock.now());
  return writeAs(deps, who, (tx) => {
    const id = claimId(tx, input.id, now, (given) => {
      const same = store.findList(tx, who.workspaceId, given);
      return same && isMaker(tx, who, same) ? store.listOf(tx, same) : undefined;
    });
    if (id instanceof Existing) return id;
    throwIfIssues(listIssues(tx, who, input));
    requireQuota(deps, tx, who, 'lists');
    return addList(tx, who, { ...input, id }, now);
  });
}

/** Puts a list into a space, after its last one if not elsewhere, in the caller's transaction. */
export function addList(
  tx: Tx,
  { workspaceId, userId }: Member,
  list: ListInput & { id: string },
  now: Instant,
): List {
  const { id, spaceId, title, statusTemplateId } = list;
  const templateId = statusTemplateId ?? findDefaultTemplate(tx, workspaceId)?.id;
  if (templateId === undefined) throw new Error('A workspace has no default status template');
  const row: ListRow = {
    id,
    workspace_id: workspaceId,
    space_id: spaceId,
    title,
    status_template_id: templateId,
    position: list.position ?? positionAfter(store.lastListPosition(tx, workspaceId, spaceId)),
    creator_code: userKeyOf(tx, userId),
    version: 1,
    created_at: now,
    updated_at: now,
  };
  store.insertList(tx, row);
  return store.listOf(tx, row);
}

/** Reads a list with its statuses, for viewers; 404 where there is none. */
export const readList = (db: Db, who: Member, id: string): List => store.listOf(db, requireList(db, who, id));

/**
 * Changes a list; in another space it keeps its position. Another template gives its tasks the status of the same
 * title there, else of the same type, else the first. 404 to take it out of a space whose deletion has begun.
 */
export function updateList(
  deps: Deps,
  who: Member,
  id: string,
  input: ListPatch,
  ifMatch: Precondition,
): Promise<List> {
  const nowMs = deps.clock.now();
  const now = toInstant(nowMs);
  const { title, position, spaceId, statusTemplateId } = input;
  const isOfTasks = spaceId !== undefined || statusTemplateId !== undefined;
  const rows = isOfTasks ? countTasksOf(deps.read, who.workspaceKey, { listId: id }) : 0;
  return writeInStepsAs(deps, who, rows, function* (tx) {
    const row = requireList(tx, who, id);
    throwIfIssues(listIssues(tx, who, input));
    ifMatch(row);
    const patch = { title, position, space_id: spaceId, status_template_id: statusTemplateId };
    const changed = patched(row, patch, now);
    if (changed.space_id !== row.space_id && isBeingRemoved(tx, { kind: 'space', id: row.space_id })) {
      throw notFound('list');
    }
    const next = changed === row ? row : store.saveList(tx, changed);
    if (next.space_id !== row.space_id) yield* moveTasksToSpace(tx, who, id, next.space_id);
    if (next.status_template_id === row.status_template_id) return store.listOf(tx, next);
    for (const task of yield* translateStatuses(tx, who, row, next, now)) {
      deps.onInstanceClosed(deps, tx, { task, how: 'completed', by: who.userId }, nowMs);
      yield;
    }
    return store.listOf(tx, next);
  });
}

/** Returns the upcoming instances of series that were completed by it. */
function* translateStatuses(
  tx: Tx,
  who: Member,
  before: ListRow,
  after: ListRow,
  now: Instant,
): Steps<ShortTask[]> {
  const { workspaceId } = who;
  const among = store.statusesOf(tx, workspaceId, after.status_template_id);
  const changes = store
    .statusesOf(tx, workspaceId, before.status_template_id)
    .map((status) => ({ from: status.id, to: counterpartOf(status, among) }));
  return yield* restatusTasks(tx, who, changes, now, after.id);
}

/** Validates the space and the status template of a list. */
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

const requireList = (db: Db, who: Member, id: string): ListRow =>
  orNotFound(store.findList(db, who.workspaceId, id), 'list');
