import type { ComponentChildren } from 'preact';
import { Dialog } from './dialog.tsx';

interface Props {
  title: string;
  /** What the button that does it says. */
  yes: string;
  onYes(): void;
  onClose(): void;
  children: ComponentChildren;
}

/** Asks before something that has no way back. */
export const Ask = ({ title, yes, onYes, onClose, children }: Props) => (
  <Dialog label={title} class="small" onClose={onClose}>
    <div class="block">
      <h2>{title}</h2>
      <div class="prose">{children}</div>
    </div>
    <div class="line actions">
      <button type="button" class="button push" onClick={onClose}>
        Cancel
      </button>
      <button type="button" class="button main danger" onClick={onYes}>
        {yes}
      </button>
    </div>
  </Dialog>
);
