import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { orderKeys, useCommands } from '../../shell/commands.ts';
import { Icon } from '../../ui/icon.tsx';
import { indexAt } from '../../ui/index-at.ts';
import { useOver } from '../../ui/use-over.ts';

interface Props<T> {
  label: string;
  /** What it holds; what is dragged may come from another list of the same kind. */
  kind: string;
  rows: readonly T[];
  isFixed: boolean;
  class?: string;
  /** Puts a thing before what is at `index` among the others. */
  onMove(id: string, index: number): void;
  children(row: T, index: number): ComponentChildren;
}

/** What is being dragged: its data cannot be read before it is dropped. */
let dragged: { kind: string; id: string } | undefined;

const movers = new WeakMap<Element, (id: string, by: number) => void>();

/** The keys that move the row with the focus, on a screen of ordered lists. */
export function useOrderKeys(): void {
  const move = (by: number) => () => {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]');
    const list = row?.closest('ul');
    if (row?.dataset.row && list) movers.get(list)?.(row.dataset.row, by);
  };
  useCommands(() => orderKeys(move).map((command) => ({ ...command, whileTyping: true })), []);
}

/** Rows whose order a person decides: by `useOrderKeys`, and by a handle that is dragged. */
export function OrderedList<T extends { id: string }>(props: Props<T>) {
  const { label, kind, rows, isFixed, class: className = '', onMove, children } = props;
  const list = useRef<HTMLUListElement>(null);
  const focused = useRef<{ row: string; index: number } | undefined>(undefined);
  const [over, setOver] = useOver<number>();

  const move = (id: string, by: number) => {
    const index = rows.findIndex((row) => row.id === id) + by;
    if (isFixed || index < 0 || index >= rows.length) return;
    onMove(id, index);
  };
  // The browser takes the focus from a row that is put elsewhere, or made again.
  useLayoutEffect(() => {
    if (list.current) movers.set(list.current, move);
    const { current } = focused;
    if (!current || document.activeElement !== document.body) return;
    const row = list.current?.querySelector(`[data-row="${current.row}"]`);
    if (row) partsOf(row)[current.index]?.focus();
  });

  return (
    <ul
      ref={list}
      class={`ordered ${className}${over !== undefined && rows.length === 0 ? ' over' : ''}`}
      aria-label={label}
      onFocusCapture={({ target }) => {
        const row = target instanceof Element ? target.closest<HTMLElement>('[data-row]') : null;
        const index = row && target instanceof HTMLElement ? partsOf(row).indexOf(target) : -1;
        focused.current = row?.dataset.row && index >= 0 ? { row: row.dataset.row, index } : undefined;
      }}
      onBlurCapture={({ relatedTarget }) => {
        if (relatedTarget) focused.current = undefined;
      }}
      onDragOver={(event) => {
        if (isFixed || dragged?.kind !== kind) return;
        event.preventDefault();
        setOver(indexAt(event.currentTarget.children, event.clientY));
      }}
      onDragLeave={() => setOver(undefined)}
      onDrop={(event) => {
        if (isFixed || dragged?.kind !== kind) return;
        event.preventDefault();
        const { id } = dragged;
        const from = rows.findIndex((row) => row.id === id);
        const to = indexAt(event.currentTarget.children, event.clientY);
        setOver(undefined);
        if (from < 0) onMove(id, to);
        else if (to !== from && to !== from + 1) onMove(id, to > from ? to - 1 : to);
      }}
    >
      {rows.map((row, index) => (
        <li key={row.id} data-row={row.id} class={dropClass(over, index, rows.length)}>
          {!isFixed && (
            <span
              class="grip"
              draggable
              aria-hidden="true"
              onDragStart={(event) => {
                dragged = { kind, id: row.id };
                event.dataTransfer?.setData('text/plain', '');
                const item = event.currentTarget.closest('li');
                if (item) event.dataTransfer?.setDragImage(item, 0, item.clientHeight / 2);
              }}
              onDragEnd={() => {
                dragged = undefined;
              }}
            >
              <Icon name="grip" small />
            </span>
          )}
          {children(row, index)}
        </li>
      ))}
    </ul>
  );
}

const partsOf = (row: Element) => [...row.querySelectorAll<HTMLElement>('a, button, input, select')];

function dropClass(over: number | undefined, index: number, length: number): string | undefined {
  if (over === index) return 'drop-before';
  return over === length && index === length - 1 ? 'drop-after' : undefined;
}
