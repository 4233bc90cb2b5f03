import { signal } from '@preact/signals';
import type { Intent } from '../data/change.ts';
import type { Row } from '../data/rows.ts';

/** A change to an instance that its series could take over. */
export interface SeriesChange {
  /** What it does, as a sentence. */
  words: string;
  /** What changes this task alone. */
  intents: readonly Intent[];
  /** The same as fields of the series. */
  updates: Row;
}

/** The series, or the task that is to become one or was changed, whose dialog is open. */
export const seriesDialog = signal<{ taskId?: string; seriesId?: string; change?: SeriesChange } | undefined>(
  undefined,
);

/** Opens the dialog "Repeat" for a task. */
export function openSeries(taskId: string): void {
  seriesDialog.value = { taskId };
}

export function closeSeries(): void {
  seriesDialog.value = undefined;
}

/** Opens the dialog "Repeat" for a series itself. */
export function openSeriesItself(seriesId: string): void {
  seriesDialog.value = { seriesId };
}
