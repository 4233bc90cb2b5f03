import { effect, untracked } from '@preact/signals';
import { isDroppable } from '../data/change.ts';
import { userData } from './store.ts';
import { showToast } from './toasts.ts';

/** Says once of each change that the server rejected that it is not saved, and why; two versions of a text are asked about. */
export function startTellingFailures(): void {
  effect(() => {
    const { name, why, changes } = userData.value?.store.waiting.notice.value ?? {};
    if (!why || why.theirs) return;
    const outcome = changes?.every(isDroppable)
      ? `Cannot be taken back: ${changes[0]?.actName}`
      : `Not saved: ${name}`;
    untracked(() => showToast(`${outcome}. ${why.issues[0]?.message ?? why.message}`));
  });
}
