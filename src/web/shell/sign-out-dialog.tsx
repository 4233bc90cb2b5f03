import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { sync } from './frame-view.ts';
import { type OverlayProps, signOutNow } from './overlays.tsx';

/** Asked where changes were not sent yet: they would be lost with everything else on this device. */
export function SignOutDialog({ onClose }: OverlayProps) {
  const { waiting, notSaved } = sync.value;
  const unsent = waiting + notSaved;
  const who = unsent === 1 ? 'One change has' : `${unsent} changes have`;
  return (
    <Dialog label="Sign out" class="small" onClose={onClose}>
      <div class="block">
        <h2>Sign out</h2>
        <p class="prose">
          {unsent === 0
            ? 'Everything has reached the server.'
            : `${who} not reached the server. Signing out removes them from this device.`}
        </p>
      </div>
      <div class="line actions">
        <Button class="push" onClick={onClose}>
          Stay
        </Button>
        <Button
          class="main"
          onClick={() => {
            onClose();
            void signOutNow();
          }}
        >
          Sign out anyway
        </Button>
      </div>
    </Dialog>
  );
}
