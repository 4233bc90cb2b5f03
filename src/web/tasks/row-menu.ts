import type { Task } from '../data/rows.ts';
import { isPhone } from '../shell/device.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { openBeside } from '../shell/navigation.ts';
import { currentUserData, isOpen } from '../shell/store.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { isUpcomingInstance, removeTasks, toggleDone } from './changes.ts';
import { copyLinks } from './copy-links.ts';
import { openTaskId, toggleSelected } from './current.ts';
import { orderItems } from './order.ts';
import { openDateDialog, openPicker, type PickerKind, startRenaming } from './pickers.ts';
import { openSeries } from './series.ts';

/** What can be done with tasks, each with its key; with several only what is done to each of them. */
export function rowMenuItems(tasks: readonly Task[], anchor: HTMLElement | null): MenuItem[] {
  const [first] = tasks;
  if (!first) return [];
  const isOne = tasks.length === 1;
  const ids = tasks.map(({ id }) => id);
  const { store } = currentUserData();
  const pick = (title: string, kind: PickerKind, icon: MenuItem['icon'], binding: string): MenuItem => ({
    title,
    ...(icon && { icon }),
    binding,
    run: () => openPicker(kind, ids, anchor),
  });
  const open: MenuItem = {
    title: 'Open',
    icon: 'panel',
    binding: 'Enter',
    run: () => openBeside(first.id),
  };
  const reading: MenuItem[] = [
    ...(openTaskId.peek() === first.id ? [] : [open]),
    {
      title: 'Copy link',
      icon: 'link',
      run: () => copyLinks(tasks),
    },
  ];
  if (!mayWriteIn(first.workspaceId)) return isOne ? reading : [];
  const isDone = !tasks.some((task) => isOpen(store, task));
  const all: (MenuItem | false)[] = [
    {
      title: isDone ? 'Open again' : 'Complete',
      icon: 'check',
      binding: 'e',
      run: () => toggleDone(tasks),
    },
    isOne && { title: 'Rename', icon: 'pencil', binding: 'F2', run: () => startRenaming(first.id) },
    pick('Status…', 'status', 'status', 's'),
    { title: 'Due…', icon: 'upcoming', binding: 'd', run: () => openDateDialog('due', ids) },
    { title: 'Starts…', icon: 'start', run: () => openDateDialog('start', ids) },
    pick('Priority…', 'priority', 'flag', 'p'),
    pick('Assignee…', 'assignee', 'me', 'a'),
    pick('Labels…', 'labels', 'label', 'l'),
    pick('Move to…', 'move', 'move', 'm'),
    ...(isOne ? orderItems(first) : []),
    isOne && { title: 'Repeat…', icon: 'repeat', binding: 'r', run: () => openSeries(first.id) },
    // On a phone an open task covers the rows.
    isOne &&
      !(isPhone.peek() && openTaskId.peek() === first.id) && {
        title: 'Select',
        icon: 'select',
        binding: 'x',
        run: () => toggleSelected(first.id),
      },
    ...(isOne ? reading.map((item, index) => (index === 0 ? { ...item, startsGroup: true } : item)) : []),
    {
      title: isOne && isUpcomingInstance(first) ? 'Delete: skip this one' : 'Delete',
      icon: 'trash',
      binding: 'Delete',
      startsGroup: true,
      isDanger: true,
      run: () => removeTasks(tasks),
    },
  ];
  return all.filter((item) => item !== false);
}
