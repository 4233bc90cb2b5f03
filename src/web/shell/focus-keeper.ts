import { focusedId, focusRow, shownIds } from '../tasks/current.ts';
import { isHeadingDue } from './navigation.ts';

const CONTROLS = 'a[href], button, input, select, textarea, [tabindex="0"]';
const MAX_RECENT = 20;

/** Where the focus is, and what stands around it: asked for once that is gone. */
interface FocusPosition {
  element: HTMLElement;
  region: Element | null;
  /** The list item or table row around it, with those beside it. */
  items: (Element | null | undefined)[];
  /** Which control of its item it is. */
  at: number;
}

let position: FocusPosition | undefined;
let recent: HTMLElement[] = [];

/**
 * Moves the focus when the element that had it leaves: the item it was in, the next one, what had the focus
 * before. Rows of tasks look after themselves, since scrolling takes them away too; after the last one it is the heading.
 */
export function startKeepingFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const item = target.closest('li, tr');
    position = {
      element: target,
      region: target.closest('dialog, aside, main, nav'),
      items: [item, item?.nextElementSibling, item?.previousElementSibling],
      at: item ? controlsIn(item).indexOf(target) : 0,
    };
    recent = [target, ...recent.filter((one) => one !== target && one.isConnected)].slice(0, MAX_RECENT);
  });
  new MutationObserver(() => {
    if (!position || position.element.isConnected || document.activeElement !== document.body) return;
    if (isHeadingDue()) return;
    const left = position;
    position = undefined;
    if (!left.element.closest('[data-task]')) moveFocusFrom(left);
    else if (!document.querySelector('[data-task]')) document.querySelector('h1')?.focus();
  }).observe(document.body, { childList: true, subtree: true });
}

function moveFocusFrom({ region, items, at }: FocusPosition): void {
  const scope = document.querySelector('dialog:modal') ?? (region?.isConnected ? region : document.body);
  for (const item of items) {
    if (!item?.isConnected) continue;
    const controls = controlsIn(item);
    const next = controls[at] ?? controls[0];
    if (next) {
      next.focus({ preventScroll: true });
      return;
    }
  }
  const row = focusedId.peek();
  if (scope === document.body && row !== undefined && shownIds.peek().includes(row)) {
    focusRow(row);
    return;
  }
  const before = recent.find((one) => one.isConnected && scope.contains(one) && one.checkVisibility());
  const last = before ?? scope.querySelector<HTMLElement>('h1, h2[tabindex]');
  last?.focus({ preventScroll: true });
}

/** What can have the focus within an item. */
export const controlsIn = (item: Element): HTMLElement[] => [...item.querySelectorAll<HTMLElement>(CONTROLS)];
