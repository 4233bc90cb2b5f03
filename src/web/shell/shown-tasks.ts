import { effect, untracked } from '@preact/signals';
import type { Shown } from '../data/disk.ts';
import { shownIds } from '../tasks/current.ts';
import { isFirstLoad } from './frame-view.ts';
import { path } from './navigation.ts';
import { userData } from './store.ts';

const REST_MS = 1_000;
const MAX_SHOWN = 60;

/** Keeps which tasks a screen shows at its top, at once and again when it rests: the next visit begins with them. */
export function startKeepingShown(): void {
  effect(() => {
    const ids = shownIds.value.slice(0, MAX_SHOWN);
    const screen = path.value;
    const held = userData.value;
    if (ids.length === 0 || !held || isFirstLoad.value) return;
    const isKept = untracked(() => held.store.note<Shown>('shown')?.[screen] !== undefined);
    const timer = setTimeout(() => void held.store.keepShown(screen, ids), isKept ? REST_MS : 0);
    return () => clearTimeout(timer);
  });
}
