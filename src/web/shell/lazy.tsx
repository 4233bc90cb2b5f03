import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { showToast } from './toasts.ts';

const loaded = new Map<unknown, unknown>();

interface Props<P extends object> {
  /** Always the same function: what it loads is remembered by it. */
  load(): Promise<ComponentType<P>>;
  props: P;
}

/** Loads a part before it is shown: then it is there at once, for the keys that follow the one that asks for it. */
export async function preload<P extends object>(load: Props<P>['load']): Promise<ComponentType<P>> {
  const part = await load();
  loaded.set(load, part);
  return part;
}

/** A part that is loaded when it is first shown. */
export function Lazy<P extends object>({ load, props }: Props<P>) {
  const [Part, setPart] = useState<ComponentType<P> | undefined>(
    () => loaded.get(load) as ComponentType<P> | undefined,
  );
  useEffect(() => {
    if (Part) return;
    let isWanted = true;
    preload(load).then(
      (part) => {
        if (isWanted) setPart(() => part);
      },
      () => showToast('This part could not be loaded. Load the page again.'),
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return Part ? <Part {...props} /> : null;
}
