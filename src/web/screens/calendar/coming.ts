import { useEffect, useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';
import { useRows, useUserData } from '../../shell/store.ts';
import { addDays, type Day } from '../../text/days.ts';
import type { Occurrence } from './entry.tsx';

/** Occurrences that have no task yet: asked of the server, again whenever a series changes and once it is back. */
export function useComing(
  workspaceId: string,
  first: Day,
  last: Day,
  listId: string | undefined,
): readonly Occurrence[] {
  const [found, setFound] = useState<readonly Occurrence[]>([]);
  const series = useRows(
    'recurringTask',
    (one) => one.workspaceId === workspaceId,
    () => 0,
    [workspaceId],
  );
  const revision = series.revision.value;
  const isReachable = useUserData().store.isReachable.value;
  useEffect(() => {
    let isWanted = true;
    const parameters = new URLSearchParams({ from: first, to: addDays(last, 1) });
    void call<{ items: Occurrence[] }>('GET', `/workspaces/${workspaceId}/occurrences?${parameters}`).then(
      (reply) => {
        if (isWanted && reply.kind === 'ok') setFound(reply.body.items);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [workspaceId, first, last, series, revision, isReachable]);
  return found.filter((one) => one.taskId === null && (listId === undefined || one.listId === listId));
}
