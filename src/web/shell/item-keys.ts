import { moving, useCommands } from './commands.ts';
import { controlsIn } from './focus-keeper.ts';

/** The keys that move through the items of a screen that are no tasks. */
export function useItemKeys(): void {
  useCommands(
    () => [
      { ...moving('next-item', 'Next', 'j', () => move(1)), keys: ['j', 'ArrowDown'] },
      { ...moving('previous-item', 'Previous', 'k', () => move(-1)), keys: ['k', 'ArrowUp'] },
    ],
    [],
  );
}

/** To the same control of a neighbour; from elsewhere to the first or last item. */
function move(by: number): void {
  const items = [...document.querySelectorAll('main .scroll > ul > li')];
  const { activeElement } = document;
  const from = items.findIndex((item) => item.contains(activeElement));
  const at = from === -1 ? -1 : controlsIn(items[from] as Element).indexOf(activeElement as HTMLElement);
  const next = from === -1 ? items.at(by > 0 ? 0 : -1) : items[from + by];
  const controls = next ? controlsIn(next) : [];
  (controls[at] ?? controls[0])?.focus();
}
