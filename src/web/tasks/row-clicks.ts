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
 * For a list of rows or cards: a click beside the controls of a row does what a click on its link does. A layer of the
 * link over the whole row would do the same, but all rows would be painted in each frame of scrolling.
 */
export const rowClicks = {
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
