import { useEffect, useState } from 'preact/hooks';
import type { List } from '../../data/rows.ts';
import { isFirstLoad } from '../../shell/frame-view.ts';
import { isOpen, useUserData } from '../../shell/store.ts';
import { showToast } from '../../shell/toasts.ts';
import { Button } from '../../ui/button.tsx';

const LIMIT = 50;

interface Props {
  list: List;
  /** The page to ask for next; undefined once nothing older is left. */
  page: number | undefined;
  onPage(next: number | undefined): void;
}

/** What was closed long ago is not on this device: it is asked of the server. The button shows once there is some. */
export function Older({ list, page, onPage }: Props) {
  const { store } = useUserData();
  const [isAsking, setAsking] = useState(false);
  const [isHidden, setHidden] = useState(true);
  const closed = { listId: list.id, statusType: 'completed,canceled' };
  useEffect(() => {
    if (isFirstLoad.value) return;
    let isWanted = true;
    const path = `workspaces/${list.workspaceId}/tasks/query?${new URLSearchParams({ ...closed, limit: '1' })}`;
    void store.api.request('GET', path).then((outcome) => {
      if (!isWanted || outcome.kind !== 'ok') return;
      const held = [...store.view.all('task')].filter(
        (task) => task.listId === list.id && !isOpen(store, task),
      );
      setHidden((outcome.body as { total: number }).total <= held.length);
    });
    return () => {
      isWanted = false;
    };
  }, [list.id, isFirstLoad.value]);
  if (page === undefined || isHidden) return null;
  const ask = async () => {
    setAsking(true);
    const search = new URLSearchParams({
      ...closed,
      sortBy: 'updatedAt',
      sortOrder: 'desc',
      limit: String(LIMIT),
      page: String(page),
    });
    const found = await store.queries.run(list.workspaceId, `tasks/query?${search}`);
    setAsking(false);
    if (found) onPage(page * LIMIT >= found.total ? undefined : page + 1);
    else showToast('Older tasks could not be loaded. Try again.');
  };
  return (
    <Button class="plain older" disabled={isAsking} onClick={ask}>
      Show older closed tasks
    </Button>
  );
}
