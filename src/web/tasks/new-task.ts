import { signal } from '@preact/signals';
import { openQuickAdd } from '../shell/overlays.tsx';
import type { Day } from '../text/days.ts';

/** The status a new task gets: that of the column it was begun in. */
export const statusForNew = signal<string | undefined>(undefined);

/** Opens quick add for a column of the board. */
export function newTaskIn(statusId: string): void {
  statusForNew.value = statusId;
  openQuickAdd();
}

/** The day a new task gets: that of the calendar's cell it was begun in. */
export const dayForNew = signal<Day | undefined>(undefined);

/** Opens quick add for a day of the calendar. */
export function newTaskOn(day: Day): void {
  dayForNew.value = day;
  openQuickAdd();
}
