import type { WaitingAct } from './waiting-acts.ts';

/** What the waiting changes and the server's reach come to, in words. */
export interface SyncStatus {
  /** `Synced`, `Sending 3`, `Offline, 3 waiting`, `Server unreachable`, `Not saved: 1`. */
  text: string;
  waiting: number;
  notSaved: number;
  /** Until when nothing is sent because the server asked so: an instant, null where it is sent now. */
  heldUntil: number | null;
}

/**
 * The state in words. `isReached` is null before the first response. Of `acts` the last `saving` are not on the device yet:
 * nothing is said to wait that would be lost with the page.
 */
export function syncStatus(
  acts: readonly WaitingAct[],
  isOnline: boolean,
  isReached: boolean | null,
  isDurable: boolean,
  saving: number,
  heldUntil: number | null,
): SyncStatus {
  const notSaved = acts.filter(({ why }) => why !== null).length;
  const waiting = acts.length - notSaved;
  const queue = waiting > saving ? `, ${waiting - saving} waiting` : '';
  let text = 'Synced';
  if (!isOnline) text = `Offline${queue}`;
  else if (isReached === false) text = `Server unreachable${queue}`;
  else if (notSaved > 0) text = `Not saved: ${notSaved}`;
  else if (waiting > 0) text = `Sending ${waiting}`;
  if (!isDurable) text += ', kept only while this page is open';
  return { text, waiting, notSaved, heldUntil };
}
