import type { ComponentChildren } from 'preact';

/** What people wrote: in a direction of its own, cut where the room for it ends. */
export const Cut = ({ children }: { children: ComponentChildren }) => (
  <span class="cut" dir="auto">
    {children}
  </span>
);
