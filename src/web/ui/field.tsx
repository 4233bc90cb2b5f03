import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { oneLine } from '../text/titles.ts';
import { Tool } from './button.tsx';
import { Icon } from './icon.tsx';

interface Props {
  label: string;
  name: string;
  type?: 'text' | 'email' | 'password' | 'date' | 'time';
  value: string;
  autocomplete?: string;
  inputMode?: 'numeric';
  required?: boolean;
  autoFocus?: boolean;
  disabled?: boolean;
  /** What the server or the form says is wrong with it. */
  error?: string | undefined;
  hint?: string | undefined;
  onInput(value: string): void;
}

/** A labelled input with its hint and what is wrong with it. */
export function Field({ label, error, hint, type = 'text', onInput, ...input }: Props) {
  const id = useId();
  const [isShown, setShown] = useState(false);
  const ref = useRef<HTMLInputElement>(null);
  // A browser does so only where the page begins with it.
  useLayoutEffect(() => {
    if (input.autoFocus) ref.current?.focus();
  }, []);
  const isPassword = type === 'password';
  const note = error ? `${id}-error` : hint ? `${id}-hint` : undefined;
  return (
    <div class="field">
      <label class="name" for={id}>
        {label}
      </label>
      <span class={error ? 'input wrong' : 'input'}>
        <input
          {...input}
          ref={ref}
          id={id}
          // Preact's types ask for one known type each.
          type={(isPassword && isShown ? 'text' : type) as 'text'}
          {...(error && { 'aria-invalid': 'true' })}
          aria-describedby={note}
          onInput={({ currentTarget: { value } }) => onInput(isPassword ? value : oneLine(value))}
        />
        {isPassword && (
          <Tool
            icon={isShown ? 'eye-off' : 'eye'}
            label="Show what is typed"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          />
        )}
      </span>
      {error && (
        <p class="error" id={`${id}-error`}>
          <Icon name="warning" small />
          {error}
        </p>
      )}
      {hint && !error && (
        <p class="quiet" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}
