import { useEffect, useState } from 'preact/hooks';
import type { Task } from '../data/rows.ts';
import { useUserData } from '../shell/store.ts';

/** A task that was looked up and not found: it is not there, or the server said nothing of it. */
export interface Missing {
  isGone: boolean;
  again(): void;
}

/**
 * Asks workspaces for a task that is not held, and again once the server is back; `path` is undefined where nothing is to
 * be asked. Returns undefined until something is known.
 */
export function useLookUp(
  workspaceIds: readonly string[],
  path: string | undefined,
  onFound?: (task: Task) => void,
): Missing | undefined {
  const { store } = useUserData();
  const [turn, setTurn] = useState(0);
  const [missing, setMissing] = useState<{ asked: string; isGone: boolean }>();
  const asked = `${workspaceIds.join()} ${path}`;
  const isReachable = store.isReachable.value;
  useEffect(() => {
    // Before there are workspaces, nothing is known to be missing.
    if (path === undefined || workspaceIds.length === 0) return;
    let isWanted = true;
    void (async () => {
      let isGone = true;
      for (const id of workspaceIds) {
        const outcome = await store.queries.find(id, path);
        if (!isWanted) return;
        if (outcome.kind === 'network' || (outcome.kind === 'error' && !IS_GONE.includes(outcome.status)))
          isGone = false;
        if (outcome.kind !== 'ok' || !store.view.row('task', outcome.body.id)) continue;
        onFound?.(outcome.body);
        return;
      }
      setMissing({ asked, isGone });
    })();
    return () => {
      isWanted = false;
    };
  }, [asked, isReachable, turn]);
  if (missing?.asked !== asked) return;
  return { isGone: missing.isGone, again: () => setTurn(turn + 1) };
}

/** No such thing, or not for this person; 400 where the id is none. */
const IS_GONE = [400, 403, 404];
