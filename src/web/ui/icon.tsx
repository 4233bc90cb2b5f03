import type { IconName, ShapeName } from './icons.ts';

/** The sprite's name, set by the build; it lies beside the scripts. */
declare const SPRITE_FILE: string;

const sprite = new URL(SPRITE_FILE, import.meta.url).pathname;

/** A shape of lucide; never the only name of anything. */
export const Icon = ({ name, small = false }: { name: IconName; small?: boolean }) => (
  <svg class={small ? 'icon small' : 'icon'} aria-hidden="true">
    <use href={`${sprite}#${name}`} />
  </svg>
);

/** One of our own shapes, sized by its class. */
export const Shape = ({ name, class: className }: { name: ShapeName; class?: string }) => (
  <svg class={className} aria-hidden="true">
    <use href={`${sprite}#${name}`} />
  </svg>
);
