import { useEffect, useState } from 'preact/hooks';
import { call } from '../../shell/api.ts';

/**
 * What the server lists at a path, which no store keeps: undefined until it is there, and read again by `load` and
 * whenever `version` is another. `isMissing`: the server could not be reached.
 */
export function useItems<Item>(path: string, version = 0) {
  const [items, setItems] = useState<readonly Item[]>();
  const [isMissing, setMissing] = useState(false);
  const load = async () => {
    const reply = await call<{ items: Item[] }>('GET', path);
    setMissing(reply.kind !== 'ok');
    if (reply.kind === 'ok') setItems(reply.body.items);
  };
  useEffect(() => void load(), [path, version]);
  return { items, isMissing, load };
}
