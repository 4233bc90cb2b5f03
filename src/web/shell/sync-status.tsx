import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { isFirstLoad, sync } from './frame-view.ts';
import { openWaitingChanges } from './overlays.tsx';

/** How things stand with the server, in a word; with a way to what waits. */
export function SyncStatus() {
  const { text, waiting, notSaved } = sync.value;
  // Until the first load is over, nothing is said of being in step.
  const isKnown = text !== 'Synced' || !isFirstLoad.value;
  return (
    <div class="sync" role="status">
      {isKnown && <Icon name={iconOf(text)} />}
      <span>{isKnown && text}</span>
      {waiting + notSaved > 0 && (
        <>
          {' '}
          <Button class="plain" onClick={openWaitingChanges}>
            Waiting changes
          </Button>
        </>
      )}
    </div>
  );
}

function iconOf(text: string): IconName {
  if (text.startsWith('Not saved')) return 'warning';
  if (text.startsWith('Sending')) return 'sending';
  return text.startsWith('Synced') ? 'synced' : 'offline';
}
