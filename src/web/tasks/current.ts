import { batch, computed, signal } from '@preact/signals';
import type { Task } from '../data/rows.ts';
import { path, query } from '../shell/navigation.ts';
import { userData } from '../shell/store.ts';

/** The tasks of the screen in the order they are shown: what keys move through. */
export const shownIds = signal<readonly string[]>([]);

/** The row that has the focus, or had it last. */
export const focusedId = signal<string | undefined>(undefined);
// Another screen is begun at its start, and keys act on nothing there that had the focus elsewhere.
path.subscribe(() => {
  focusedId.value = undefined;
});

/** A row that should take the focus as soon as it is there. */
export const wantedFocus = signal<string | undefined>(undefined);

export const selection = signal<ReadonlySet<string>>(new Set());

/** Where a selection by Shift began. */
let anchor: string | undefined;

/** The task that is open beside the screen or by itself. */
export const openTaskId = signal<string | undefined>(undefined);

export const besideId = computed(() => query.value.get('task') ?? undefined);

/** What a key acts on: the selection, else the focused row, else the open task. */
export function targetIds(): readonly string[] {
  const chosen = shownIds.peek().filter((id) => selection.peek().has(id));
  if (chosen.length > 0) return chosen;
  const row = rowOf(document.activeElement);
  if (row !== undefined) return [row];
  const open = openTaskId.peek();
  if (open !== undefined) return [open];
  const last = focusedId.peek();
  return last !== undefined && shownIds.peek().includes(last) && isNowhere() ? [last] : [];
}

export const targets = (): Task[] =>
  targetIds().flatMap((id) => userData.peek()?.store.view.row('task', id) ?? []);

/** Nothing of its own has the focus: the page, or the heading of the screen. */
const isNowhere = (): boolean => {
  const { activeElement } = document;
  return activeElement === document.body || activeElement?.tagName === 'H1';
};

/** Whether the focus is among the rows of the screen, or nowhere of its own. */
export const isAmongRows = (): boolean =>
  shownIds.peek().length > 0 && (isNowhere() || rowOf(document.activeElement) !== undefined);

/** The task of the row that an element is in. */
export const rowOf = (element: Element | null): string | undefined =>
  element?.closest<HTMLElement>('[data-task]')?.dataset.task;

/** The element of a task's row, where it is shown. */
export const rowElement = (id: string): HTMLElement | null =>
  document.querySelector<HTMLElement>(`[data-task="${CSS.escape(id)}"]`);

/** Gives the focus to a row, which may have to be scrolled to first, or to come at all. */
export function focusRow(id: string | undefined): void {
  if (id === undefined) return;
  focusedId.value = id;
  wantedFocus.value = id;
}

/** Gives the focus to the link of a row that is there. */
export function takeFocus(link: HTMLElement): void {
  // What is out of sight comes to the middle: the next keys scroll nothing.
  link.focus();
  link.scrollIntoView({ block: 'nearest' });
}

/** How many rows the screen shows at once, less the one that stays in sight when it is paged. */
export function rowsInSight(): number {
  const row = document.querySelector<HTMLElement>('main [data-task]');
  const seen = row?.closest<HTMLElement>('.scroll')?.clientHeight ?? innerHeight;
  return Math.max(1, Math.floor(seen / (row?.offsetHeight || seen)) - 1);
}

/** Moves the focus by some rows; from nowhere to the first or last one. */
export function moveFocus(by: number, { selecting = false } = {}): void {
  const ids = shownIds.peek();
  const from = rowOf(document.activeElement) ?? focusedId.peek() ?? '';
  const at = ids.indexOf(from);
  const isFresh =
    at === -1 || (rowOf(document.activeElement) === undefined && isNowhere() && !focusedId.peek());
  const isStep = Math.abs(by) === 1;
  const start = isFresh && isStep ? (by > 0 ? -1 : ids.length) : Math.max(at, 0);
  const to = Math.min(Math.max(start + by, 0), ids.length - 1);
  const next = ids[to];
  if (next === undefined) return;
  if (selecting) extendSelection(from === '' ? next : from, next);
  const link = rowElement(next)?.querySelector<HTMLElement>('.title');
  // Of rows that are there none has to be drawn for it.
  if (link) takeFocus(link);
  else focusRow(next);
}

/** The neighbour of a task in the order shown. */
export function neighbourOf(id: string, by: number): string | undefined {
  const ids = shownIds.value;
  const at = ids.indexOf(id);
  return at === -1 ? undefined : ids[at + by];
}

export function toggleSelected(id: string): void {
  const next = new Set(selection.peek());
  if (!next.delete(id)) next.add(id);
  anchor = id;
  selection.value = next;
}

/** Selects from where the selection began up to a row. */
export function extendSelection(from: string, to: string): void {
  const ids = shownIds.peek();
  anchor = selection.peek().size > 0 && anchor !== undefined && ids.includes(anchor) ? anchor : from;
  const [a, b] = [ids.indexOf(anchor), ids.indexOf(to)].sort((one, other) => one - other);
  if (a === undefined || b === undefined || a === -1) return;
  selection.value = new Set(ids.slice(a, b + 1));
}

/** Selects every row of the screen. */
export function selectAll(): void {
  anchor = shownIds.peek()[0];
  selection.value = new Set(shownIds.peek());
}

export function clearSelection(): void {
  selection.value = new Set();
}

/** Takes over the rows of a screen; what was selected and is gone is selected no more. */
export function showIds(ids: readonly string[]): void {
  batch(() => {
    shownIds.value = ids;
    if (selection.peek().size === 0) return;
    const there = new Set(ids);
    const kept = [...selection.peek()].filter((id) => there.has(id));
    if (kept.length < selection.peek().size) selection.value = new Set(kept);
  });
}
