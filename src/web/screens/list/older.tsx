import { useState } from 'preact/hooks';
import type { List } from '../../data/rows.ts';
import { useShelf } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';

const LIMIT = 50;

interface Props {
  list: List;
  /** Nothing older is left. */
  onEnd(): void;
}

/** What was closed long ago is not on this device: it is asked of the server. */
export function Older({ list, onEnd }: Props) {
  const { store } = useShelf();
  const [page, setPage] = useState(1);
  const [isAsking, setAsking] = useState(false);
  const ask = async () => {
    setAsking(true);
    const search = new URLSearchParams({
      listId: list.id,
      statusType: 'completed,canceled',
      sortBy: 'updatedAt',
      sortOrder: 'desc',
      limit: String(LIMIT),
      page: String(page),
    });
    const found = await store.asked.ask(list.workspaceId, `tasks/query?${search}`);
    setAsking(false);
    if (!found) {
      showToast('Older tasks could not be loaded. Try again.');
      return;
    }
    if (page * LIMIT >= found.total) onEnd();
    else setPage(page + 1);
  };
  return (
    <button type="button" class="button plain older" disabled={isAsking} onClick={ask}>
      Show older closed tasks
    </button>
  );
}
