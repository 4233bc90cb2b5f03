import type { WaitingAct } from '../data/waiting-acts.ts';
import { Button, Tool } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { sync } from './frame-view.ts';
import type { OverlayProps } from './overlays.tsx';
import { useUserData } from './store.ts';
import { timeAt } from './sync-status.tsx';

/** What waits to be sent, and what was rejected: each can be tried again, or dropped. */
export function WaitingChanges({ onClose }: OverlayProps) {
  const { store } = useUserData();
  const acts = store.waiting.all.value;
  const { heldUntil, waiting } = sync.value;
  return (
    <Dialog label="Waiting changes" onClose={onClose}>
      <header class="dialog-head">
        <h2>Waiting changes</h2>
        <Tool class="push" icon="close" label="Close" onClick={onClose} />
      </header>
      {acts.length === 0 && <p class="block quiet">Everything has reached the server.</p>}
      {heldUntil !== null && waiting > 0 && (
        <p class="block quiet">The server asks to wait until {timeAt(heldUntil)}: then they are sent.</p>
      )}
      <ul class="waiting">
        {acts.map((act) => (
          <WaitingItem key={act.act} act={act} />
        ))}
      </ul>
    </Dialog>
  );
}

function WaitingItem({ act }: { act: WaitingAct }) {
  const { store } = useUserData();
  const { name, why, changes } = act;
  const typed = changes.flatMap(({ fields }) => [fields.title, fields.description, fields.body]);
  // What the name quotes is there to be read already.
  const mine = typed.filter((text) => typeof text === 'string' && !name.includes(text)).join('\n\n');
  return (
    <li aria-label={name}>
      <div>
        <p dir="auto">{name}</p>
        {why && (
          <p class="error">
            <Icon name="warning" small />
            {why.issues[0]?.message ?? why.message}
          </p>
        )}
        {why && mine !== '' && (
          <details open>
            <summary>Your text</summary>
            <p class="prose" dir="auto">
              {mine}
            </p>
          </details>
        )}
      </div>
      <div class="line push">
        <Button onClick={() => void store.waiting.retry(act)}>Retry</Button>
        <Button class="plain" onClick={() => void store.waiting.drop(act)}>
          Drop
        </Button>
      </div>
    </li>
  );
}
