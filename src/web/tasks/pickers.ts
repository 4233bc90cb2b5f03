import { signal } from '@preact/signals';
import type { Point } from '../ui/popover.ts';
import { tasksOf, writable } from './changes.ts';
import { openTaskId, rowElement } from './current.ts';

export type PickerKind = 'status' | 'priority' | 'assignee' | 'labels' | 'list' | 'move' | 'menu';
export type DateKind = 'due' | 'start';

export interface OpenPicker {
  kind: PickerKind;
  ids: readonly string[];
  anchor: HTMLElement | null;
  /** Where the pointer asked for it. */
  at?: Point | undefined;
}

/** The listbox or menu that is open for some tasks. */
export const picker = signal<OpenPicker | undefined>(undefined);

/** The dialog of a date that is open for some tasks. */
export const dateDialog = signal<{ kind: DateKind; ids: readonly string[] } | undefined>(undefined);

/** The task whose title is changed in place: in its row, or in the panel. */
export const renaming = signal<{ id: string; where: 'row' | 'panel' } | undefined>(undefined);

/** Whether some of these tasks may be changed; says so where none may. */
export const mayChange = (ids: readonly string[]): boolean => writable(tasksOf(ids)).length > 0;

/** Opens a choice for tasks, beside what asked for it, else beside their first row. */
export function openPicker(kind: PickerKind, ids: readonly string[], anchor: HTMLElement | null): void {
  if (!mayChange(ids)) return;
  picker.value = { kind, ids, anchor: anchor ?? rowElement(ids[0] ?? '') };
}

/** What can be done with a row, by its button or the right mouse button, or with the targets of keys, by `.`. */
export function openRowMenu(ids: readonly string[], anchor: HTMLElement | null, at?: Point): void {
  picker.value = { kind: 'menu', ids, anchor, at };
}

export function openDateDialog(kind: DateKind, ids: readonly string[]): void {
  if (mayChange(ids)) dateDialog.value = { kind, ids };
}

/** Changes a title in the panel where the person is there or its row is not shown, else in its row. */
export function startRenaming(id: string): void {
  const isInPanel = openTaskId.peek() === id && document.activeElement?.closest('.panel');
  renaming.value = { id, where: isInPanel || !rowElement(id) ? 'panel' : 'row' };
}
