import type { Aside, Change } from './change.ts';

/** What the waiting changes and the server's reach come to, in words. */
export interface SyncStatus {
  /** `Synced`, `Sending 3`, `Offline, 3 waiting`, `Server unreachable`, `Not saved: 1`. */
  text: string;
  waiting: number;
  notSaved: number;
}

/** One act of the person that waits, or was set aside. */
export interface WaitingAct {
  act: string;
  name: string;
  at: number;
  changes: readonly Change[];
  /** Why it was set aside; null while it waits. */
  why: Aside | null;
}

/** What waits and what was set aside, an entry for each act; what depends on a failed change belongs to its act. */
export function waitingActs(outbox: readonly Change[]): WaitingAct[] {
  const acts = new Map<
    string,
    { act: string; name: string; at: number; changes: Change[]; why: Aside | null }
  >();
  for (const change of outbox) {
    const root = change.aside ? outbox.find(({ id }) => id === change.aside?.root) : undefined;
    const { act, actName, at } = root ?? change;
    const key = change.aside ? `${act} ${change.aside.root}` : act;
    const entry = acts.get(key);
    if (entry) entry.changes.push(change);
    else acts.set(key, { act: key, name: actName, at, changes: [change], why: change.aside });
  }
  return [...acts.values()];
}

/** The state in words. `isReached` is null before the first response. */
export function syncStatus(
  outbox: readonly Change[],
  isOnline: boolean,
  isReached: boolean | null,
  isDurable: boolean,
): SyncStatus {
  const acts = waitingActs(outbox);
  const notSaved = acts.filter(({ why }) => why !== null).length;
  const waiting = acts.length - notSaved;
  const queue = waiting > 0 ? `, ${waiting} waiting` : '';
  let text = 'Synced';
  if (!isOnline) text = `Offline${queue}`;
  else if (isReached === false) text = `Server unreachable${queue}`;
  else if (notSaved > 0) text = `Not saved: ${notSaved}`;
  else if (waiting > 0) text = `Sending ${waiting}`;
  if (!isDurable) text += ', kept only while this page is open';
  return { text, waiting, notSaved };
}
