import { signal } from '@preact/signals';
import { openQuickAdd } from '../shell/overlays.tsx';

/** The status a new task gets: that of the column it was begun in. */
export const statusForNew = signal<string | undefined>(undefined);

/** Opens quick add for a column of the board. */
export function newTaskIn(statusId: string): void {
  statusForNew.value = statusId;
  openQuickAdd();
}
