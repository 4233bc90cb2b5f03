import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Status } from '../data/rows.ts';
import { isOpen, openShelf, useShelf } from '../shell/store.ts';
import type { Day } from '../text/days.ts';
import { tasksOf } from './changes.ts';
import { focusRow, rowOf, showIds, wantedFocus } from './current.ts';
import { rowClicks } from './row-clicks.ts';
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
}

interface Props extends Omit<RowProps, 'id' | 'day' | 'at' | 'of' | 'showsPeople'> {
  groups: readonly TaskGroup[];
  /** Every task is one's own. */
  isMine?: boolean;
}

/** Groups of rows: what keys move through, and of which only what is in sight is there. */
export function TaskGroups({ groups, isMine, ...more }: Props) {
  const { workspaces, membersIn } = useShelf();
  const isShared = workspaces.ids.value.some((id) => membersIn(id).ids.value.length > 1);
  const rowProps = { ...more, showsPeople: isShared && !isMine };
  const ids = useMemo(() => groups.flatMap((group) => group.ids), [groups]);
  useFollowedFocus(ids);
  return (
    <>
      {groups.map((group) => (
        <Group key={group.key} group={group} rowProps={rowProps} />
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

function Group({
  group,
  rowProps,
}: {
  group: TaskGroup;
  rowProps: Omit<RowProps, 'id' | 'day' | 'at' | 'of'>;
}) {
  const id = useId();
  const { title, ids, status, day, count = ids.length, action, isPlain } = group;
  if (isPlain) return <Rows ids={ids} day={day} {...rowProps} />;
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
      <Rows ids={ids} day={day} {...rowProps} />
    </section>
  );
}

/** Longer lists are windowed, and begin with as many as a screen may show. */
const WHOLE = 80;
const FIRST = 40;
const BEYOND = 8;
/** So many rows come and go at once: few, since each frame has little time. */
const STEP = 4;
const step = (row: number): number => Math.floor(row / STEP) * STEP;

interface RowsProps extends Omit<RowProps, 'id' | 'at' | 'of'> {
  ids: readonly string[];
}

function Rows({ ids, ...rowProps }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const isWindowed = ids.length > WHOLE;
  const { from, to, height } = useWindow(list, ids, isWindowed);
  if (ids.length === 0) return null;
  const shown = isWindowed ? ids.slice(from, to) : ids;
  return (
    <ul
      {...rowClicks}
      class={rowProps.day && 'under-day'}
      ref={list}
      style={
        isWindowed
          ? { paddingTop: `${from * height}px`, paddingBottom: `${(ids.length - to) * height}px` }
          : { paddingTop: '', paddingBottom: '' }
      }
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

/** The windowed lists of the screen. All look before any of them renders: to look at a list is to lay it out. */
const windows = new Set<() => (() => void) | undefined>();
const lookAll = () => {
  const moves = Array.from(windows, (look) => look());
  for (const move of moves) move?.();
};

/** Which rows are in sight, and some beyond. All rows have one height. */
function useWindow(list: { current: HTMLUListElement | null }, ids: readonly string[], isWindowed: boolean) {
  const [range, setRange] = useState({ from: 0, to: FIRST, height: 36 });
  const look = useRef((): (() => void) | undefined => undefined);
  look.current = () => {
    const { current } = list;
    const scroll = current?.closest<HTMLElement>('.scroll');
    if (!current || !scroll) return undefined;
    const height = current.querySelector<HTMLElement>('.row')?.offsetHeight || 36;
    const top = scroll.scrollTop - current.offsetTop;
    const [first, last] = [Math.floor(top / height), Math.ceil((top + scroll.clientHeight) / height)];
    const from = Math.min(Math.max(0, step(first) - BEYOND), Math.max(0, ids.length - 1));
    const to = Math.min(ids.length, Math.max(step(last) + STEP + BEYOND, from + 1));
    const isSame = range.from === from && range.to === to && range.height === height;
    return isSame ? undefined : () => setRange({ from, to, height });
  };
  useLayoutEffect(() => {
    if (!isWindowed) return;
    const scroll = list.current?.closest<HTMLElement>('.scroll');
    const own = () => look.current();
    windows.add(own);
    lookAll();
    // One listener for all lists of a screen, however often it is added.
    scroll?.addEventListener('scroll', lookAll, { passive: true });
    const observer = new ResizeObserver(lookAll);
    if (scroll) observer.observe(scroll);
    return () => {
      windows.delete(own);
      if (windows.size === 0) scroll?.removeEventListener('scroll', lookAll);
      observer.disconnect();
    };
  }, [isWindowed, ids.length]);

  // A row that should have the focus is scrolled to first, so that it is there.
  const wanted = wantedFocus.value;
  useLayoutEffect(() => {
    if (wanted === undefined || !isWindowed) return;
    const at = ids.indexOf(wanted);
    if (at === -1 || (at >= range.from && at < range.to)) return;
    const scroll = list.current?.closest<HTMLElement>('.scroll');
    if (!list.current || !scroll) return;
    scroll.scrollTop = list.current.offsetTop + at * range.height - scroll.clientHeight / 2;
    look.current()?.();
  }, [wanted, isWindowed, ids, range]);
  return { ...range, to: Math.min(range.to, ids.length), from: Math.min(range.from, ids.length) };
}
