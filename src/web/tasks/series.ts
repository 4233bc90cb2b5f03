import { signal } from '@preact/signals';

/** The series, or the task that is to become one, whose dialog is open. */
export const seriesDialog = signal<{ taskId?: string; seriesId?: string } | undefined>(undefined);

/** Opens the dialog "Repeat" for a task. */
export function openSeries(taskId: string): void {
  seriesDialog.value = { taskId };
}

/** Opens the dialog "Repeat" for a series itself. */
export function openSeriesItself(seriesId: string): void {
  seriesDialog.value = { seriesId };
}
