import type { IconName, ShapeName } from './icons.ts';

/** A shape of lucide, which the document holds; never the only name of anything. */
export const Icon = ({ name, small = false }: { name: IconName; small?: boolean }) => (
  <svg class={small ? 'icon small' : 'icon'} aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
);

/** One of our own shapes, sized by its class. */
export const Shape = ({ name, class: className }: { name: ShapeName; class?: string }) => (
  <svg class={className} aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
);
