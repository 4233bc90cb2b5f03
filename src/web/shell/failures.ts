import { effect, untracked } from '@preact/signals';
import { userData } from './store.ts';
import { showToast } from './toasts.ts';

/** Says once of each change that the server rejected that it is not saved, and why; two versions of a text are asked about. */
export function startTellingFailures(): void {
  effect(() => {
    const { name, why } = userData.value?.store.waiting.notice.value ?? {};
    if (!why || why.theirs) return;
    untracked(() => showToast(`Not saved: ${name}. ${why.issues[0]?.message ?? why.message}`));
  });
}
