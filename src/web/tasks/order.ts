import { useLayoutEffect } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { orderKeys, useCommands } from '../shell/commands.ts';
import { showToast } from '../shell/toasts.ts';
import { type MenuItem, moveItems } from '../ui/menu.tsx';
import { placeTasks } from './changes.ts';
import { focusRow, targets } from './current.ts';

/** The tasks among which one stands in the order that people give them, itself among them; none where it has no such place. */
type Neighbours = (task: Task) => readonly Task[];

/** Of the screen that is shown, where people order it. */
let neighbours: Neighbours | undefined;

/** Moves a task by one place, where there is one. */
function move(among: Neighbours, task: Task, by: number): void {
  const rows = among(task);
  const to = rows.findIndex(({ id }) => id === task.id) + by;
  const rest = rows.filter(({ id }) => id !== task.id);
  if (rest.length === rows.length || to < 0 || to > rest.length) return;
  placeTasks(rest, to, [task]);
  if (!document.activeElement?.closest('.panel')) focusRow(task.id);
}

/** Alt ↑ and Alt ↓ move tasks where the screen shows their own order; where it does not, `why` is said. */
export function useOrder(among: Neighbours, inputs: readonly unknown[], why?: string): void {
  useLayoutEffect(() => {
    if (why !== undefined) return;
    neighbours = among;
    return () => {
      neighbours = undefined;
    };
  }, [...inputs, why]);
  useCommands(() => {
    const moveFirst = (by: number) => () => {
      if (why !== undefined) return showToast(why);
      const [first] = targets();
      if (first) move(among, first, by);
    };
    return orderKeys(moveFirst);
  }, [...inputs, why]);
}

/** The same for the menu of a row: without keys, and without dragging. */
export function orderItems(task: Task): MenuItem[] {
  const among = neighbours;
  const rows = among?.(task) ?? [];
  const at = rows.findIndex(({ id }) => id === task.id);
  if (!among || at === -1) return [];
  return moveItems(at, rows.length, (to) => move(among, task, to - at));
}
