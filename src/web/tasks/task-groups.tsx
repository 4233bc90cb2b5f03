import type { ComponentChildren, TargetedDragEvent } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { Status, Task } from '../data/rows.ts';
import { currentUserData, isOpen, useUserData } from '../shell/store.ts';
import type { Day } from '../text/days.ts';
import { useOver } from '../ui/use-over.ts';
import { tasksOf } from './changes.ts';
import { focusRow, rowOf, showIds } from './current.ts';
import { dragsTasks, droppedTasks, hasLeft } from './dragging.ts';
import { rowEvents } from './row-events.ts';
import { StatusMark } from './task-box.tsx';
import { type RowProps, TaskRow } from './task-row.tsx';
import { useRowWindow } from './use-row-window.ts';

/** Rows under one heading. */
export interface TaskGroup {
  key: string;
  title: string;
  ids: readonly string[];
  /** Of a status: its picture. */
  status?: Status | undefined;
  /** Of a day: rows say only the time. */
  day?: Day | undefined;
  /** At the end of the heading. */
  action?: ComponentChildren;
  /** Without a heading: there is but one group, and the screen names it. */
  isPlain?: boolean;
  /** Takes tasks that are dropped before its row of this index, or at its end. */
  onDropAt?: ((moved: readonly Task[], index: number) => void) | undefined;
}

interface Props extends Omit<RowProps, 'id' | 'day' | 'at' | 'of' | 'showsPeople' | 'mayDrag'> {
  groups: readonly TaskGroup[];
  /** Where rows can be dragged: begins to. */
  onDragStart?: ((event: DragEvent) => void) | undefined;
  /** Every task is one's own, or nobody's. */
  isMine?: boolean;
}

/** Groups of rows, which keys move through; of long ones only the rows in sight are rendered. */
export function TaskGroups({ groups, isMine, onDragStart, ...more }: Props) {
  const { workspaces, membersIn } = useUserData();
  const isShared = workspaces.ids.value.some((id) => membersIn(id).ids.value.length > 1);
  const rowProps = { ...more, showsPeople: isShared && !isMine, mayDrag: onDragStart !== undefined };
  const ids = useMemo(() => groups.flatMap((group) => group.ids), [groups]);
  useFollowedFocus(ids);
  return (
    <>
      {groups.map((group) => (
        <Group key={group.key} group={group} rowProps={rowProps} onDragStart={onDragStart} />
      ))}
    </>
  );
}

/**
 * Keeps the order for the keys. The focus stays with a row that moves to another group, and goes to the next one when
 * its own leaves or is done with.
 */
export function useFollowedFocus(ids: readonly string[]): void {
  const before = useRef<readonly string[]>([]);
  const hadFocus = useRef<Element | null>(null);
  useLayoutEffect(() => {
    const noteFocus = () => {
      const { activeElement } = document;
      // What opens over a row gives the focus back.
      if (!activeElement?.closest('dialog, [popover]')) hadFocus.current = activeElement;
    };
    document.addEventListener('focusin', noteFocus);
    return () => document.removeEventListener('focusin', noteFocus);
  }, []);
  useLayoutEffect(() => {
    const { current } = hadFocus;
    const lost = current?.isConnected ? undefined : rowOf(current);
    showIds(ids);
    if (lost !== undefined && document.activeElement === document.body) {
      const at = before.current.indexOf(lost);
      const order = [...before.current.slice(at + 1), ...before.current.slice(0, Math.max(at, 0)).reverse()];
      const [task] = tasksOf([lost]);
      const stays = task && ids.includes(lost) && isOpen(currentUserData().store, task);
      const next = stays ? lost : order.find((id) => ids.includes(id));
      hadFocus.current = null;
      focusRow(next);
    }
    before.current = ids;
  }, [ids]);
  useLayoutEffect(() => () => showIds([]), []);
}

interface GroupProps extends Pick<Props, 'onDragStart'> {
  group: TaskGroup;
  rowProps: Omit<RowProps, 'id' | 'day' | 'at' | 'of'>;
}

function Group({ group, rowProps, onDragStart }: GroupProps) {
  const id = useId();
  const { title, ids, status, day, action, isPlain, onDropAt } = group;
  const rows = <Rows ids={ids} day={day} drag={{ onDragStart, onDropAt }} {...rowProps} />;
  if (isPlain) return rows;
  return (
    <section class="group" aria-labelledby={id}>
      <div class={action ? 'group-head wraps' : 'group-head'}>
        {status && <StatusMark status={status} />}
        <h2 id={id} dir="auto">
          {title}
        </h2>
        {ids.length > 0 && <span class="count">{ids.length}</span>}
        {action}
      </div>
      {rows}
    </section>
  );
}

interface RowsProps extends Omit<RowProps, 'id' | 'at' | 'of'> {
  ids: readonly string[];
  drag: Pick<Props, 'onDragStart'> & Pick<TaskGroup, 'onDropAt'>;
}

function Rows({ ids, drag, ...rowProps }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const { isWindowed, from, to, height } = useRowWindow(list, ids);
  const drop = useDrop(ids.length, drag);
  if (ids.length === 0) return null;
  const shown = isWindowed ? ids.slice(from, to) : ids;
  return (
    <ul
      {...rowEvents}
      {...drop.events}
      class={[rowProps.day && 'under-day', drop.line && 'drops'].filter(Boolean).join(' ') || undefined}
      ref={list}
      style={{
        paddingTop: isWindowed ? `${from * height}px` : '',
        paddingBottom: isWindowed ? `${(ids.length - to) * height}px` : '',
        '--over': drop.line,
      }}
    >
      {shown.map((id, index) => (
        <TaskRow
          key={id}
          id={id}
          // Each its own property: a row that stays renders only when one of them changes.
          at={isWindowed ? from + index + 1 : undefined}
          of={isWindowed ? ids.length : undefined}
          {...rowProps}
        />
      ))}
    </ul>
  );
}

/** What makes a list take tasks that are dragged, and where a line shows the place. */
function useDrop(length: number, { onDragStart, onDropAt }: RowsProps['drag']) {
  const [line, setLine] = useOver<string>();
  const placeIn = (event: TargetedDragEvent<HTMLUListElement>) => {
    const { currentTarget: list, clientY } = event;
    const { top, height } = list.getBoundingClientRect();
    const index = Math.round(((clientY - top) * length) / height);
    return { index, top: (height * index) / length };
  };
  return {
    line,
    events: onDragStart && {
      onDragStart,
      onDragOver: (event: TargetedDragEvent<HTMLUListElement>) => {
        if (!onDropAt || !dragsTasks(event)) return;
        event.preventDefault();
        setLine(`${placeIn(event).top}px`);
      },
      onDragLeave: (event: TargetedDragEvent<HTMLUListElement>) => {
        if (hasLeft(event)) setLine(undefined);
      },
      onDrop: (event: TargetedDragEvent<HTMLUListElement>) => {
        event.preventDefault();
        setLine(undefined);
        onDropAt?.(droppedTasks(event), placeIn(event).index);
      },
    },
  };
}
