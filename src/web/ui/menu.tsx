import type { ComponentChildren } from 'preact';
import { useId, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';
import { Keycaps } from './keycaps.tsx';
import { type Point, usePopover } from './popover.ts';
import { useTypeAhead } from './type-ahead.ts';

export interface MenuItem {
  title: string;
  icon?: IconName;
  binding?: string;
  /** Of several, the one that is chosen; where it is set, the item is a radio item. */
  isChosen?: boolean;
  isDisabled?: boolean;
  /** A line above it. */
  startsGroup?: boolean;
  /** What it does takes something away. */
  isDanger?: boolean;
  run(): void;
}

/** The entries of a row's menu that move it: `put` takes its place among `count`. */
export const moveItems = (at: number, count: number, put: (index: number) => void): MenuItem[] => [
  { title: 'Move up', icon: 'up', binding: 'alt+ArrowUp', isDisabled: at <= 0, run: () => put(at - 1) },
  {
    title: 'Move down',
    icon: 'down',
    binding: 'alt+ArrowDown',
    isDisabled: at >= count - 1,
    run: () => put(at + 1),
  },
];

interface Props {
  /** The button's name, where its children do not give it. */
  label?: string;
  class?: string;
  /** Asked for when it opens, where they depend on the moment. */
  items: readonly MenuItem[] | (() => readonly MenuItem[]);
  children: ComponentChildren;
}

/** A button and its menu, in the top layer; arrows, Home, End and first letters move, Escape returns to the button. */
export function MenuButton({ label, class: className, items, children }: Props) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [isOpen, setOpen] = useState(false);
  const wasOpen = useRef(false);
  return (
    <>
      <button
        ref={button}
        type="button"
        class={className}
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onPointerDown={() => {
          // Pressing the button closes the menu already, as pressing anywhere else does.
          wasOpen.current = isOpen;
        }}
        onClick={() => {
          setOpen(!isOpen && !wasOpen.current);
          wasOpen.current = false;
        }}
        onKeyDown={(event) => {
          if ((event.key !== 'ArrowDown' && event.key !== 'ArrowUp') || event.altKey) return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {children}
      </button>
      {isOpen && (
        <Menu
          id={id}
          anchor={button.current}
          items={typeof items === 'function' ? items() : items}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** A menu behind three dots. */
export const MoreButton = ({ label = 'More', class: more, items }: Omit<Props, 'children'>) => (
  <MenuButton class={more ? `tool ${more}` : 'tool'} label={label} items={items}>
    <Icon name="more" />
  </MenuButton>
);

interface MenuProps {
  id?: string;
  /** Its name, where that is not the anchor's. */
  label?: string;
  anchor: HTMLElement | null;
  /** Where the pointer asked for it. */
  at?: Point | undefined;
  items: readonly MenuItem[];
  onClose(): void;
}

/** A menu that is open. */
export function Menu({ id, label, anchor, at, items, onClose }: MenuProps) {
  const { ref, close, onToggle } = usePopover(anchor, at, onClose, (menu) => itemsIn(menu)[0]?.focus());
  const findTyped = useTypeAhead();
  const onKeyDown = (event: KeyboardEvent) => {
    const all = ref.current ? itemsIn(ref.current) : [];
    const at = all.findIndex((item) => item.matches(':focus'));
    const isLetter = event.key.length === 1 && event.key !== ' ';
    const next = isLetter ? findTyped(event, items, at) : nextIndex(event.key, at, all.length);
    if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (next === undefined) return;
    else all[next]?.focus();
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={ref}
      id={id}
      class="menu popover"
      role="menu"
      popover="auto"
      tabIndex={-1}
      aria-label={label ?? anchor?.getAttribute('aria-label') ?? anchor?.textContent ?? ''}
      onKeyDown={onKeyDown}
      onToggle={onToggle}
    >
      {items.map((item) => (
        <button
          key={item.title}
          type="button"
          class={`option${item.startsGroup ? ' starts-group' : ''}${item.isDanger ? ' danger' : ''}`}
          {...(item.isChosen === undefined
            ? { role: 'menuitem' }
            : { role: 'menuitemradio', 'aria-checked': item.isChosen })}
          aria-disabled={item.isDisabled ? 'true' : undefined}
          tabIndex={-1}
          onClick={() => {
            if (item.isDisabled) return;
            close();
            item.run();
          }}
        >
          {item.icon && <Icon name={item.icon} />}
          <span dir="auto">{item.title}</span>
          {item.isChosen && (
            <span class="push">
              <Icon name="check" small />
            </span>
          )}
          {item.binding && (
            <span class="push">
              <Keycaps binding={item.binding} />
            </span>
          )}
        </button>
      ))}
    </div>
  );
}

const itemsIn = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLElement>('[role^="menuitem"]')];

/** Where a key leads within a menu; undefined where the key means nothing there. */
function nextIndex(key: string, at: number, length: number): number | undefined {
  if (length === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % length;
  if (key === 'ArrowUp') return (at - 1 + length) % length;
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  return undefined;
}
