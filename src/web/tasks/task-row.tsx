import { useComputed } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Label, Task } from '../data/rows.ts';
import { now, today, zone } from '../shell/clock.ts';
import { keyShortcuts } from '../shell/commands.ts';
import { isPhone } from '../shell/device.ts';
import { mayWriteIn } from '../shell/frame-view.ts';
import { hrefBeside } from '../shell/navigation.ts';
import { isOpen, useUserData } from '../shell/store.ts';
import type { Day } from '../text/days.ts';
import { PRIORITY_NAMES } from '../text/priorities.ts';
import { MAX_TITLE } from '../text/titles.ts';
import { Avatar } from '../ui/avatar.tsx';
import { useEditInPlace } from '../ui/edit-in-place.ts';
import { Icon } from '../ui/icon.tsx';
import { rename } from './changes.ts';
import {
  besideId,
  extendSelection,
  focusedId,
  focusRow,
  selection,
  toggleSelected,
  wantedFocus,
} from './current.ts';
import { dueOf, isLate, sayDueInRow } from './dates.ts';
import { openRowMenu, renaming } from './pickers.ts';
import { useRowFocus } from './row-focus.ts';
import { TaskBox } from './task-box.tsx';

export interface RowProps {
  id: string;
  /** The day of the heading it stands under. */
  day?: Day | undefined;
  showsList?: boolean | undefined;
  /** Beside the list, where that alone would not do. */
  showsWorkspace?: boolean | undefined;
  /** Own tasks show no avatar where every task is one's own or nobody's. */
  hidesMe?: boolean | undefined;
  /** Whether there is a place for avatars. */
  showsPeople?: boolean | undefined;
  /** In a windowed list: its place, from 1, and the length of the list. */
  at?: number | undefined;
  of?: number | undefined;
  /** Whether it can be dragged to another place. */
  mayDrag?: boolean | undefined;
  /** A title in which found words are marked. */
  marked?: ((title: string) => preact.ComponentChildren) | undefined;
}

/**
 * A task in a list: one line, or two where there is little room. Its parts are called and not rendered as components of
 * their own, which a list that is scrolled would make and drop by the hundred.
 */
export function TaskRow({ id, at, of, ...more }: RowProps) {
  const { store } = useUserData();
  const task = store.view.signal('task', id).value;
  const state = useRowState(id);
  if (!task) return null;
  const { isSelected, isCurrent } = state;
  const isUndated = task.dueDate === null && task.dueDay === null;
  const isBare =
    !(more.showsList || task.labelIds.length || hasGlyphs(task) || task.priority !== 'none') && isUndated;
  // By classes and not by `:has`: every row that comes into sight is styled while a list is scrolled.
  const classes = {
    selected: isSelected || isCurrent,
    closed: !isOpen(store, task),
    bare: isBare,
    undated: isUndated,
    'with-glyphs': hasGlyphs(task),
    'with-workspace': more.showsWorkspace,
  };
  return (
    <li
      class={`row ${Object.entries(classes)
        .flatMap(([name, is]) => (is ? name : []))
        .join(' ')}`}
      data-task={id}
      draggable={more.mayDrag || undefined}
      aria-posinset={at}
      aria-setsize={of}
    >
      {PriorityMark({ task })}
      {TaskBox({ task, tabIndex: state.focus.tabIndex })}
      {RowTitle({ task, state, marked: more.marked })}
      {RowMeta({ task, ...more })}
      <button
        type="button"
        class="tool row-more dots"
        aria-label="More"
        aria-haspopup="menu"
        aria-keyshortcuts={keyShortcuts('.')}
        tabIndex={-1}
        onClick={(event) => openRowMenu([id], event.currentTarget)}
      />
    </li>
  );
}

/** Hangs in the margin where there is one, so that only what is marked sticks out. Drawn by the style sheet, as the box is. */
export const PriorityMark = ({ task: { priority } }: { task: Pick<Task, 'priority'> }) =>
  priority === 'none' ? (
    <span class="prio" />
  ) : (
    <span role="img" aria-label={`${PRIORITY_NAMES[priority]} priority`} class={`prio drawn ${priority}`} />
  );

const [SELECTED, CURRENT, RENAMED] = [1, 2, 4] as const;

/** What a screen makes of a row or card: it renders when that changes, and not whenever that of another does. */
export function useRowState(id: string) {
  const focus = useRowFocus(id);
  const state = useComputed(
    () =>
      (selection.value.has(id) ? SELECTED : 0) |
      (besideId.value === id ? CURRENT : 0) |
      (renaming.value?.id === id && renaming.value.where === 'row' ? RENAMED : 0),
  ).value;
  return {
    focus,
    isSelected: (state & SELECTED) > 0,
    isCurrent: (state & CURRENT) > 0,
    isRenamed: (state & RENAMED) > 0,
  };
}

interface TitleProps {
  task: Task;
  state: ReturnType<typeof useRowState>;
  marked?: RowProps['marked'];
}

/** The link of a row or card, or the field in its place. */
export function RowTitle({ task, state, marked }: TitleProps) {
  const { id, title } = task;
  const { focus, isSelected, isCurrent, isRenamed } = state;
  if (isRenamed && mayWriteIn(task.workspaceId)) return <RenameField task={task} />;
  return (
    <a
      {...focus}
      class="title"
      dir="auto"
      href={hrefBeside(id)}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={(event) => {
        if (event.shiftKey) extendSelection(focusedId.peek() ?? id, id);
        // Fingers have no Shift.
        else if (isPhone.peek() && selection.peek().size > 0) toggleSelected(id);
        else return;
        event.preventDefault();
        focusRow(id);
      }}
    >
      {/* With a direction of its own it does not decide that of the title. */}
      {isSelected && (
        <span class="hidden" dir="ltr">
          Selected:{' '}
        </span>
      )}
      {marked ? marked(title) : title}
    </a>
  );
}

/** The title of a row as it is changed in place. */
function RenameField({ task }: { task: Task }) {
  const [text, setText] = useState(task.title);
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const events = useEditInPlace((saves, isByKey) => {
    if (saves) rename(task, text);
    renaming.value = undefined;
    if (isByKey) wantedFocus.value = task.id;
  });
  return (
    <input
      class="rename"
      aria-label="Title"
      dir="auto"
      maxLength={MAX_TITLE}
      ref={field}
      value={text}
      onInput={(event) => setText(event.currentTarget.value)}
      {...events}
    />
  );
}

function RowMeta({
  task,
  day,
  showsList,
  showsWorkspace,
  hidesMe,
  showsPeople,
}: { task: Task } & Omit<RowProps, 'id' | 'at' | 'of'>) {
  const { store, userId } = useUserData();
  const { view } = store;
  const { labelIds, assigneeId, listId, workspaceId } = task;
  const labels = labelIds.flatMap((id) => view.signal('label', id).value ?? []);
  const list = showsList ? view.signal('list', listId).value : undefined;
  const workspace = showsWorkspace ? view.signal('workspace', workspaceId).value : undefined;
  const person =
    showsPeople && assigneeId && !(hidesMe && assigneeId === userId)
      ? view.signal('member', `${workspaceId}/${assigneeId}`).value
      : undefined;
  return (
    <>
      <span class="meta">
        {Glyphs({ task })}
        {labels.length > 0 && (
          <span class="labels">
            <Labels labels={labels} most={3} />
          </span>
        )}
        {list && (
          <span class="where">
            <span class="cut" dir="auto">
              {list.title}
            </span>
            {workspace && (
              <span class="cut" dir="auto">
                {' '}
                · {workspace.title}
              </span>
            )}
          </span>
        )}
        {Due({ task, day })}
      </span>
      {person ? <Avatar id={person.userId} name={person.name} /> : showsPeople && <span class="avatar" />}
    </>
  );
}

const repeats = ({ recurrence }: Task): boolean => recurrence?.recurringTaskId != null;

/** Whether `Glyphs` of a task are any. */
export const hasGlyphs = (task: Task): boolean =>
  task.checklist.length > 0 || task.commentCount > 0 || repeats(task);

/** How far the checklist is, how many comments there are, whether it repeats: of rows and cards. */
export function Glyphs({ task }: { task: Task }) {
  const { checklist, commentCount } = task;
  if (!hasGlyphs(task)) return null;
  return (
    <span class="glyphs">
      {checklist.length > 0 && (
        <span>
          <Icon name="checks" small />
          <span class="hidden">Checklist </span>
          <span class="n">
            {checklist.filter(({ isDone }) => isDone).length}/{checklist.length}
          </span>
        </span>
      )}
      {commentCount > 0 && (
        <span>
          <Icon name="comment" small />
          <span class="hidden">Comments </span>
          <span class="n">{commentCount}</span>
        </span>
      )}
      {repeats(task) && (
        <span>
          <Icon name="repeat" small />
          <span class="hidden">Repeats</span>
        </span>
      )}
    </span>
  );
}

/** The first labels of a row or card, and how many more there are. */
export const Labels = ({ labels, most }: { labels: readonly Label[]; most: number }) => (
  <>
    {labels.slice(0, most).map(({ id, title, color }) => (
      <span key={id} class="label" style={{ '--hue': color }} dir="auto">
        {title}
      </span>
    ))}
    {labels.length > most && <span class="label-rest">+{labels.length - most}</span>}
  </>
);

/** When a task is due, as rows and cards say it. */
export function Due({ task, day }: { task: Task; day?: Day | undefined }) {
  const due = dueOf(task, zone.value);
  if (!due) return null;
  const isOngoing = isOpen(useUserData().store, task);
  const late = isOngoing && isLate(task, today.value, now.value);
  const isToday = isOngoing && due.day === today.value && day === undefined;
  return (
    <time
      class={`due${late ? ' late' : isToday ? ' today' : ''}`}
      dateTime={due.time === null ? due.day : `${due.day}T${due.time}`}
    >
      {late && (
        <>
          <Icon name="late" small />
          <span class="hidden">Overdue: </span>
        </>
      )}
      {sayDueInRow(due, today.value, day)}
    </time>
  );
}
