import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { forbidden, notFound } from '../kernel/errors.ts';
import { DAY, toInstant, toMs } from '../kernel/instants.ts';
import { userKeyOf } from '../storage/changes.ts';
import { metaOf, setMeta } from '../storage/meta.ts';
import * as store from '../storage/trash.ts';
import { isAtLeast, type Member, writeAs } from '../workspaces/authorization.ts';
import { finishEntry, purgeSome } from './steps.ts';

const ENTRY_BATCH_SIZE = 100;
/** The last instant that a purge saw, and until when none deletes anything since the clock jumped ahead. */
const SEEN = 'trash_seen';
const HELD_UNTIL = 'trash_held_until';

/** Deletes a thing in the trash for good: who deleted it, or an admin; else 403. */
export async function deleteFromTrash(deps: Deps, who: Member, id: string): Promise<undefined> {
  for (;;) {
    const left = await writeAs(deps, who, (tx) => {
      const entry = store.findEntry(tx, who.workspaceKey, id);
      if (!entry) throw notFound('thing in the trash');
      if (entry.deleted_by !== userKeyOf(tx, who.userId) && !isAtLeast(who.role, 'admin')) {
        throw forbidden('Only who deleted it or an admin may delete it for good');
      }
      return entry.state === 'kept' ? beginPurge(tx, entry) : { entry, again: true };
    });
    if (left) await finishEntry(deps, left.entry);
    if (!left?.again) return undefined;
  }
}

/** Deletes everything in the trash of a workspace for good. */
export async function emptyTrash(deps: Deps, who: Member): Promise<undefined> {
  for (;;) {
    const { purging, moving } = await writeAs(deps, who, (tx) => {
      const { kept = [], moving = [] } = Object.groupBy(store.entriesOf(tx, who.workspaceKey), ({ state }) =>
        state === 'kept' ? 'kept' : 'moving',
      );
      store.saveAllStates(tx, who.workspaceKey, 'purging');
      return { purging: kept, moving };
    });
    for (const entry of [...purging, ...moving]) await finishEntry(deps, entry);
    if (moving.length === 0) return undefined;
  }
}

/** Deletes what has been in the trash for long enough; not within a day after the clock jumped ahead by more than one. */
export async function purgeTrash(deps: Deps): Promise<void> {
  const nowMs = deps.clock.now();
  const now = toInstant(nowMs);
  const seen = metaOf(deps.read, SEEN) ?? store.lastDeletion(deps.read);
  const hasJumped = seen !== undefined && nowMs - toMs(seen) > DAY;
  const aDayOn = toInstant(nowMs + DAY);
  const heldUntil = hasJumped ? aDayOn : (metaOf(deps.read, HELD_UNTIL) ?? now);
  await deps.write((tx) => {
    setMeta(tx, SEEN, now);
    // One from a clock that was ahead since would hold on for too long.
    if (heldUntil > now) setMeta(tx, HELD_UNTIL, heldUntil < aDayOn ? heldUntil : aDayOn);
  });
  if (heldUntil > now) return;
  while (!deps.stopping.aborted) {
    const expired = store.expiredEntries(deps.read, now, ENTRY_BATCH_SIZE);
    for (const entry of expired) {
      if (deps.stopping.aborted) return;
      const left = await deps.write((tx) => {
        const found = store.findEntryByKey(tx, entry.code);
        return found?.state === 'kept' ? beginPurge(tx, found) : undefined;
      });
      if (left) await finishEntry(deps, left.entry);
    }
    if (expired.length < ENTRY_BATCH_SIZE) return;
  }
}

/** Deletes an entry for good, or some of it; returns it where more is left. */
function beginPurge(
  tx: Tx,
  entry: store.StoredEntry,
): { entry: store.StoredEntry; again?: boolean } | undefined {
  if (!purgeSome(tx, entry)) return undefined;
  store.saveEntryState(tx, entry, { state: 'purging' });
  return { entry };
}
