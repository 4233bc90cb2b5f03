import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Mentionable, mentionAt, mentionChoices } from '../text/mentions.ts';
import { Avatar } from '../ui/avatar.tsx';
import { isComposing } from '../ui/composing.ts';
import { Cut } from '../ui/cut.tsx';
import { grow } from './panel-title.tsx';

interface Props {
  label: string;
  class?: string;
  text: string;
  /** Whom `@` can name. */
  people: readonly Mentionable[];
  hasFocus?: boolean;
  onText(text: string): void;
  onSend(): void;
  onEscape(): void;
}

/** The text of a comment; behind `@` people are offered. */
export function CommentField({ label, class: className, text, people, hasFocus, ...on }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  const [closedAt, setClosedAt] = useState<number>();
  const begun = mentionAt(text, caret);
  const found = begun && begun.start !== closedAt ? mentionChoices(begun.query, people) : [];
  useLayoutEffect(() => {
    if (hasFocus) field.current?.focus();
  }, []);
  /** With what is around it: a browser shows no more than the line that is written. */
  const showWhole = () => field.current?.closest('form')?.scrollIntoView({ block: 'nearest' });
  useLayoutEffect(() => {
    grow(field.current);
    if (document.activeElement === field.current) showWhole();
  }, [text]);
  const take = (person: Mentionable | undefined) => {
    if (!person || !begun || !field.current) return;
    const before = `${text.slice(0, begun.start)}@${person.name} `;
    const next = before + text.slice(caret).replace(/^ /, '');
    on.onText(next);
    setCaret(before.length);
    const { current } = field;
    current.value = next;
    current.focus();
    current.setSelectionRange(before.length, before.length);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return;
    const { key } = event;
    const isCommand = event.ctrlKey || event.metaKey;
    if (key === 'Enter' && isCommand) on.onSend();
    else if (found.length > 0 && (key === 'ArrowDown' || key === 'ArrowUp'))
      setActive((active + (key === 'ArrowDown' ? 1 : -1) + found.length) % found.length);
    else if (found.length > 0 && (key === 'Enter' || key === 'Tab') && !event.shiftKey) take(found[active]);
    else if (key === 'Escape' && found.length > 0) setClosedAt(begun?.start);
    else if (key === 'Escape') on.onEscape();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="comment-field">
      <textarea
        ref={field}
        class={className}
        rows={1}
        aria-label={label}
        aria-autocomplete="list"
        aria-controls={found.length > 0 ? id : undefined}
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
        placeholder={label}
        dir="auto"
        maxLength={20_000}
        value={text}
        onInput={(event) => {
          on.onText(event.currentTarget.value);
          setCaret(event.currentTarget.selectionStart);
          setActive(0);
        }}
        onFocus={showWhole}
        onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
      />
      {found.length > 0 && (
        <div class="mentions menu" role="listbox" id={id} aria-label="People">
          {found.map((person, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field
            // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
            <div
              key={person.userId}
              id={`${id}-${index}`}
              class={index === active ? 'option active' : 'option'}
              role="option"
              aria-selected={index === active}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => take(person)}
            >
              <Avatar id={person.userId} name={person.name} isDecoration />
              <Cut>{person.name}</Cut>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
