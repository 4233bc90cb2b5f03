import type { Status, Task } from '../data/rows.ts';
import { showToast } from '../shell/toasts.ts';
import { placeTasks, setStatus, tasksOf } from './changes.ts';
import { rowOf, selection, shownIds } from './current.ts';

const TYPE = 'application/x-errand-task';

/** Begins to drag the row or card that was grabbed, with the rest of the selection where it belongs to it. */
export function startDrag(event: DragEvent): void {
  const id = rowOf(event.target as Element);
  if (id === undefined || !event.dataTransfer) return;
  const isSelected = (one: string) => selection.peek().has(one);
  const moved = isSelected(id) ? shownIds.peek().filter(isSelected) : [id];
  event.dataTransfer.setData(TYPE, moved.join());
  event.dataTransfer.effectAllowed = 'move';
}

/** Whether tasks are dragged, and no text or file. */
export const dragsTasks = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.includes(TYPE) ?? false;

/** What a drag came to last; before it has left what it was over. */
let entered: EventTarget | null = null;
addEventListener('dragenter', ({ target }) => (entered = target), true);

/** Whether a drag has left what it was over, and not for something within it; WebKit gives no `relatedTarget`. */
export const hasLeft = ({ currentTarget, target }: DragEvent): boolean =>
  entered === target || !(currentTarget as Node).contains(entered as Node | null);

/** The tasks that are dropped; others may have taken them from this screen meanwhile. */
export function droppedTasks({ dataTransfer }: DragEvent): Task[] {
  const dragged = dataTransfer?.getData(TYPE) ?? '';
  const here = tasksOf(dragged.split(',').filter((id) => shownIds.peek().includes(id)));
  if (dragged !== '' && here.length === 0) showToast('What you dragged is not here any more.');
  return here;
}

/** Puts tasks among those of a status: before one of them, or where their position puts them. */
export function dropAt(
  moved: readonly Task[],
  status: Status,
  tasks: readonly Task[],
  at: number | undefined,
): void {
  if (moved.length === 0) return;
  const isHere = moved.every(({ statusId }) => statusId === status.id);
  if (at === undefined) {
    if (!isHere) setStatus(moved, status);
    return;
  }
  placeAmong(tasks, at, moved, isHere ? undefined : status);
}

/** Puts tasks before one of the others; some of them may be there already. */
export function placeAmong(
  tasks: readonly Task[],
  at: number,
  moved: readonly Task[],
  status?: Status,
): void {
  const ids = new Set(moved.map(({ id }) => id));
  const before = tasks.slice(0, at).filter(({ id }) => ids.has(id)).length;
  const rest = tasks.filter(({ id }) => !ids.has(id));
  if (moved.length > 0) placeTasks(rest, at - before, moved, status);
}
