import type { ButtonHTMLAttributes } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

type Props = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'class'> & {
  /** How it looks and where it stands, besides being a button. */
  class?: string;
};

/** A button with words, behind an icon where one is given. */
export const Button = ({ class: more, icon, isSmall = false, children, ...button }: ButtonProps) => (
  <button type="button" class={more ? `button ${more}` : 'button'} {...button}>
    {icon && <Icon name={icon} small={isSmall} />}
    {children}
  </button>
);

interface ButtonProps extends Props {
  icon?: IconName;
  isSmall?: boolean;
}

/** A button that is an icon. */
export const Tool = ({ class: more, icon, isSmall = false, label, ...button }: ToolProps) => (
  <button type="button" class={more ? `tool ${more}` : 'tool'} aria-label={label} {...button}>
    <Icon name={icon} small={isSmall} />
  </button>
);

interface ToolProps extends Props {
  icon: IconName;
  isSmall?: boolean;
  label: string;
}
