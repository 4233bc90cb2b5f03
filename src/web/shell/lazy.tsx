import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { showToast } from './toasts.ts';

const loaded = new Map<string, unknown>();

interface Props<P extends object> {
  /** Must always be the same function text: what it loads is remembered by it. */
  load(): Promise<ComponentType<P>>;
  props: P;
}

/** A part that is loaded when it is first shown. */
export function Lazy<P extends object>({ load, props }: Props<P>) {
  const key = load.toString();
  const [Part, setPart] = useState<ComponentType<P> | undefined>(
    () => loaded.get(key) as ComponentType<P> | undefined,
  );
  useEffect(() => {
    if (Part) return;
    let isWanted = true;
    load().then(
      (part) => {
        loaded.set(key, part);
        if (isWanted) setPart(() => part);
      },
      () => showToast('This part could not be loaded. Try again.'),
    );
    return () => {
      isWanted = false;
    };
  }, []);
  return Part ? <Part {...props} /> : null;
}
