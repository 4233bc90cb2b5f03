import { plainTime } from '../text/say-dates.ts';
import { localOf } from '../text/zones.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { zone } from './clock.ts';
import { isFirstLoad, sync } from './frame-view.ts';
import { openWaitingChanges } from './overlays.tsx';

/** How things stand with the server, in a word; with a way to what waits. */
export function SyncStatus() {
  const { text, waiting, notSaved, heldUntil } = sync.value;
  // Until the first load is over, nothing is said of being in step.
  const isKnown = text !== 'Synced' || !isFirstLoad.value;
  return (
    <div class="sync" role="status">
      {isKnown && <Icon name={iconOf(text)} />}
      <span>
        {isKnown && text}
        {text.startsWith('Sending') &&
          heldUntil !== null &&
          ` at ${timeAt(heldUntil)}: the server asks to wait`}
      </span>
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

/** The next full minute, as it is read from a clock. */
export function timeAt(instant: number): string {
  const minute = Math.ceil(instant / 60_000) * 60_000;
  return plainTime(localOf(minute, zone.value).time);
}

function iconOf(text: string): IconName {
  if (text.startsWith('Not saved')) return 'warning';
  if (text.startsWith('Sending')) return 'sending';
  return text.startsWith('Synced') ? 'synced' : 'offline';
}
