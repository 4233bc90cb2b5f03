import { useEffect } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { sync } from './frame-view.ts';
import { type OverlayProps, signOutNow } from './overlays.tsx';

/** Asks while changes are not sent yet, which would be lost with everything else on this device; then signs out. */
export function SignOutDialog({ onClose }: OverlayProps) {
  const { waiting, notSaved } = sync.value;
  const unsent = waiting + notSaved;
  const who = unsent === 1 ? 'One change has' : `${unsent} changes have`;
  const leave = () => {
    onClose();
    void signOutNow();
  };
  const isAsking = unsent > 0;
  useEffect(() => {
    if (!isAsking) leave();
  }, [isAsking]);
  return (
    <Dialog label="Sign out" class="small" onClose={onClose}>
      <div class="block">
        <h2>Sign out</h2>
        <p class="prose">{`${who} not reached the server. Signing out removes them from this device.`}</p>
      </div>
      <div class="line actions">
        <Button class="push" onClick={onClose}>
          Stay
        </Button>
        <Button class="main" onClick={leave}>
          Sign out anyway
        </Button>
      </div>
    </Dialog>
  );
}
