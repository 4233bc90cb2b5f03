import { addressOf } from '../../shell/addresses.ts';
import { call, sentenceOf } from '../../shell/api.ts';
import { navigate } from '../../shell/navigation.ts';
import type { OverlayProps } from '../../shell/overlays.tsx';
import { useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { NameDialog } from './name-dialog.tsx';

/** Makes a workspace, and leads to it. */
export function NewWorkspace({ onClose }: OverlayProps) {
  const { store } = useUserData();
  const make = async (title: string) => {
    const reply = await call<{ id: string }>('POST', '/workspaces', { title });
    if (reply.kind !== 'ok') {
      showToast(sentenceOf(reply));
      return;
    }
    const { id } = reply.body;
    store.pullNow(id);
    navigate(addressOf('settingsSpaces', { w: id }));
  };
  return <NameDialog title="New workspace" onSave={(title) => void make(title)} onClose={onClose} />;
}
