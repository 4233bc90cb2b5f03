import { effect } from '@preact/signals';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { wantedFocus } from './current.ts';
import { nextRange } from './row-window.ts';

/** Longer lists are windowed, and begin with as many as a screen may show. */
const WHOLE = 80;
const FIRST = 40;
const BEYOND = 16;
/** So many rows come and go at once: few, since each frame has little time. */
const STEP = 4;
const step = (row: number): number => Math.floor(row / STEP) * STEP;

/** Most rows that one frame of scrolling adds, in all lists together; the rest follow in the next frames. */
const MAX_NEW = 8;
/** The least, where frames take long. */
const MIN_NEW = 2;
const TOO_LONG_FRAME_MS = 45;
const LONG_FRAME_MS = 30;
const SHORT_FRAME_MS = 25;

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
  // A pause counts as a long frame too: the first frames of a scroll run code that is cold.
  if (took > TOO_LONG_FRAME_MS) most = Math.max(MIN_NEW, most >> 1);
  else if (took > LONG_FRAME_MS) most = Math.max(MIN_NEW, most - 1);
  else if (took < SHORT_FRAME_MS) most = Math.min(MAX_NEW, most + 1);
  lookAll(most);
};
/** Once in a frame, whatever asks for it. */
const lookSoon = (): void => {
  followUp ||= requestAnimationFrame(lookOn);
};

/** Which rows of a list to draw: those in sight, and some beyond. All rows have one height. */
export function useRowWindow(list: { current: HTMLUListElement | null }, ids: readonly string[]) {
  const isWindowed = ids.length > WHOLE;
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
        if (at === -1 || (at >= range.from && at < range.to)) return;
        const scroll = list.current?.closest<HTMLElement>('.scroll');
        if (!list.current || !scroll) return;
        scroll.scrollTop = list.current.offsetTop + at * range.height - scroll.clientHeight / 2;
        look.current(Infinity)?.draw();
      }),
    [isWindowed, ids, range],
  );
  // On paper there are all of them.
  if (isPrinted) return { ...range, isWindowed, from: 0, to: ids.length };
  const [from, to] = [Math.min(range.from, ids.length), Math.min(range.to, ids.length)];
  return { ...range, isWindowed, from, to };
}
