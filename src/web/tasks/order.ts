import { useLayoutEffect } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { orderKeys, useCommands } from '../shell/commands.ts';
import { showToast } from '../shell/toasts.ts';
import { type MenuItem, moveItems } from '../ui/menu.tsx';
import { placeTasks } from './changes.ts';
import { focusRow, rowOf, targets } from './current.ts';

/** The tasks among which one stands in the order that people give them, itself among them; none where it has no such place. */
type Neighbours = (task: Task) => readonly Task[];

/** Why nothing is moved while the address sorts a list. */
export const SORTED = 'This list is sorted: its own order cannot be changed.';

/** Of the screen that is shown, where people order it. */
let neighbours: Neighbours | undefined;

/** Moves tasks, as one block, by one place, where there is one; those that stand elsewhere than the first stay. */
function move(among: Neighbours, tasks: readonly Task[], by: number): void {
  const [first] = tasks;
  const rows = first ? among(first) : [];
  const isMoved = ({ id }: Task) => tasks.some((task) => task.id === id);
  const moved = rows.filter(isMoved);
  const rest = rows.filter((row) => !isMoved(row));
  const to = (by < 0 ? rows.findIndex(isMoved) : rows.findLastIndex(isMoved) + 1 - moved.length) + by;
  if (moved.length === 0 || to < 0 || to > rest.length) return;
  const focused = rowOf(document.activeElement);
  placeTasks(rest, to, moved);
  if (!document.activeElement?.closest('.panel'))
    focusRow((moved.find(({ id }) => id === focused) ?? moved[0])?.id);
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
    return orderKeys((by) => () => {
      if (why !== undefined) showToast(why);
      else move(among, targets(), by);
    });
  }, [...inputs, why]);
}

/** The same for the menu of a row: without keys, and without dragging. */
export function orderItems(task: Task): MenuItem[] {
  const among = neighbours;
  const rows = among?.(task) ?? [];
  const at = rows.findIndex(({ id }) => id === task.id);
  if (!among || at === -1) return [];
  return moveItems(at, rows.length, (to) => move(among, [task], to - at));
}
