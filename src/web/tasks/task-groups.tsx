import { effect } from '@preact/signals';
import type { ComponentChildren, TargetedDragEvent } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Status, Task } from '../data/rows.ts';
import { isOpen, openShelf, useShelf } from '../shell/store.ts';
import type { Day } from '../text/days.ts';
import { tasksOf } from './changes.ts';
import { focusRow, rowOf, showIds, wantedFocus } from './current.ts';
import { dragsTasks, droppedTasks } from './dragging.ts';
import { rowClicks } from './row-clicks.ts';
import { nextRange } from './row-window.ts';
import { StatusMark } from './task-box.tsx';
import { type RowProps, TaskRow } from './task-row.tsx';

/** Rows under one heading. */
export interface TaskGroup {
  key: string;
  title: string;
  ids: readonly string[];
  /** Of a status: its picture. */
  status?: Status | undefined;
  /** Of a day: rows say only the time. */
  day?: Day | undefined;
  /** More than `ids`, where only some of them are held. */
  count?: number | undefined;
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
  /** Every task is one's own. */
  isMine?: boolean;
}

/** Groups of rows: what keys move through, and of which only what is in sight is there. */
export function TaskGroups({ groups, isMine, onDragStart, ...more }: Props) {
  const { workspaces, membersIn } = useShelf();
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
      const stays = task && ids.includes(lost) && isOpen(openShelf().store, task);
      const next = stays ? lost : order.find((id) => ids.includes(id));
      hadFocus.current = null;
      focusRow(next);
    }
    before.current = ids;
  }, [ids]);
  useEffect(() => () => showIds([]), []);
}

interface GroupProps extends Pick<Props, 'onDragStart'> {
  group: TaskGroup;
  rowProps: Omit<RowProps, 'id' | 'day' | 'at' | 'of'>;
}

function Group({ group, rowProps, onDragStart }: GroupProps) {
  const id = useId();
  const { title, ids, status, day, count = ids.length, action, isPlain, onDropAt } = group;
  const rows = <Rows ids={ids} day={day} drag={{ onDragStart, onDropAt }} {...rowProps} />;
  if (isPlain) return rows;
  return (
    <section class="group" aria-labelledby={id}>
      <div class="group-head">
        {status && <StatusMark status={status} />}
        <h2 id={id} dir="auto">
          {title}
        </h2>
        {count > 0 && <span class="count">{count}</span>}
        {action}
      </div>
      {rows}
    </section>
  );
}

/** Longer lists are windowed, and begin with as many as a screen may show. */
const WHOLE = 80;
const FIRST = 40;
const BEYOND = 16;
/** So many rows come and go at once: few, since each frame has little time. */
const STEP = 4;
const step = (row: number): number => Math.floor(row / STEP) * STEP;

interface RowsProps extends Omit<RowProps, 'id' | 'at' | 'of'> {
  ids: readonly string[];
  drag: Pick<Props, 'onDragStart'> & Pick<TaskGroup, 'onDropAt'>;
}

function Rows({ ids, drag, ...rowProps }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const isWindowed = ids.length > WHOLE;
  const { from, to, height } = useWindow(list, ids, isWindowed);
  const drop = useDrop(ids.length, drag);
  if (ids.length === 0) return null;
  const shown = isWindowed ? ids.slice(from, to) : ids;
  return (
    <ul
      {...rowClicks}
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
  const [line, setLine] = useState<string>();
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
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setLine(undefined);
      },
      onDrop: (event: TargetedDragEvent<HTMLUListElement>) => {
        event.preventDefault();
        setLine(undefined);
        onDropAt?.(droppedTasks(event), placeIn(event).index);
      },
    },
  };
}

/** Most rows that one frame of scrolling adds, in all lists together; the rest follow in the next frames. */
const MAX_NEW = 8;
/** The least, where frames take long. */
const MIN_NEW = 2;
const LONG_FRAME_MS = 35;
const SHORT_FRAME_MS = 25;
/** After which a list begins to be scrolled. */
const PAUSE_MS = 200;

/** Looks what a list should draw next: draws it, and tells how many rows are new and whether that is all. */
type Look = (most: number) => { draw(): void; added: number; isAll: boolean } | undefined;

/** The windowed lists of the screen. All look before any of them renders: to look at a list is to lay it out. */
const windows = new Set<Look>();
let followUp = 0;
const lookAll = (most: number): void => {
  let left = most;
  let isAll = true;
  const found = Array.from(windows, (look) => {
    const move = look(left);
    left -= move?.added ?? 0;
    isAll &&= move?.isAll ?? true;
    return move;
  });
  for (const move of found) move?.draw();
  cancelAnimationFrame(followUp);
  followUp = isAll ? 0 : requestAnimationFrame(lookOn);
};
let most = MAX_NEW;
let lookedAt = 0;
const lookOn = (): void => {
  const now = performance.now();
  const took = now - lookedAt;
  lookedAt = now;
  if (took > PAUSE_MS) most = MAX_NEW;
  else if (took > LONG_FRAME_MS) most = Math.max(MIN_NEW, most >> 1);
  else if (took < SHORT_FRAME_MS) most = Math.min(MAX_NEW, most + 1);
  lookAll(most);
};
/** Once in a frame, whatever asks for it. */
const lookSoon = (): void => {
  followUp ||= requestAnimationFrame(lookOn);
};

/** Which rows are in sight, and some beyond. All rows have one height. */
function useWindow(list: { current: HTMLUListElement | null }, ids: readonly string[], isWindowed: boolean) {
  const [range, setRange] = useState({ from: 0, to: FIRST, height: 36 });
  const [isPrinted, setPrinted] = useState(false);
  const measured = useRef<number>(undefined);
  const look = useRef<Look>(() => undefined);
  look.current = (most) => {
    const { current } = list;
    const scroll = current?.closest<HTMLElement>('.scroll');
    if (!current || !scroll) return undefined;
    measured.current ??= current.querySelector<HTMLElement>('.row')?.offsetHeight;
    const height = measured.current || 36;
    const top = scroll.scrollTop - current.offsetTop;
    const within = (row: number): number => Math.min(Math.max(row, 0), ids.length);
    const [first, last] = [Math.floor(top / height), Math.ceil((top + scroll.clientHeight) / height)];
    const from = Math.min(within(step(first) - BEYOND), Math.max(0, ids.length - 1));
    const wanted = { from, to: Math.max(within(step(last) + STEP + BEYOND), from + 1) };
    const inSight = { from: Math.max(from, within(first)), to: Math.min(wanted.to, within(last)) };
    const next = nextRange(range, wanted, inSight, most);
    if (range.from === next.from && range.to === next.to && range.height === height) return undefined;
    return {
      draw: () => setRange({ ...next, height }),
      added:
        Math.max(0, next.to - Math.max(range.to, next.from)) +
        Math.max(0, Math.min(range.from, next.to) - next.from),
      isAll: next.from === wanted.from && next.to === wanted.to,
    };
  };
  useLayoutEffect(() => {
    if (!isWindowed) return;
    const scroll = list.current?.closest<HTMLElement>('.scroll');
    const own: Look = (most) => look.current(most);
    windows.add(own);
    const lookAnew = () => {
      measured.current = undefined;
      lookAll(Infinity);
    };
    lookAnew();
    // One listener for all lists of a screen, however often it is added.
    scroll?.addEventListener('scroll', lookSoon, { passive: true });
    const observer = new ResizeObserver(lookAnew);
    if (scroll) observer.observe(scroll);
    const print = ({ type }: Event) => setPrinted(type === 'beforeprint');
    addEventListener('beforeprint', print);
    addEventListener('afterprint', print);
    return () => {
      removeEventListener('beforeprint', print);
      removeEventListener('afterprint', print);
      windows.delete(own);
      if (windows.size === 0) scroll?.removeEventListener('scroll', lookSoon);
      observer.disconnect();
    };
  }, [isWindowed, ids.length]);

  // A row that should have the focus is scrolled to first, so that it is there.
  useLayoutEffect(
    () =>
      effect(() => {
        const { value: wanted } = wantedFocus;
        if (wanted === undefined || !isWindowed) return;
        const at = ids.indexOf(wanted);
        if (at === -1 || (at >= range.from && at < range.to)) return;
        const scroll = list.current?.closest<HTMLElement>('.scroll');
        if (!list.current || !scroll) return;
        scroll.scrollTop = list.current.offsetTop + at * range.height - scroll.clientHeight / 2;
        look.current(Infinity)?.draw();
      }),
    [isWindowed, ids, range],
  );
  // On paper there are all of them.
  if (isPrinted) return { ...range, from: 0, to: ids.length };
  return { ...range, to: Math.min(range.to, ids.length), from: Math.min(range.from, ids.length) };
}
