import { addressOf } from '../../shell/addresses.ts';
import { call, sentenceOf } from '../../shell/api.ts';
import { workspaces } from '../../shell/frame-view.ts';
import { address, navigate } from '../../shell/navigation.ts';
import { onceIdle } from '../../shell/once-idle.ts';
import type { OverlayProps } from '../../shell/overlays.tsx';
import { useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { NameDialog } from './name-dialog.tsx';

/** Makes a workspace, and leads to it once it is there. */
export function NewWorkspace({ onClose }: OverlayProps) {
  const { store } = useUserData();
  const make = async (title: string) => {
    const reply = await call<{ id: string }>('POST', '/workspaces', { title });
    if (reply.kind !== 'ok') {
      showToast(sentenceOf(reply));
      return false;
    }
    const { id } = reply.body;
    store.pullNow(id);
    const from = address.peek();
    onceIdle(
      () => workspaces.value.some((one) => one.id === id),
      () => address.peek() === from && navigate(addressOf('settingsSpaces', { w: id })),
    );
    return true;
  };
  return <NameDialog title="New workspace" onSave={make} onClose={onClose} />;
}
