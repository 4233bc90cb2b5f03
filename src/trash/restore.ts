import type { Db } from '../db/connection.ts';
import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { type Issue, notFound, throwIfIssues } from '../kernel/errors.ts';
import { toInstant } from '../kernel/instants.ts';
import { findList, findSpace, listOf, spaceOf } from '../storage/lists.ts';
import { isBeingRemoved } from '../storage/removals.ts';
import { findEntry, type StoredEntry, saveEntryState } from '../storage/trash.ts';
import { UNKNOWN_LIST } from '../tasks/references.ts';
import { LIST_IS_GONE, restoreTask } from '../tasks/trash-tasks.ts';
import { type Member, writeInStepsAs } from '../workspaces/authorization.ts';
import { requireWithinQuotas } from '../workspaces/quotas.ts';
import type { Restored, RestoreInput } from './schema.ts';
import { finishEntry, STEP_THRESHOLD, unpackSome } from './steps.ts';

const UNKNOWN_SPACE: Issue = { path: 'spaceId', message: 'No such space in this workspace' };
const SPACE_IS_GONE: Issue = { path: 'spaceId', message: 'Its space is gone: name another one' };

/** What was restored, or what is to be waited for; then perhaps it is to be tried again. */
interface Outcome {
  restored?: Restored;
  left?: StoredEntry;
  again?: boolean;
}

/**
 * Restores a thing from the trash with all it contained, once it is there as a whole. 404 for what is not in the trash,
 * 400 where its place is gone and none is named, 403 while a quota is exceeded.
 */
export async function restore(deps: Deps, who: Member, id: string, input: RestoreInput): Promise<Restored> {
  const now = deps.clock.now();
  const act = function* (tx: Tx): Steps<Outcome> {
    const entry = requireEntry(tx, who, id);
    if (entry.state !== 'kept') return { left: entry, again: true };
    throwIfIssues(restoreIssues(tx, who, id, input));
    if (entry.kind === 'task') return { restored: yield* restoreTask(deps, tx, who, id, input, now) };
    requireWithinQuotas(deps, tx, who, ['lists', 'spaces', 'series']);
    const isMuch = entry.item_count > STEP_THRESHOLD;
    const place_id = input.spaceId ?? entry.place_id;
    const target = { ...entry, state: isMuch ? 'restoring' : 'kept', place_id } as const;
    saveEntryState(tx, entry, { state: target.state, place_id });
    while (unpackSome(tx, target, toInstant(now))) {
      if (isMuch) return { left: target };
      yield;
    }
    return { restored: shown(tx, who, target) };
  };
  for (;;) {
    const { restored, left, again } = await writeInStepsAs(deps, who, 0, act);
    if (restored) return restored;
    if (left) await finishEntry(deps, left);
    if (left && !again) return shown(deps.read, who, left);
  }
}

function requireEntry(db: Db, who: Member, id: string): StoredEntry {
  const entry = findEntry(db, who.workspaceKey, id);
  if (!entry) throw notFound('thing in the trash');
  return entry;
}

/** A list or space as it is shown. */
function shown(db: Db, { workspaceId }: Member, { kind, id }: StoredEntry): Restored {
  const list = kind === 'list' ? findList(db, workspaceId, id) : undefined;
  if (list) return listOf(db, list);
  const space = kind === 'space' ? findSpace(db, workspaceId, id) : undefined;
  if (!space) throw notFound(kind);
  return spaceOf(space);
}

/** Validates the place where something is to be restored. */
export function restoreIssues(
  db: Db,
  who: Member,
  id: string,
  { listId, spaceId }: Partial<RestoreInput>,
): Issue[] {
  const issues: Issue[] = [];
  const { workspaceId } = who;
  // What goes into one that is being deleted would go with it, perhaps before all of it is there.
  const hasSpace = (spaceId: string) =>
    findSpace(db, workspaceId, spaceId) && !isBeingRemoved(db, { kind: 'space', id: spaceId });
  if (spaceId !== undefined && !hasSpace(spaceId)) issues.push(UNKNOWN_SPACE);
  if (listId !== undefined && !findList(db, workspaceId, listId)) issues.push(UNKNOWN_LIST);
  const entry = findEntry(db, who.workspaceKey, id);
  const place = entry?.place_id ?? '';
  if (entry?.kind === 'task' && listId === undefined && !findList(db, workspaceId, place))
    issues.push(LIST_IS_GONE);
  if (entry?.kind === 'list' && spaceId === undefined && !hasSpace(place)) issues.push(SPACE_IS_GONE);
  return issues;
}
