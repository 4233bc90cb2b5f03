import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface Question {
  title: string;
  /** What the button that does it says, where that is not the title. */
  yes?: string;
  words: ComponentChildren;
  run(): void;
}

/** For what has no way back: asks before it is done, and shows the question while it is open. */
export function useAsk() {
  const [asked, ask] = useState<Question>();
  return [ask, asked && <Ask {...asked} onClose={() => ask(undefined)} />] as const;
}

const Ask = ({ title, yes = title, words, run, onClose }: Question & { onClose(): void }) => (
  <Dialog label={title} class="small" onClose={onClose}>
    <div class="block">
      <h2>{title}</h2>
      <div class="prose">{words}</div>
    </div>
    <div class="line actions">
      <Button class="push" onClick={onClose}>
        Cancel
      </Button>
      <Button
        class="main danger"
        onClick={() => {
          onClose();
          run();
        }}
      >
        {yes}
      </Button>
    </div>
  </Dialog>
);
