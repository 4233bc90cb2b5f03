import { focusedId, rowOf } from './current.ts';
import { openRowMenu } from './pickers.ts';

/** The link of the row or card that was clicked beside its controls. */
function linkBeside({ target }: MouseEvent): HTMLAnchorElement | null | undefined {
  if (!(target instanceof Element) || target.closest('a, button, input')) return null;
  return target.closest('[data-task]')?.querySelector<HTMLAnchorElement>('a.title');
}

const isInField = ({ target }: MouseEvent): boolean => target instanceof HTMLInputElement;

function hasSelectedText(row: Element | null): boolean {
  const selected = getSelection();
  return selected !== null && !selected.isCollapsed && row !== null && selected.containsNode(row, true);
}

/**
 * Fulfilled once the pointer that pressed a row is lifted. Where the press of the right button asks for a menu, as on
 * Linux and macOS, or a long touch, the browser would close that menu when the pointer is lifted beside it.
 */
let lifted: Promise<unknown> = Promise.resolve();

/**
 * For a list of rows or cards. A click beside the controls of a row does what a click on its link does; a layer of the
 * link over the whole row would do the same, but all rows would be painted in each frame of scrolling. The right button
 * opens the menu of a row, and the last that had the focus is noted.
 */
export const rowEvents = {
  onFocusCapture({ target }: FocusEvent): void {
    focusedId.value = rowOf(target as Element) ?? focusedId.peek();
  },
  onContextMenu(event: MouseEvent): void {
    const { target } = event;
    const row = target instanceof Element ? target.closest<HTMLElement>('[data-task]') : null;
    const id = rowOf(row);
    if (id === undefined || target instanceof HTMLInputElement || event.shiftKey) return;
    event.preventDefault();
    void lifted.then(() => openRowMenu([id], row, { x: event.clientX, y: event.clientY }));
  },
  onPointerDown(): void {
    lifted = new Promise((resolve) => {
      for (const end of ['pointerup', 'pointercancel']) {
        addEventListener(end, () => setTimeout(resolve), { once: true });
      }
    });
  },
  onMouseDown(event: MouseEvent): void {
    // The focus stays where a selection begins, and no text is selected up to here.
    const isExtending = event.shiftKey && !isInField(event);
    const wouldScroll = event.button === 1 && linkBeside(event);
    if (isExtending || wouldScroll) event.preventDefault();
  },
  onClick(event: MouseEvent): void {
    const link = linkBeside(event);
    if (!link || hasSelectedText(link.closest('[data-task]'))) return;
    if (!event.shiftKey) link.focus({ preventScroll: true });
    link.dispatchEvent(new MouseEvent('click', event));
  },
  onAuxClick(event: MouseEvent): void {
    const inNewTab = { bubbles: true, cancelable: true, ctrlKey: true, metaKey: true };
    if (event.button === 1) linkBeside(event)?.dispatchEvent(new MouseEvent('click', inNewTab));
  },
};
