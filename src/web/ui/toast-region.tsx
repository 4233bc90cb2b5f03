import { useEffect, useState } from 'preact/hooks';
import { keyShortcuts } from '../shell/commands.ts';
import { dismissToast, TOAST_MS, toast } from '../shell/toasts.ts';
import { Button } from './button.tsx';
import { Keycaps } from './keycaps.tsx';

interface Props {
  /** Where it stands in what is typed into: letters are no keys there. */
  isAmongText?: boolean;
}

/** Where toasts appear; always there, so that screen readers hear of what comes into it. */
export function ToastRegion({ isAmongText = false }: Props) {
  const shown = toast.value;
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (!shown || isHeld) return;
    const timer = setTimeout(() => dismissToast(shown.id), TOAST_MS);
    return () => clearTimeout(timer);
  }, [shown, isHeld]);
  return (
    <div
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}
    >
      <div role="status" class={shown ? 'toast' : 'toast hidden'}>
        {shown && <span dir="auto">{shown.message}</span>}
        {shown?.undo && (
          <Button
            class="plain"
            aria-keyshortcuts={isAmongText ? undefined : keyShortcuts('z')}
            onClick={() => {
              shown.undo?.();
              dismissToast(shown.id);
            }}
          >
            Undo {!isAmongText && <Keycaps binding="z" />}
          </Button>
        )}
      </div>
    </div>
  );
}
