import type { Task } from '../data/rows.ts';
import { type Command, useCommands } from '../shell/commands.ts';
import { address, closeBeside, navigate, openBeside, setQuery } from '../shell/navigation.ts';
import { me } from '../shell/session.ts';
import { removeTasks, setAssignee, toggleDone } from './changes.ts';
import {
  besideId,
  clearSelection,
  focusRow,
  moveFocus,
  neighbourOf,
  openTaskId,
  rowElement,
  selection,
  targetIds,
  targets,
  toggleSelected,
} from './current.ts';
import {
  type DateKind,
  mayChange,
  openDateDialog,
  openPicker,
  openRowMenu,
  type PickerKind,
} from './pickers.ts';
import { startRenaming } from './row-menu.ts';
import { openSeries } from './series.ts';

/** What holds a task's fields in the panel, if that is where the person is. */
const anchorFor = (kind: string): HTMLElement | null => {
  const inPanel = document.activeElement?.closest('.panel');
  return inPanel?.querySelector<HTMLElement>(`[data-field="${kind}"]`) ?? null;
};

const anchorOf = (kind: PickerKind): HTMLElement | null => {
  const [id] = targetIds();
  const row = id === undefined ? null : rowElement(id);
  return anchorFor(kind) ?? row ?? document.querySelector<HTMLElement>(`.panel [data-field="${kind}"]`);
};

const pick = (kind: PickerKind) => () => openPicker(kind, targetIds(), anchorOf(kind));
const date = (kind: DateKind) => () => openDateDialog(kind, targetIds());
const onTargets = (run: (tasks: Task[]) => void) => () => {
  const tasks = targets();
  if (tasks.length > 0) run(tasks);
};

/** Goes to a neighbour: of the open task where one is open, else of the focused row. */
function go(by: number): void {
  const open = besideId.peek() ?? openTaskId.peek();
  if (open === undefined) {
    moveFocus(by);
    return;
  }
  const next = neighbourOf(open, by);
  if (next === undefined) return;
  showNeighbour(next);
}

/** Shows another task in the panel: no step of its own for Back. */
export function showNeighbour(id: string): void {
  if (besideId.peek() !== undefined) setQuery({ task: id });
  else {
    const [path = ''] = address.peek().split('?');
    navigate(path.replace(/[^/]+$/, id), { replace: true });
  }
  if (!document.activeElement?.closest('.panel')) focusRow(id);
}

/** Closes what is open, one thing for each press. */
export function stepBack(): void {
  if (selection.peek().size > 0) clearSelection();
  else if (besideId.peek() !== undefined) closePanel();
}

/** Closes the task beside the screen; the row that opened it has the focus again. */
export function closePanel(): void {
  const id = besideId.peek();
  closeBeside();
  focusRow(id);
}

const TASK_COMMANDS: readonly Command[] = [
  { id: 'next', title: 'Next task', group: 'Here', keys: ['j'], isKeyOnly: true, run: () => go(1) },
  { id: 'previous', title: 'Previous task', group: 'Here', keys: ['k'], isKeyOnly: true, run: () => go(-1) },
  {
    id: 'down',
    title: 'Next row',
    group: 'Here',
    keys: ['ArrowDown'],
    isKeyOnly: true,
    run: () => moveFocus(1),
  },
  {
    id: 'up',
    title: 'Previous row',
    group: 'Here',
    keys: ['ArrowUp'],
    isKeyOnly: true,
    run: () => moveFocus(-1),
  },
  {
    id: 'open',
    title: 'Open task',
    group: 'Here',
    icon: 'panel',
    keys: ['Enter', 'o'],
    run: () => {
      const [id] = targetIds();
      if (id !== undefined && id !== openTaskId.peek()) openBeside(id);
    },
  },
  {
    id: 'back',
    title: 'Close, clear the selection',
    group: 'Here',
    keys: ['Escape'],
    isKeyOnly: true,
    run: stepBack,
  },
  {
    id: 'select',
    title: 'Select',
    group: 'Here',
    keys: ['x'],
    isKeyOnly: true,
    run: () => {
      const [id] = targetIds();
      const focused = document.activeElement?.closest<HTMLElement>('[data-task]')?.dataset.task ?? id;
      if (focused !== undefined) toggleSelected(focused);
    },
  },
  {
    id: 'select-down',
    title: 'Select down',
    group: 'Here',
    keys: ['shift+ArrowDown'],
    isKeyOnly: true,
    run: () => moveFocus(1, { selecting: true }),
  },
  {
    id: 'select-up',
    title: 'Select up',
    group: 'Here',
    keys: ['shift+ArrowUp'],
    isKeyOnly: true,
    run: () => moveFocus(-1, { selecting: true }),
  },
  {
    id: 'complete',
    title: 'Complete',
    group: 'Here',
    icon: 'check',
    keys: ['e'],
    run: onTargets(toggleDone),
  },
  { id: 'status', title: 'Set status…', group: 'Here', icon: 'status', keys: ['s'], run: pick('status') },
  { id: 'priority', title: 'Set priority…', group: 'Here', icon: 'flag', keys: ['p'], run: pick('priority') },
  { id: 'assignee', title: 'Assign…', group: 'Here', icon: 'person', keys: ['a'], run: pick('assignee') },
  {
    id: 'assign-me',
    title: 'Assign to me',
    group: 'Here',
    icon: 'me',
    keys: ['i'],
    run: onTargets((tasks) => {
      const person = me.peek();
      if (person) setAssignee(tasks, person.id, person.name);
    }),
  },
  { id: 'due', title: 'Set due date…', group: 'Here', icon: 'upcoming', keys: ['d'], run: date('due') },
  { id: 'starts', title: 'Set start date…', group: 'Here', icon: 'start', run: date('start') },
  { id: 'labels', title: 'Labels…', group: 'Here', icon: 'label', keys: ['l'], run: pick('labels') },
  { id: 'move', title: 'Move to…', group: 'Here', icon: 'move', keys: ['m'], run: pick('move') },
  {
    id: 'repeat',
    title: 'Repeat…',
    group: 'Here',
    icon: 'repeat',
    keys: ['r'],
    run: onTargets(([task]) => task && mayChange([task.id]) && openSeries(task.id)),
  },
  {
    id: 'rename',
    title: 'Rename',
    group: 'Here',
    icon: 'pencil',
    keys: ['F2'],
    run: onTargets(([task]) => task && startRenaming(task.id)),
  },
  {
    id: 'delete',
    title: 'Delete',
    group: 'Here',
    icon: 'trash',
    keys: ['Delete'],
    run: onTargets(removeTasks),
  },
  {
    id: 'menu',
    title: 'Menu',
    group: 'Here',
    keys: ['.'],
    isKeyOnly: true,
    run: () => {
      const [id] = targetIds();
      if (id !== undefined) openRowMenu(id, anchorFor('more') ?? rowElement(id));
    },
  },
];

/** The keys of every screen that shows tasks. */
export const useTaskCommands = (): void => useCommands(() => TASK_COMMANDS, []);
