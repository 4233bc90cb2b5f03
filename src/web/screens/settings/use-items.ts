import { useEffect, useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';
import { inOrder } from '../../shell/in-order.ts';

/**
 * What the server lists at a path, which no store keeps: undefined until it is there, and read again by `load` and
 * whenever `version` is another. `isMissing`: the server could not be reached.
 */
export function useItems<Item>(path: string, version = 0) {
  const [items, setItems] = useState<readonly Item[]>();
  const [isMissing, setMissing] = useState(false);
  const [begin] = useState(inOrder);
  const load = async () => {
    const isNewest = begin();
    const reply = await call<{ items: Item[] }>('GET', path);
    if (!isNewest()) return;
    setMissing(reply.kind !== 'ok');
    if (reply.kind === 'ok') setItems(reply.body.items);
  };
  useEffect(() => void load(), [path, version]);
  return { items, isMissing, load };
}
