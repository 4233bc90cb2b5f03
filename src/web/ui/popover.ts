import { useLayoutEffect, useRef } from 'preact/hooks';
import { useClosedByBack } from './closed-by-back.ts';

/** A place in the window, in pixels. */
export interface Point {
  x: number;
  y: number;
}

/**
 * Shows an element in the top layer, beside its anchor or where the pointer asked for it; `begin` gives it the focus.
 * What had the focus has it again after `close`.
 */
export function usePopover(
  anchor: HTMLElement | null,
  at: Point | undefined,
  onClose: () => void,
  begin: (popover: HTMLElement) => void,
) {
  const ref = useRef<HTMLDivElement>(null);
  const before = useRef(document.activeElement);
  useLayoutEffect(() => {
    const { current } = ref;
    if (!current) return;
    current.showPopover();
    if (at) placeAtPoint(current, at);
    else if (anchor) placeAt(current, anchor);
    begin(current);
    return () => {
      if (current.matches(':popover-open')) current.hidePopover();
    };
  }, [anchor]);
  const close = () => {
    const element = before.current;
    onClose();
    if (element instanceof HTMLElement && element.isConnected) element.focus();
    else anchor?.focus();
  };
  useClosedByBack(close);
  const onToggle = ({ newState }: Pick<ToggleEvent, 'newState'>) => {
    // One that is gone tells of its closing late: it is not the next one's.
    if (newState === 'closed' && ref.current) onClose();
  };
  return { ref, close, onToggle };
}

const GAP = 4;

/** Where the pointer is, within the window. */
function placeAtPoint(popover: HTMLElement, { x, y }: Point): void {
  const { width, height } = popover.getBoundingClientRect();
  popover.style.left = `${Math.max(GAP, Math.min(x, innerWidth - width - GAP))}px`;
  popover.style.top = `${Math.max(GAP, Math.min(y, innerHeight - height - GAP))}px`;
}

/** Below its anchor, which it brings into sight, else above, else where the window has room for it. */
function placeAt(popover: HTMLElement, anchor: HTMLElement): void {
  anchor.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const from = anchor.getBoundingClientRect();
  const { width, height } = popover.getBoundingClientRect();
  const [below, above, last] = [from.bottom + GAP, from.top - GAP - height, innerHeight - GAP - height];
  const top = below <= last ? below : Math.max(GAP, above >= GAP ? above : last);
  // A row reaches into the margin: its box stands at the edge of the words.
  const edge = (anchor.querySelector('.box') ?? anchor).getBoundingClientRect();
  const isFromRight = getComputedStyle(anchor).direction === 'rtl' || edge.left + width + GAP > innerWidth;
  const left = Math.max(
    GAP,
    Math.min(isFromRight ? edge.right - width : edge.left, innerWidth - width - GAP),
  );
  popover.style.top = `${top}px`;
  popover.style.left = `${left}px`;
  popover.style.maxHeight = `${innerHeight - top - GAP}px`;
}
