import type { ComponentChildren } from 'preact';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface Props {
  title: string;
  /** What the button that does it says. */
  yes: string;
  onYes(): void;
  onClose(): void;
  children: ComponentChildren;
}

/** Asks before something that has no way back, and is closed before that is done. */
export const Ask = ({ title, yes, onYes, onClose, children }: Props) => (
  <Dialog label={title} class="small" onClose={onClose}>
    <div class="block">
      <h2>{title}</h2>
      <div class="prose">{children}</div>
    </div>
    <div class="line actions">
      <Button class="push" onClick={onClose}>
        Cancel
      </Button>
      <Button
        class="main danger"
        onClick={() => {
          onClose();
          onYes();
        }}
      >
        {yes}
      </Button>
    </div>
  </Dialog>
);
