import { effect } from '@preact/signals';
import { shownIds } from '../tasks/current.ts';
import { isFirstLoad } from './frame-view.ts';
import { path } from './navigation.ts';
import { userData } from './store.ts';

const REST_MS = 1_000;
const MAX_SHOWN = 60;

/** Keeps which tasks a screen shows at its top, once it rests: the next visit begins with them. */
export function startKeepingShown(): void {
  effect(() => {
    const ids = shownIds.value.slice(0, MAX_SHOWN);
    const screen = path.value;
    const held = userData.value;
    if (ids.length === 0 || !held || isFirstLoad.value) return;
    const timer = setTimeout(() => void held.store.keepShown(screen, ids), REST_MS);
    return () => clearTimeout(timer);
  });
}
