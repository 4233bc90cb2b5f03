import type { Steps, Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import type { Precondition } from '../http/etags.ts';
import type { DeletionQuery } from '../http/fields.ts';
import { notFound, orNotFound } from '../kernel/errors.ts';
import { findList, findSpace } from '../storage/lists.ts';
import { isBeingRemoved, isListBeingRemoved, removalWithin } from '../storage/removals.ts';
import type { ListRow, RemovalRow } from '../storage/tables.ts';
import type { StoredEntry } from '../storage/trash.ts';
import { countTasksIn, entryWithin, packSome, recordGone, setInTransit } from '../storage/trash-lists.ts';
import { addEntry, hasTrash } from '../tasks/trash-tasks.ts';
import { type Member, writeInStepsAs } from '../workspaces/authorization.ts';
import { beginRemoval, finishRemoval } from '../workspaces/removals.ts';
import { finishEntry, STEP_THRESHOLD } from './steps.ts';

type Found = Pick<ListRow, 'title' | 'version'> & { space_id?: string };

/** What is to be waited for, and whether the deletion is to be tried again then. */
interface Outcome {
  left?: StoredEntry;
  removal?: RemovalRow;
  again?: boolean;
}

/**
 * Deletes a list or space with all it contains: into the trash, or for good. 404 for the trash once a deletion for good
 * of it, or of its space, has begun.
 */
export async function deleteWhole(
  deps: Deps,
  who: Member,
  kind: 'list' | 'space',
  id: string,
  { permanent = false }: DeletionQuery,
  ifMatch: Precondition,
): Promise<undefined> {
  const now = deps.clock.now();
  const isForGood = permanent || !hasTrash(deps);
  const remove = function* (tx: Tx): Steps<Outcome> {
    const row = kind === 'list' ? findList(tx, who.workspaceId, id) : findSpace(tx, who.workspaceId, id);
    const found = orNotFound<Found>(row, kind);
    const { title, space_id: place_id = null } = found;
    ifMatch(found);
    const within = kind === 'space' ? entryWithin(tx, id) : undefined;
    if (within) return { left: within, again: true };
    if (isForGood) return beginRemoval(tx, { kind, id }) ? {} : { removal: { kind, id } };
    const isGoing = kind === 'list' ? isListBeingRemoved(tx, id) : isBeingRemoved(tx, { kind, id });
    if (isGoing) throw notFound(kind);
    const removal = kind === 'space' ? removalWithin(tx, id) : undefined;
    if (removal) return { removal, again: true };
    const item_count = countTasksIn(tx, kind, id);
    const isMuch = item_count > STEP_THRESHOLD;
    const state = isMuch ? 'moving' : 'kept';
    const entry = addEntry(deps, tx, who, { id, kind, title, place_id, item_count, state }, now);
    recordGone(tx, entry, who.workspaceId);
    if (isMuch) {
      setInTransit(tx, entry, 1);
      return { left: entry };
    }
    while (packSome(tx, entry)) yield;
    return {};
  };
  for (;;) {
    const { left, removal, again } = await writeInStepsAs(deps, who, 0, remove);
    if (left) await finishEntry(deps, left);
    if (removal) await finishRemoval(deps, removal);
    if (!again) return undefined;
  }
}
