import { effect } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { wantedFocus } from './current.ts';
import { nextRange, type RowRange } from './row-window.ts';

/** Longer lists are windowed, and begin with as many as a screen may show. */
const WHOLE = 80;
const FIRST = 40;
const BEYOND = 16;
/** So many rows come and go at once: few, since each frame has little time. */
const STEP = 4;
const step = (row: number): number => Math.floor(row / STEP) * STEP;

/** Most rows that one frame of scrolling completes, in all lists together; the rest follow in the next frames. */
const MAX_NEW = 8;
/** None is completed while they pass faster than anyone reads: a screen of them in a quarter of a second. */
const PASSING_PX_PER_MS = 3;

const isEqual = (a: RowRange, b: RowRange): boolean => a.from === b.from && a.to === b.to;

/** Looks what a list should draw next: draws it, and tells how many rows it completes and whether those are all. */
type Look = (most: number) => { draw(): unknown; added: number; isAll: boolean } | undefined;

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
let top = 0;
let seen = { top, at: 0 };
const lookOn = (at: number): void => {
  const before = seen;
  seen = { top, at };
  const isPassing = Math.abs(top - before.top) > (at - before.at) * PASSING_PX_PER_MS;
  lookAll(isPassing ? 0 : MAX_NEW);
};
/** Once in a frame, whatever asks for it. */
const lookSoon = ({ currentTarget }: Event): void => {
  top = (currentTarget as HTMLElement).scrollTop;
  followUp ||= requestAnimationFrame(lookOn);
};

/**
 * Which rows of a list to draw, those in sight and some beyond, and which of them are complete. All rows have one
 * height.
 */
export function useRowWindow(list: { current: HTMLUListElement | null }, ids: readonly string[]) {
  const isWindowed = ids.length > WHOLE;
  const [range, setRange] = useState({ from: 0, to: FIRST, complete: { from: 0, to: FIRST }, height: 36 });
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
    const complete = nextRange(range.complete, wanted, inSight, most);
    const isSame = isEqual(range, wanted) && isEqual(range.complete, complete) && range.height === height;
    return {
      draw: () => isSame || setRange({ ...wanted, complete, height }),
      added:
        Math.max(0, complete.to - Math.max(range.complete.to, complete.from)) +
        Math.max(0, Math.min(range.complete.from, complete.to) - complete.from),
      isAll: isEqual(complete, wanted),
    };
  };
  useLayoutEffect(() => {
    if (!isWindowed) return;
    const scroll = list.current?.closest<HTMLElement>('.scroll');
    const own: Look = (most) => look.current(most);
    windows.add(own);
    const lookAgain = () => {
      measured.current = undefined;
      lookAll(Infinity);
    };
    lookAgain();
    // One listener for all lists of a screen, however often it is added.
    scroll?.addEventListener('scroll', lookSoon, { passive: true });
    const observer = new ResizeObserver(lookAgain);
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
        if (at === -1 || (at >= range.complete.from && at < range.complete.to)) return;
        const scroll = list.current?.closest<HTMLElement>('.scroll');
        if (!list.current || !scroll) return;
        scroll.scrollTop = list.current.offsetTop + at * range.height - scroll.clientHeight / 2;
        look.current(Infinity)?.draw();
      }),
    [isWindowed, ids, range],
  );
  // On paper there are all of them.
  const all = { from: 0, to: ids.length };
  if (isPrinted || !isWindowed) return { ...range, ...all, complete: all, isWindowed };
  const [from, to] = [Math.min(range.from, ids.length), Math.min(range.to, ids.length)];
  return { ...range, isWindowed, from, to };
}
