import { useEffect } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { type Command, useCommands } from '../shell/commands.ts';
import { showToast } from '../shell/toasts.ts';
import type { MenuItem } from '../ui/menu.tsx';
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
  useEffect(() => {
    if (why !== undefined) return;
    neighbours = among;
    return () => {
      neighbours = undefined;
    };
  }, [...inputs, why]);
  useCommands(() => {
    const command = (id: string, title: string, binding: string, by: number): Command => ({
      id,
      title,
      group: 'Here',
      keys: [binding],
      isKeyOnly: true,
      repeats: true,
      run: () => {
        if (why !== undefined) return showToast(why);
        const [first] = targets();
        if (first) move(among, first, by);
      },
    });
    return [
      command('order-up', 'Move up', 'alt+ArrowUp', -1),
      command('order-down', 'Move down', 'alt+ArrowDown', 1),
    ];
  }, [...inputs, why]);
}

/** The same for the menu of a row: without keys, and without dragging. */
export function orderItems(task: Task): MenuItem[] {
  const among = neighbours;
  const rows = among?.(task) ?? [];
  const at = rows.findIndex(({ id }) => id === task.id);
  if (!among || at === -1) return [];
  return [
    {
      title: 'Move up',
      icon: 'up',
      binding: 'alt+ArrowUp',
      isDisabled: at === 0,
      run: () => move(among, task, -1),
    },
    {
      title: 'Move down',
      icon: 'down',
      binding: 'alt+ArrowDown',
      isDisabled: at === rows.length - 1,
      run: () => move(among, task, 1),
    },
  ];
}
