import type { ComponentChildren } from 'preact';
import { isPhone } from '../shell/device.ts';
import { canWrite } from '../shell/frame-view.ts';
import { Button } from '../ui/button.tsx';
import { Nothing } from '../ui/nothing.tsx';
import { clearFilters } from './filters.ts';

/** An empty screen teaches one key and one example. */
export function Empty({ children }: { children?: ComponentChildren }) {
  if (!canWrite.value) return <Nothing icon="inbox">{children ?? 'There is nothing here yet.'}</Nothing>;
  return (
    <div class="empty">
      {children && <p>{children}</p>}
      {isPhone.value ? (
        <h2>Tap + and write what comes to mind</h2>
      ) : (
        <h2>
          Press <kbd>C</kbd> and write what comes to mind
        </h2>
      )}
      <p class="example">
        <span class="hidden">Example: </span>Plant garlic <mark>sat 10:00</mark> <mark>@me</mark>{' '}
        <mark>every year</mark>
      </p>
      <p class="quiet">Days, people and repeats are understood as you type.</p>
    </div>
  );
}

/** Where the filters leave nothing. */
export const NothingPasses = () => (
  <Nothing
    icon="filter"
    class="nothing-passes"
    action={<Button onClick={clearFilters}>Clear filters</Button>}
  >
    No task passes the filters.
  </Nothing>
);
