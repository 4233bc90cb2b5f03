import type { Tx } from '../db/tx.ts';
import type { Deps } from '../deps.ts';
import { forbidden, notFound } from '../kernel/errors.ts';
import { DAY, toInstant, toMs } from '../kernel/instants.ts';
import { userKeyOf } from '../storage/changes.ts';
import { metaOf, setMeta } from '../storage/meta.ts';
import * as store from '../storage/trash.ts';
import { isAtLeast, type Member, writeAs, writeInStepsAs } from '../workspaces/authorization.ts';
import { finishEntry, finishPurge } from './steps.ts';

/** The last instant that a purge saw, and until when none deletes anything since the clock jumped ahead. */
const SEEN = 'trash_seen';
const HELD_UNTIL = 'trash_held_until';

/** Deletes a thing in the trash for good: who deleted it, or an admin; else 403. */
export async function deleteFromTrash(deps: Deps, who: Member, id: string): Promise<undefined> {
  for (;;) {
    const entry = await writeAs(deps, who, (tx) => {
      const entry = store.findEntry(tx, who.workspaceKey, id);
      if (!entry) throw notFound('thing in the trash');
      if (entry.deleted_by !== userKeyOf(tx, who.userId) && !isAtLeast(who.role, 'admin')) {
        throw forbidden('Only who deleted it or an admin may delete it for good');
      }
      if (entry.state === 'kept') store.saveEntryState(tx, entry, { state: 'purging' });
      return entry;
    });
    await finishEntry(deps, entry);
    if (entry.state === 'kept') return undefined;
  }
}

/** Deletes everything in the trash of a workspace for good. */
export async function emptyTrash(deps: Deps, who: Member): Promise<undefined> {
  for (;;) {
    const moving = await writeInStepsAs(deps, who, 0, function* (tx) {
      while (store.expireSome(tx, 'workspace_code = ?', who.workspaceKey)) yield;
      return store.entriesOnTheirWay(tx, who.workspaceKey);
    });
    await finishPurge(deps, who.workspaceKey);
    for (const entry of moving) await finishEntry(deps, entry);
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
    setMeta(tx, HELD_UNTIL, heldUntil < aDayOn ? heldUntil : aDayOn);
  });
  if (heldUntil > now) return;
  const purgeSome = (tx: Tx) => {
    store.expireSome(tx, 'purge_at <= ?', now);
    return store.purgeSome(tx, 'purge_at <= ?', now);
  };
  while (!deps.stopping.aborted && (await deps.write(purgeSome)));
}
