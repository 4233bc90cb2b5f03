import { mayWriteIn } from '../shell/frame-view.ts';
import { Keycaps } from '../ui/keycaps.tsx';
import { removeTasks, tasksOf, toggleDone } from './changes.ts';
import { clearSelection, selection, targetIds, targets } from './current.ts';
import { openDateDialog, openPicker, type PickerKind } from './pickers.ts';

interface Hint {
  keys: readonly string[];
  title: string;
}

const USUAL: readonly Hint[] = [
  { keys: ['e'], title: 'complete' },
  { keys: ['s'], title: 'status' },
  { keys: ['d'], title: 'due' },
  { keys: ['j', 'k'], title: 'next' },
  { keys: ['?'], title: 'all keys' },
];

/** Below a list: the keys that apply; with a selection what can be done with it. */
export function KeyLine({ hints = USUAL }: { hints?: readonly Hint[] }) {
  const count = selection.value.size;
  if (count > 0) return <SelectionTools count={count} />;
  return (
    <p class="keys">
      <span class="hidden">Keys</span>
      {hints.map(({ keys, title }) => (
        <span key={title}>
          {keys.map((key) => (
            <Keycaps key={key} binding={key} />
          ))}{' '}
          {title}
        </span>
      ))}
    </p>
  );
}

function SelectionTools({ count }: { count: number }) {
  const pick = (kind: PickerKind) => (event: MouseEvent) =>
    openPicker(kind, targetIds(), event.currentTarget as HTMLElement);
  const may = tasksOf([...selection.value]).some(({ workspaceId }) => mayWriteIn(workspaceId));
  const changes: [string, string, (event: MouseEvent) => void][] = [
    ['Complete', 'e', () => toggleDone(targets())],
    ['Status', 's', pick('status')],
    ['Due', 'd', () => openDateDialog('due', targetIds())],
    ['Assign', 'a', pick('assignee')],
    ['Priority', 'p', pick('priority')],
    ['Labels', 'l', pick('labels')],
    ['Move', 'm', pick('move')],
    ['Delete', 'Delete', () => removeTasks(targets())],
  ];
  return (
    <div class="keys selection" role="toolbar" aria-label="Selection">
      <strong role="status">{count} selected</strong>
      {(may ? changes : []).map(([title, key, run]) => (
        <button key={title} type="button" onClick={run}>
          {title} <Keycaps binding={key} />
        </button>
      ))}
      <button type="button" class="push" onClick={clearSelection}>
        Clear <Keycaps binding="Escape" />
      </button>
    </div>
  );
}
