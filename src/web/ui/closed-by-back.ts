import { useLayoutEffect, useRef } from 'preact/hooks';
import { whenGoingBack } from '../shell/navigation.ts';

/** Closes what lies above a screen by Back or Forward, which lead no further then; undefined for what has to stay. */
export function useClosedByBack(close: (() => void) | undefined): void {
  const latest = useRef(close);
  latest.current = close;
  useLayoutEffect(() => whenGoingBack(() => latest.current?.()), []);
}
