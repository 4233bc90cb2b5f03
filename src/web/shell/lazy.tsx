import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { showToast } from './toasts.ts';

const loaded = new Map<unknown, unknown>();

interface Props<P extends object> {
  /** Always the same function: what it loads is remembered by it. */
  load(): Promise<ComponentType<P>>;
  props: P;
}

/** A part that is loaded when it is first shown. */
export function Lazy<P extends object>({ load, props }: Props<P>) {
  const [Part, setPart] = useState<ComponentType<P> | undefined>(
    () => loaded.get(load) as ComponentType<P> | undefined,
  );
  useEffect(() => {
    if (Part) return;
    let isWanted = true;
    load().then(
      (part) => {
        loaded.set(load, part);
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
