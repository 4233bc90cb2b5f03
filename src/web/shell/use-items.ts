import { useEffect, useRef, useState } from 'preact/hooks';
import { call } from './api.ts';
import { inOrder } from './in-order.ts';
import { useUserData } from './store.ts';
import { showOutcome } from './toasts.ts';

const LIMIT = 100;

/**
 * What the server lists at a path, which no store keeps: undefined until it is there, and read again by `load`, whenever
 * `version` is another, and once the server is back; `isHeld` puts that off. `isMissing`: the server could not be
 * reached. `more` reads one page more, where there is one. `change` sends a request, each once at a time, and
 * tells what it has done.
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
  const underWay = useRef(new Set<string>());
  const change = async (method: string, path: string, words: string, body?: object) => {
    const act = `${method} ${path} ${words}`;
    if (underWay.current.has(act)) return;
    underWay.current.add(act);
    const reply = await call(method, path, body);
    // What it made is there by the time it is told of.
    await load();
    underWay.current.delete(act);
    showOutcome(reply, words);
  };
  const more = items !== undefined && items.length < total ? () => setPages(pages + 1) : undefined;
  return { items, setItems, isMissing, load, more, change };
}
