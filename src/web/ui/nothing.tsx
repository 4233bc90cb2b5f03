import type { ComponentChildren } from 'preact';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

interface Props {
  icon: IconName;
  class?: string;
  /** Below the sentence: the way on. */
  action?: ComponentChildren;
  children: ComponentChildren;
}

/** Where a screen has nothing to show, in place of its content: why, in a sentence. */
export const Nothing = ({ icon, class: className = '', action, children }: Props) => (
  <div class={`empty nothing-here ${className}`}>
    <Icon name={icon} />
    <p>{children}</p>
    {action}
  </div>
);
