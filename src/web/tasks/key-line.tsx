import { applies } from '../shell/commands.ts';
import { canWrite, mayWriteIn } from '../shell/frame-view.ts';
import { Keycaps } from '../ui/keycaps.tsx';
import { removeTasks, tasksOf, toggleDone } from './changes.ts';
import { clearSelection, selection, targetIds, targets } from './current.ts';
import { openDateDialog, openPicker, type PickerKind } from './pickers.ts';

interface Hint {
  keys: readonly string[];
  title: string;
  /** Whether it is said only where there are rows, or only where there are none. */
  rows?: 'with' | 'without';
  writes?: boolean;
  /** Whether it is said only below the columns of a board, or only elsewhere. */
  isOfBoard?: boolean;
}

const HINTS: readonly Hint[] = [
  {
    keys: ['alt+ArrowLeft', 'alt+ArrowRight'],
    title: 'column',
    rows: 'with',
    writes: true,
    isOfBoard: true,
  },
  { keys: ['e'], title: 'complete', rows: 'with', writes: true },
  { keys: ['s'], title: 'status', rows: 'with', writes: true, isOfBoard: false },
  { keys: ['d'], title: 'due', rows: 'with', writes: true, isOfBoard: false },
  { keys: ['j', 'k'], title: 'next', rows: 'with' },
  { keys: ['c'], title: 'new task', rows: 'without', writes: true },
  { keys: ['mod+k'], title: 'everything else', rows: 'without' },
  { keys: ['?'], title: 'all keys' },
];

const isSaid = ({ keys, writes }: Hint) => keys.some(applies) && (canWrite.value || !writes);

/** Below a list: the keys that apply; with a selection what can be done with it. */
export function KeyLine({ isOfBoard = false }: { isOfBoard?: boolean }) {
  const count = selection.value.size;
  if (count > 0) return <SelectionTools count={count} />;
  return (
    <p class="keys">
      <span class="hidden">Keys</span>
      {HINTS.filter((hint) => isSaid(hint) && (hint.isOfBoard ?? isOfBoard) === isOfBoard).map(
        ({ keys, title, rows }) => (
          <span key={title} class={rows && `${rows}-rows`}>
            {keys.map((key) => (
              <Keycaps key={key} binding={key} />
            ))}{' '}
            {title}
          </span>
        ),
      )}
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
