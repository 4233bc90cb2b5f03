import { useId, useMemo, useRef, useState } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import type { Store } from '../data/store.ts';
import { targetIds } from '../tasks/current.ts';
import { StatusMark } from '../tasks/task-box.tsx';
import { useTasks } from '../tasks/use-tasks.ts';
import { type Match, match, rank } from '../text/match.ts';
import { isNumberOf } from '../text/numbers.ts';
import { isComposing } from '../ui/composing.ts';
import { Cut } from '../ui/cut.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { Keycaps } from '../ui/keycaps.tsx';
import { Marked } from '../ui/marked.tsx';
import { addressOf } from './addresses.ts';
import { commands } from './commands.ts';
import { canWrite, workspaces } from './frame-view.ts';
import { navigate } from './navigation.ts';
import { type OverlayProps, takeTypedAhead } from './overlays.tsx';
import { settingEntries } from './setting-entries.ts';
import { isOpen, useUserData } from './store.ts';

interface Entry {
  id: string;
  group: string;
  title: string;
  icon?: IconName | undefined;
  /** Of a task: its own box in place of an icon. */
  taskId?: string;
  binding?: string | undefined;
  /** What stands beside it: where a list is, say. */
  note?: string | undefined;
  run(): void;
}

interface Found extends Entry {
  found: Match;
}

const SHOWN_OF_GROUP = 8;

/** Every command, list and task, found by some of its letters. */
export function Palette({ onClose }: OverlayProps) {
  const id = useId();
  const [wanted, setWanted] = useState(takeTypedAhead);
  const [chosen, choose] = useState<string>();
  // Asked before the dialog has the focus.
  const [hasTargets] = useState(() => targetIds().length > 0);
  const listbox = useRef<HTMLDivElement>(null);
  const { store } = useUserData();
  const open = useTasks((task) => isOpen(store, task), inAnyOrder, [store]);
  // What arrives while it is open is found too.
  const groups = useMemo(
    () => search(wanted, store, open, hasTargets),
    [wanted, store, open, commands.value, workspaces.value],
  );
  const flat = groups.flatMap(({ entries }) => entries);
  const at = Math.max(
    0,
    flat.findIndex((entry) => entry.id === chosen),
  );
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onClose();
    // After the dialog has given the focus back.
    setTimeout(entry.run);
  };
  const move = (to: number) => {
    const next = (to + flat.length) % Math.max(1, flat.length);
    choose(flat[next]?.id);
    listbox.current?.querySelector(`[id="${id}-${next}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') move(at + 1);
    else if (event.key === 'ArrowUp') move(at - 1);
    else if (event.key === 'Enter') run(flat[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog label="Commands" class="palette" onClose={onClose}>
      <div class="find">
        <Icon name="search" />
        <input
          autoFocus
          type="text"
          role="combobox"
          aria-label="Search commands, lists and tasks"
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={`${id}-results`}
          aria-activedescendant={flat.length > 0 ? `${id}-${at}` : undefined}
          placeholder="Commands, lists, tasks"
          autocomplete="off"
          spellcheck={false}
          value={wanted}
          onInput={(event) => {
            setWanted(event.currentTarget.value);
            choose(undefined);
          }}
          onKeyDown={onKeyDown}
        />
        <Keycaps binding="Escape" />
      </div>
      <div ref={listbox} class="menu results" role="listbox" id={`${id}-results`} aria-label="Results">
        {groups.map(({ title, entries }, index) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options
          <div key={title} role="group" aria-labelledby={`${id}-group-${index}`}>
            <div class="menu-head" id={`${id}-group-${index}`} role="presentation">
              {title}
            </div>
            {entries.map((entry) => {
              const position = flat.indexOf(entry);
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the combobox
                // biome-ignore lint/a11y/useFocusableInteractive: the combobox has the focus
                <div
                  key={entry.id}
                  id={`${id}-${position}`}
                  class="option"
                  role="option"
                  aria-selected={position === at}
                  onPointerMove={() => position !== at && choose(entry.id)}
                  onClick={() => run(entry)}
                >
                  {entry.icon && <Icon name={entry.icon} />}
                  {entry.taskId && <TaskMark id={entry.taskId} />}
                  <Cut>
                    <Marked text={entry.title} spans={spansOf(entry)} />
                  </Cut>
                  {entry.note && <span class="push">{entry.note}</span>}
                  {entry.binding && (
                    <span class="push">
                      <Keycaps binding={entry.binding} />
                    </span>
                  )}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {flat.length === 0 && (
        <p class="nothing quiet" role="status">
          Nothing has these letters.
        </p>
      )}
      <p class="keys">
        <span>
          <Keycaps binding="ArrowUp" />
          <Keycaps binding="ArrowDown" /> choose
        </span>
        <span>
          <Keycaps binding="Enter" /> run
        </span>
      </p>
    </Dialog>
  );
}

function TaskMark({ id }: { id: string }) {
  const { view } = useUserData().store;
  const task = view.row('task', id);
  const statuses = task && view.row('list', task.listId)?.statuses;
  return <StatusMark status={task && view.status(task.statusId)} among={statuses ?? []} />;
}

/** The letters of a title that were found. */
const spansOf = ({ title, found }: Found): [number, number][] =>
  found.at.map((from) => [from, from + String.fromCodePoint(title.codePointAt(from) ?? 0).length]);

function search(
  wanted: string,
  store: Store,
  open: readonly Task[],
  hasTargets: boolean,
): { title: string; entries: Found[] }[] {
  const found = [
    ...commandEntries(hasTargets),
    ...settingEntries(),
    ...listEntries(),
    ...taskEntries(wanted, store, open),
  ]
    .flatMap((entry): Found[] => {
      const found = match(wanted, entry.title);
      return found ? [{ ...entry, found }] : [];
    })
    .sort((a, b) => b.found.score - a.found.score);
  const titles = [...new Set(found.map(({ group }) => group))];
  return titles.map((title) => ({
    title,
    entries: found
      .filter(({ group }) => group === title)
      .slice(0, wanted === '' ? undefined : SHOWN_OF_GROUP),
  }));
}

/** Those that act on tasks come first where there are some to act on. */
const commandEntries = (hasTargets: boolean): Entry[] =>
  commands.value
    .filter(({ isKeyOnly, writes }) => !isKeyOnly && (canWrite.value || !writes))
    .sort((a, b) => (hasTargets ? Number(b.isOfTasks ?? false) - Number(a.isOfTasks ?? false) : 0))
    .map(({ id, title, icon, keys, run }) => ({
      id,
      group: 'Commands',
      title,
      icon,
      binding: keys?.[0],
      run,
    }));

const listEntries = (): Entry[] =>
  workspaces.value.flatMap(({ id: w, spaces }) =>
    spaces.flatMap((space) =>
      space.lists.map(({ id, title }) => ({
        id,
        group: 'Lists',
        title,
        icon: 'list' as const,
        note: space.title,
        run: () => navigate(addressOf('list', { w, listId: id })),
      })),
    ),
  );

const inAnyOrder = () => 0;

/** Open tasks that have the letters, or the number (`ABC-12`); the best are found among all of them. */
function taskEntries(wanted: string, { view }: Store, open: readonly Task[]): Entry[] {
  if (wanted.trim().length < 2) return [];
  const isNumbered = (task: Task) => isNumberOf(wanted, view.row('workspace', task.workspaceId)?.key, task);
  const numbered = wanted.includes('-') ? open.filter(isNumbered) : [];
  const others = open.filter((task) => !numbered.includes(task));
  return [...numbered, ...rank(wanted, others, ({ title }) => title, SHOWN_OF_GROUP)].map((task) => ({
    id: task.id,
    group: 'Tasks',
    title: numbered.includes(task) ? `${wanted.trim().toUpperCase()} ${task.title}` : task.title,
    taskId: task.id,
    note: view.row('list', task.listId)?.title,
    run: () => navigate(addressOf('task', { w: task.workspaceId, task: task.id })),
  }));
}
