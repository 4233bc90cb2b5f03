import { useId } from 'preact/hooks';
import { Icon } from './icon.tsx';

export interface Choice {
  value: string;
  title: string;
}

/** Choices of what has a name each. */
export const choicesOf = (names: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(names).map(([value, title]) => ({ value, title }));

interface Props {
  label: string;
  value: string;
  options: readonly Choice[];
  onChange(value: string): void;
}

/** A labelled choice of one. */
export function Select({ label, value, options, onChange }: Props) {
  const id = useId();
  return (
    <div class="field">
      <label class="name" for={id}>
        {label}
      </label>
      <span class="input">
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.title}
            </option>
          ))}
        </select>
        <Icon name="down" small />
      </span>
    </div>
  );
}
