import { useEffect, useRef, useState } from 'preact/hooks';
import { inOrder } from '../shell/in-order.ts';
import { cutWorkspaces, OPEN, totals } from '../shell/server-counts.ts';
import { useUserData } from '../shell/store.ts';
import { showToast } from '../shell/toasts.ts';
import { Button } from '../ui/button.tsx';
import { filters } from './filters.ts';

const LIMIT = 100;
/** Pages that are asked for at one press while they bring nothing that is not held. */
const MAX_PAGES = 100;

interface Props {
  /** Where, of all that the screen shows; none: in every workspace. */
  workspaceId: string | undefined;
  /** Which tasks, as `tasks/query` takes it. */
  query: Record<string, string>;
  /** How many of them are held; undefined where filters hide some. */
  held: number | undefined;
}

/**
 * The open tasks that are not on this device, where it does not hold all of them: the first page is asked for when the
 * screen opens, and again when something has changed, the others as they are wanted.
 */
export function UnloadedTasks({ workspaceId, query, held }: Props) {
  const ids = cutWorkspaces.value.filter((id) => workspaceId === undefined || id === workspaceId);
  return ids.length === 0 ? null : <UnloadedOf key={ids.join()} ids={ids} query={query} held={held} />;
}

function UnloadedOf({ ids, query, held }: { ids: readonly string[] } & Pick<Props, 'query' | 'held'>) {
  const { store } = useUserData();
  /** Undefined before the server was asked, null where it cannot be. */
  const [total, setTotal] = useState<number | null>();
  const [isAsking, setAsking] = useState(false);
  /** From behind: the first load came by due date, and was cut at its end. */
  const page = useRef(0);
  const text = new URLSearchParams({ ...OPEN, limit: String(LIMIT), ...query }).toString();
  const [begin] = useState(inOrder);
  const ask = async (at: number, more: Record<string, string> = {}): Promise<number | null> => {
    const isNewest = begin();
    const search = new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(text)), ...more });
    let sum: number | null = 0;
    for (const id of ids) {
      const found = await store.queries.run(id, `tasks/query?${search}&page=${at}`);
      sum = found && sum !== null ? sum + found.total : null;
    }
    if (sum !== null && page.current === 0) page.current = Math.ceil(sum / LIMIT) + 1;
    if (isNewest()) setTotal((before) => sum ?? before ?? null);
    return sum;
  };
  const counted = totals.value;
  useEffect(() => {
    page.current = 0;
  }, [text]);
  useEffect(() => {
    void ask(1);
  }, [text, counted]);
  const more = async () => {
    setAsking(true);
    const count = () => [...store.view.all('task')].length;
    const before = count();
    if (page.current <= 1) page.current = Math.ceil((total ?? 0) / LIMIT) + 1;
    for (let asked = 0; asked < MAX_PAGES && count() === before && page.current > 1; asked++) {
      page.current--;
      if ((await ask(page.current, { sortBy: 'dueDate' })) !== null) continue;
      page.current++;
      showToast('The other tasks could not be loaded. Try again.');
      break;
    }
    setAsking(false);
  };
  const isFiltered = Object.keys(filters.value).length > 0;
  if (total === undefined) return null;
  const missing = total === null || held === undefined ? undefined : total - held;
  const isOver = missing === undefined ? page.current === 1 || LIMIT >= (total ?? Infinity) : missing <= 0;
  if (isOver) return null;
  return (
    <div class="rest line">
      <p class="quiet">
        {missing === undefined
          ? 'More tasks are on the server, and not on this device.'
          : `${missing} more ${missing === 1 ? 'task is' : 'tasks are'} on the server, and not on this device.`}
        {isFiltered && ' Filters do not see them.'}
      </p>
      <Button class="push" disabled={isAsking} onClick={more}>
        Show more
      </Button>
    </div>
  );
}
