import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { unavailable } from '../kernel/errors.ts';
import { type Instant, toInstant } from '../kernel/instants.ts';
import type { List } from '../lists/schema.ts';
import { ZONE_DATA } from '../recurring/advance.ts';
import { clearZoneData } from '../recurring/sweep.ts';
import { workspaceIdOf } from '../storage/changes.ts';
import { createErasureBetweenSteps, scheduleErasure } from '../storage/erasure.ts';
import { listOf } from '../storage/lists.ts';
import { isAssignable } from '../storage/tasks.ts';
import * as store from '../storage/trash.ts';
import { TASK_BATCH_SIZE } from '../storage/trash-contents.ts';
import { findWhole, packSome } from '../storage/trash-lists.ts';
import { finishUnpacking, unpackLists, unpackOccurrences, unpackSeries } from '../storage/unpack-lists.ts';
import { restoreSome } from '../tasks/trash-tasks.ts';
import { unlessUnderWay } from '../workspaces/removals.ts';

/** More tasks than these go in steps, each a commit of its own between those of others. */
export const STEP_THRESHOLD = 2_000;

/** Goes on with entries that a crash or a stop interrupted. */
export async function finishEntries(deps: Deps): Promise<void> {
  for (const entry of store.entriesInSteps(deps.read)) if (!(await finished(deps, entry))) return;
}

/** Brings an entry to where it is going; returns when it is there. 503 when the server stops: the next one goes on. */
export async function finishEntry(deps: Deps, entry: store.StoredEntry): Promise<void> {
  if (!(await finished(deps, entry))) throw stopping();
}

/** Deletes what is to go for good from the trash of a workspace. 503 when the server stops: the next one goes on. */
export async function finishPurge(deps: Deps, workspaceKey: number): Promise<void> {
  while (await deps.write((tx) => store.purgeSome(tx, 'workspace_code = ?', workspaceKey)))
    if (deps.stopping.aborted) throw stopping();
}

const stopping = () => unavailable('The server is stopping; what was begun goes on when it is back');

/** False when the server stops before the end. A call while it is under way waits for the same. */
function finished(deps: Deps, entry: store.StoredEntry): Promise<boolean> {
  // The commit that ends one way of an entry may begin the next, while the steps of the first still count as under way.
  const key = `trash:${entry.code}:${entry.state}`;
  return unlessUnderWay(deps, key, () => runSteps(deps, entry));
}

async function runSteps(deps: Deps, { code, state }: store.StoredEntry): Promise<boolean> {
  const eraseBetween = state === 'moving' ? createErasureBetweenSteps(deps, TASK_BATCH_SIZE) : undefined;
  while (!deps.stopping.aborted) {
    const isLeft = await deps.write((tx) => {
      const entry = store.findEntryByKey(tx, code);
      if (entry?.state === 'moving') {
        scheduleErasure(tx, 'search');
        return packSome(tx, entry);
      }
      if (entry?.state === 'restoring') return unpackSome(tx, entry, toInstant(deps.clock.now()));
      return entry?.state === 'purging' && store.purgeSome(tx, 'code = ?', code);
    });
    if (!isLeft) return true;
    await eraseBetween?.();
  }
  return false;
}

/** Restores some of a list or space, the last step shows it; false once nothing is left. */
export function unpackSome(tx: Tx, entry: store.StoredEntry, now: Instant): boolean {
  const workspaceId = workspaceIdOf(tx, entry.workspace_code);
  if (workspaceId === undefined) return false;
  if (unpackLists(tx, entry, workspaceId)) return true;
  if (unpackSeries(tx, entry, workspaceId, (userId) => isAssignable(tx, workspaceId, userId))) return true;
  const lists = new Map<string, List>();
  const listFor = (listId: string): List => {
    const known = lists.get(listId);
    if (known) return known;
    const row = findWhole(tx, workspaceId, listId);
    if (!row) throw new Error('A task in the trash is of a list that is not');
    const list = listOf(tx, row);
    lists.set(listId, list);
    return list;
  };
  if (restoreSome(tx, workspaceId, entry, listFor, now)) return true;
  if (unpackOccurrences(tx, entry)) return true;
  if (finishUnpacking(tx, entry, workspaceId, ZONE_DATA)) clearZoneData(tx);
  return false;
}
