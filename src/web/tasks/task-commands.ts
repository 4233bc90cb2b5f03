import type { Task } from '../data/rows.ts';
import { addressOf } from '../shell/addresses.ts';
import { acting, type Command, moving, useCommands, writing } from '../shell/commands.ts';
import { address, closeBeside, navigate, openBeside, setQuery } from '../shell/navigation.ts';
import { me } from '../shell/session.ts';
import { userData } from '../shell/store.ts';
import { removeTasks, setAssignee, toggleDone } from './changes.ts';
import { copyLinks } from './copy-links.ts';
import {
  besideId,
  clearSelection,
  focusRow,
  isAmongRows,
  moveFocus,
  neighbourOf,
  openTaskId,
  rowElement,
  rowOf,
  rowsInSight,
  selectAll,
  selection,
  shownIds,
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
  startRenaming,
} from './pickers.ts';
import { openSeries } from './series.ts';

/** What holds a task's fields in the panel, if that is where the person is. */
const anchorFor = (kind: string): HTMLElement | null => {
  const inPanel = document.activeElement?.closest('.panel');
  return inPanel?.querySelector<HTMLElement>(`[data-field="${kind}"]`) ?? null;
};

const anchorOf = (kind: PickerKind): HTMLElement | null => {
  const ids = targetIds();
  // Of what is selected the first may be far from where the person is.
  const id = ids.find((one) => one === rowOf(document.activeElement)) ?? ids[0];
  const row = id === undefined ? null : rowElement(id);
  // The panel shows where a task is as its list.
  const field = kind === 'move' ? 'list' : kind;
  return anchorFor(field) ?? row ?? document.querySelector<HTMLElement>(`.panel [data-field="${field}"]`);
};

const pick = (kind: PickerKind) => () => openPicker(kind, targetIds(), anchorOf(kind));
const date = (kind: DateKind) => () => openDateDialog(kind, targetIds());
const onTargets = (run: (tasks: Task[]) => void) => () => {
  const tasks = targets();
  if (tasks.length > 0) run(tasks);
};

/** Safari allows a hundred changes of the address in ten seconds. */
const STEP_MS = 110;
let mayStepAt = 0;

/** Goes to a neighbour: of the open task where one is open, else of the focused row. */
function go(by: number, isHeld = false): void {
  const open = besideId.peek() ?? openTaskId.peek();
  if (open === undefined) {
    moveFocus(by);
    return;
  }
  const next = neighbourOf(open, by);
  const now = performance.now();
  if (next === undefined || (isHeld && now < mayStepAt)) return;
  mayStepAt = now + STEP_MS;
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
function stepBack(): void {
  if (selection.peek().size > 0) clearSelection();
  else if (openTaskId.peek() !== undefined) closePanel();
}

/** Closes the open task: its row has the focus again. One by itself leads to its list. */
export function closePanel(): void {
  const id = besideId.peek();
  const alone = id === undefined && userData.peek()?.store.view.row('task', openTaskId.peek() ?? '');
  if (alone) {
    focusRow(alone.id);
    navigate(addressOf('list', { w: alone.workspaceId, listId: alone.listId }));
    return;
  }
  closeBeside();
  // A row of another screen would take the focus there.
  if (id !== undefined && shownIds.peek().includes(id)) focusRow(id);
}

/** A key that moves by pages or to an end, among rows; a panel and a text have their own use for it. */
const far = (
  id: string,
  title: string,
  key: string,
  pages: number,
  how?: { selecting: boolean },
): Command => ({
  ...moving(id, title, key, () => moveFocus(pages * rowsInSight(), how)),
  appliesNow: isAmongRows,
});

const TASK_COMMANDS: readonly Command[] = [
  moving('next', 'Next task', 'j', (isHeld) => go(1, isHeld)),
  moving('previous', 'Previous task', 'k', (isHeld) => go(-1, isHeld)),
  moving('down', 'Next row', 'ArrowDown', () => moveFocus(1)),
  moving('up', 'Previous row', 'ArrowUp', () => moveFocus(-1)),
  far('first', 'First row', 'Home', -Infinity),
  far('last', 'Last row', 'End', Infinity),
  far('page-up', 'A page up', 'PageUp', -1),
  far('page-down', 'A page down', 'PageDown', 1),
  acting('open', 'Open task', 'panel', ['Enter', 'o'], () => {
    const [id] = targetIds();
    if (id !== undefined && id !== openTaskId.peek()) openBeside(id);
  }),
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
      const focused = rowOf(document.activeElement) ?? id;
      if (focused !== undefined) toggleSelected(focused);
    },
  },
  moving('select-down', 'Select down', 'shift+ArrowDown', () => moveFocus(1, { selecting: true })),
  moving('select-up', 'Select up', 'shift+ArrowUp', () => moveFocus(-1, { selecting: true })),
  far('select-to-first', 'Select to the first', 'shift+Home', -Infinity, { selecting: true }),
  far('select-to-last', 'Select to the last', 'shift+End', Infinity, { selecting: true }),
  { ...moving('select-all', 'Select all', 'mod+a', selectAll), repeats: false, appliesNow: isAmongRows },
  acting('copy-link', 'Copy link', 'link', [], onTargets(copyLinks)),
  ...writing([
    acting('complete', 'Complete', 'check', ['e'], onTargets(toggleDone)),
    acting('status', 'Set status…', 'status', ['s'], pick('status')),
    acting('priority', 'Set priority…', 'flag', ['p'], pick('priority')),
    acting('assignee', 'Assign…', 'person', ['a'], pick('assignee')),
    acting(
      'assign-me',
      'Assign to me',
      'me',
      ['i'],
      onTargets((tasks) => {
        const person = me.peek();
        if (person) setAssignee(tasks, person.id, person.name);
      }),
    ),
    acting('due', 'Set due date…', 'upcoming', ['d'], date('due')),
    acting('starts', 'Set start date…', 'start', [], date('start')),
    acting('labels', 'Labels…', 'label', ['l'], pick('labels')),
    acting('move', 'Move to…', 'move', ['m'], pick('move')),
    acting(
      'repeat',
      'Repeat…',
      'repeat',
      ['r'],
      onTargets(([task]) => task && mayChange([task.id]) && openSeries(task.id)),
    ),
    acting(
      'rename',
      'Rename',
      'pencil',
      ['F2'],
      onTargets(([task]) => task && startRenaming(task.id)),
    ),
    acting('delete', 'Delete', 'trash', ['Delete'], onTargets(removeTasks)),
  ]),
  {
    id: 'menu',
    title: 'Menu',
    group: 'Here',
    keys: ['.'],
    isKeyOnly: true,
    run: () => {
      const ids = targetIds();
      const [first] = ids;
      if (first === undefined) return;
      openRowMenu(ids, anchorFor('more') ?? rowElement(rowOf(document.activeElement) ?? first));
    },
  },
];

/** The keys of every screen that shows tasks. */
export const useTaskCommands = (): void =>
  useCommands(() => TASK_COMMANDS.map((command) => ({ ...command, isOfTasks: true })), []);
