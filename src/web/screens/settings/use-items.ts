import { useEffect, useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';
import { inOrder } from '../../shell/in-order.ts';
import { useUserData } from '../../shell/store.ts';

/**
 * What the server lists at a path, which no store keeps: undefined until it is there, and read again by `load`, whenever
 * `version` is another, and once the server is back. `isMissing`: the server could not be reached.
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
  const isReachable = useUserData().store.isReachable.value;
  useEffect(() => {
    if (isReachable || items === undefined) void load();
  }, [path, version, isReachable]);
  return { items, isMissing, load };
}
