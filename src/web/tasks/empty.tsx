import type { ComponentChildren } from 'preact';
import { canWrite } from '../shell/frame-view.ts';

/** An empty screen teaches one key and one example. */
export function Empty({ children }: { children?: ComponentChildren }) {
  if (!canWrite.value) {
    return (
      <div class="empty">
        <p class="quiet">{children ?? 'There is nothing here yet.'}</p>
      </div>
    );
  }
  return (
    <div class="empty">
      {children && <p>{children}</p>}
      <h2 class="hint">
        Press <kbd>C</kbd> and write what comes to mind
      </h2>
      <p class="example">
        <span class="hidden">Example: </span>Plant garlic <mark>sat 10:00</mark> <mark>@me</mark>{' '}
        <mark>every year</mark>
      </p>
      <p class="quiet">Days, people and repeats are understood as you type.</p>
    </div>
  );
}

/** Where the filters leave nothing. */
export const NothingPasses = ({ onClear }: { onClear(): void }) => (
  <div class="empty">
    <p class="quiet">No task passes the filters.</p>
    <button type="button" class="button" onClick={onClear}>
      Clear filters
    </button>
  </div>
);
