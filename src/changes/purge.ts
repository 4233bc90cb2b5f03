import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { DAY, toInstant } from '../kernel/instants.ts';
import { keysOfOutdated, purgeChanges } from '../storage/changes.ts';
import {
  dateDeletions,
  hasDeletionsBefore,
  hasUndatedDeletions,
  purgeDeletions,
} from '../storage/client-ids.ts';
import { notePosition } from './epoch.ts';

const BATCH_SIZE = 500;

/**
 * Deletes what of the journal is older than `changes.keep_days`, in steps, with the ids of what was deleted before then,
 * and notes where the journal stands.
 */
export async function purgeOldChanges(deps: Deps): Promise<void> {
  const until = toInstant(deps.clock.now() - deps.config.changes.keep_days * DAY);
  for (const key of keysOfOutdated(deps.read, until)) {
    await inSteps(deps, (tx) => purgeChanges(tx, key, until, BATCH_SIZE));
  }
  const now = toInstant(deps.clock.now());
  if (hasUndatedDeletions(deps.read)) await inSteps(deps, (tx) => dateDeletions(tx, now, BATCH_SIZE));
  if (hasDeletionsBefore(deps.read, until))
    await inSteps(deps, (tx) => purgeDeletions(tx, until, BATCH_SIZE));
  notePosition(deps.read, deps.config.database.path);
}

/** Repeats a step until it has nothing more to do: it returns how many rows it changed. */
async function inSteps(deps: Deps, step: (tx: Tx) => number): Promise<void> {
  while (!deps.stopping.aborted && (await deps.write(step)) === BATCH_SIZE);
}
