import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusedId, shownIds, wantedFocus } from './current.ts';

/** For the link of a task: takes the focus when it should, and is the one of its screen that Tab reaches. */
export function useRowFocus(id: string): { ref: RefObject<HTMLAnchorElement | null>; tabIndex: number } {
  const ref = useRef<HTMLAnchorElement>(null);
  const isWanted = wantedFocus.value === id;
  const isFirst = shownIds.value[0] === id;
  const isReached = focusedId.value === id || (isFirst && !shownIds.value.includes(focusedId.value ?? ''));
  useLayoutEffect(() => {
    if (!isWanted) return;
    ref.current?.focus();
    ref.current?.scrollIntoView({ block: 'nearest' });
    wantedFocus.value = undefined;
  }, [isWanted]);
  return { ref, tabIndex: isReached ? 0 : -1 };
}
