import { useEffect, useState } from 'preact/hooks';
import { call } from './api.ts';
import { inOrder } from './in-order.ts';
import { useUserData } from './store.ts';

const LIMIT = 100;

/**
 * What the server lists at a path, which no store keeps: undefined until it is there, and read again by `load`, whenever
 * `version` is another, and once the server is back; `isHeld` puts that off. `isMissing`: the server could not be
 * reached. `more` reads one page more, where there is one.
 */
export function useItems<Item>(path: string, version: unknown = 0, isHeld = false) {
  const [items, setItems] = useState<readonly Item[]>();
  const [total, setTotal] = useState(0);
  const [pages, setPages] = useState(1);
  const [isMissing, setMissing] = useState(false);
  const [begin] = useState(inOrder);
  const load = async () => {
    const isNewest = begin();
    const found: Item[] = [];
    let count = 0;
    for (let page = 1; page <= pages; page++) {
      const reply = await call<{ items: Item[]; total: number }>(
        'GET',
        `${path}?page=${page}&limit=${LIMIT}`,
      );
      if (reply.kind !== 'ok') {
        if (isNewest()) setMissing(true);
        return;
      }
      found.push(...reply.body.items);
      count = reply.body.total;
    }
    if (!isNewest()) return;
    setMissing(false);
    setTotal(count);
    setItems(found);
  };
  const isReachable = useUserData().store.isReachable.value;
  useEffect(() => {
    if ((isReachable && !isHeld) || items === undefined) void load();
  }, [path, version, isHeld, isReachable, pages]);
  const more = items !== undefined && items.length < total ? () => setPages(pages + 1) : undefined;
  return { items, setItems, isMissing, load, more };
}
