import { effect } from '@preact/signals';

const MAX_BUSY_MS = 5_000;

/** Calls back once, when it is due and the page has nothing better to do. */
export function onceIdle(isDue: () => boolean, act: () => void): void {
  const stop = effect(() => {
    if (!isDue()) return;
    queueMicrotask(() => stop());
    if ('requestIdleCallback' in globalThis) requestIdleCallback(act, { timeout: MAX_BUSY_MS });
    else setTimeout(act);
  });
}
