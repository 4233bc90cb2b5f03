import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { rank } from '../text/match.ts';
import { oneLine } from '../text/titles.ts';
import { isComposing } from './composing.ts';
import { Cut } from './cut.tsx';
import { Icon } from './icon.tsx';
import { type Point, usePopover } from './popover.ts';
import { useTypeAhead } from './type-ahead.ts';

export interface Option {
  id: string;
  title: string;
  /** What stands before its title. */
  mark?: ComponentChildren;
  /** What stands at its end. */
  note?: string | undefined;
  isChosen?: boolean;
  /** The heading it stands under. */
  group?: string | undefined;
}

interface Props {
  label: string;
  options: readonly Option[];
  anchor: HTMLElement | null;
  at: Point | undefined;
  /** Offers a field that narrows the options. */
  hasFilter: boolean;
  /** What stands in place of options where there are none. */
  hint: string | undefined;
  /** Several can be chosen. */
  isMultiple: boolean;
  /** After a choice, for the next one. */
  staysOpen: boolean;
  /** What could be made of what is typed, where no option has that title. */
  offer: ((typed: string) => Option | null) | undefined;
  onChoose(id: string, typed: string): void;
  onClose(): void;
}

/** Options in the top layer beside what asked for them. Escape and a click elsewhere close it. */
export function Listbox(props: Props) {
  const { label, options, anchor, at, hasFilter, hint, isMultiple, staysOpen, offer, onChoose } = props;
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState('');
  const chosen = options.findIndex(({ isChosen }) => isChosen);
  const [active, setActive] = useState(isMultiple ? 0 : Math.max(0, chosen));
  const found = useMemo(() => {
    const wanted = typed.trim();
    if (wanted === '') return [...options];
    const extra = offer?.(wanted);
    return [...rank(wanted, options, ({ title }) => title), ...(extra ? [extra] : [])];
  }, [typed, options, offer]);

  const { ref, close, onToggle } = usePopover(anchor, at, props.onClose, (popover) => {
    (hasFilter ? popover.querySelector('input') : list.current)?.focus();
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'center' });
  });
  const choose = (option: Option | undefined) => {
    if (!option) return;
    onChoose(option.id, typed.trim());
    if (!staysOpen) close();
    else if (typed !== '') {
      setTyped('');
      setActive(
        Math.max(
          0,
          options.findIndex(({ id }) => id === option.id),
        ),
      );
    }
  };
  useLayoutEffect(
    () => list.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' }),
    [typed],
  );
  const move = (to: number) => {
    const next = (to + found.length) % Math.max(1, found.length);
    setActive(next);
    list.current?.querySelector(`[id="${id}-${next}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const findTyped = useTypeAhead();
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    if (event.key === 'ArrowDown') move(active + 1);
    else if (event.key === 'ArrowUp') move(active - 1);
    else if (event.key === 'Home' && !hasFilter) move(0);
    else if (event.key === 'End' && !hasFilter) move(found.length - 1);
    else if (event.key === 'Enter') choose(found[active]);
    else if (event.key === 'Escape' || event.key === 'Tab') close();
    else if (!hasFilter && event.key.length === 1 && !event.ctrlKey && !event.metaKey) {
      const next = findTyped(event, found, active);
      const digit = Number(event.key);
      if (next !== -1) move(next);
      else if (digit >= 1 && digit <= found.length) choose(found[digit - 1]);
      else if (event.key === ' ') choose(found[active]);
    } else return;
    if (event.key !== 'Tab') event.preventDefault();
    event.stopPropagation();
  };
  const listboxId = `${id}-list`;
  const activeId = found.length > 0 ? `${id}-${Math.min(active, found.length - 1)}` : undefined;
  let group: string | undefined;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its field or listbox has the focus
    <div ref={ref} class="popover picker" popover="auto" onKeyDown={onKeyDown} onToggle={onToggle}>
      {hasFilter && (
        <input
          class="picker-filter"
          type="text"
          role="combobox"
          aria-label={label}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={listboxId}
          aria-activedescendant={activeId}
          placeholder={label}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => {
            setTyped(oneLine(event.currentTarget.value));
            setActive(0);
          }}
        />
      )}
      <div
        ref={list}
        id={listboxId}
        class="menu"
        role="listbox"
        aria-label={label}
        aria-multiselectable={isMultiple ? 'true' : undefined}
        aria-activedescendant={hasFilter ? undefined : activeId}
        tabIndex={hasFilter ? -1 : 0}
      >
        {found.map((option, index) => {
          const head = option.group !== group ? option.group : undefined;
          // Headings would break up what is found.
          const note = option.note ?? (typed === '' ? undefined : option.group);
          group = option.group;
          return (
            <>
              {head && typed === '' && (
                <div class="menu-head" role="presentation">
                  {head}
                </div>
              )}
              {/* biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field or listbox */}
              {/* biome-ignore lint/a11y/useFocusableInteractive: the field or listbox has the focus */}
              <div
                key={option.id}
                id={`${id}-${index}`}
                class={index === active ? 'option active' : 'option'}
                role="option"
                aria-selected={option.isChosen ?? false}
                onPointerMove={() => index !== active && setActive(index)}
                // The field keeps the focus, for what is typed next.
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => choose(option)}
              >
                {option.mark}
                <Cut>{option.title}</Cut>
                {(note ?? option.isChosen) && (
                  <span class="push">
                    {note}
                    {option.isChosen && <Icon name="check" small />}
                  </span>
                )}
              </div>
            </>
          );
        })}
      </div>
      {found.length === 0 && (
        <p class="nothing quiet" role="status">
          {typed.trim() === '' ? (hint ?? 'There is nothing to choose.') : 'Nothing has these letters.'}
        </p>
      )}
    </div>
  );
}
