import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { unavailable } from '../kernel/errors.ts';
import { ownState } from '../kernel/own-state.ts';
import { keepNumbers } from '../storage/changes.ts';
import { createErasureBetweenSteps, eraseDeletedContent, scheduleErasure } from '../storage/erasure.ts';
import { takeRemovalStep } from '../storage/removal-steps.ts';
import { begunRemovals, insertRemoval } from '../storage/removals.ts';
import type { RemovalRow } from '../storage/tables.ts';

/** So little goes in the commit that asks for it. */
export const FEW = 20;
/** Rows of each kind in a step, which holds everyone up for some milliseconds. */
const BATCH_SIZE = { user: 20, workspace: 64, space: 64, list: 64 };

/**
 * Begins to delete something in the caller's transaction; true when that is all, as it holds at most `most` rows of
 * each kind. Otherwise `finishRemoval` goes on. A user or workspace is not to be seen from now on; a space or list
 * stays until the end, so that its tasks always have one.
 */
export function beginRemoval(tx: Tx, removal: RemovalRow, most = FEW): boolean {
  if (removal.kind === 'workspace') keepNumbers(tx);
  if (takeRemovalStep(tx, removal, most)) return true;
  insertRemoval(tx, removal);
  return false;
}

/**
 * Deletes the rest in steps, each a commit of its own between those of others; returns when nothing is left. 503
 * when the server stops: the next one goes on.
 */
export async function finishRemoval(deps: Deps, removal: RemovalRow): Promise<void> {
  if (await finished(deps, removal)) return;
  throw unavailable('The server is stopping; the deletion goes on when it is back');
}

/** Goes on with what a crash or a stop interrupted, and erases what it left. */
export async function finishRemovals(deps: Deps): Promise<void> {
  for (const removal of begunRemovals(deps.read)) if (!(await finished(deps, removal))) return;
  await eraseDeletedContent(deps);
}

/** Deletions under way here, by what is deleted; true once nothing is left. */
const underWay = ownState(() => new Map<string, Promise<boolean>>());

/** Begins a deletion in steps, or joins the one of that name that is under way. */
export function unlessUnderWay(deps: Deps, key: string, begin: () => Promise<boolean>): Promise<boolean> {
  const running = underWay(deps);
  const begun = running.get(key) ?? begin().finally(() => running.delete(key));
  running.set(key, begun);
  return begun;
}

/** False when the server stops before the end. A call while it is under way waits for the same. */
function finished(deps: Deps, removal: RemovalRow): Promise<boolean> {
  const key = `${removal.kind}:${removal.id}`;
  return unlessUnderWay(deps, key, () => runSteps(deps, removal));
}

async function runSteps(deps: Deps, removal: RemovalRow): Promise<boolean> {
  const most = BATCH_SIZE[removal.kind];
  const step = (tx: Tx) => {
    scheduleErasure(tx, 'log');
    return takeRemovalStep(tx, removal, most);
  };
  const eraseBetween = createErasureBetweenSteps(deps, most);
  while (!deps.stopping.aborted) {
    if (await deps.write(step)) return true;
    await eraseBetween();
  }
  return false;
}
