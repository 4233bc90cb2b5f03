import { computed, useComputed } from '@preact/signals';
import type { RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { focusedId, shownIds, takeFocus, wantedFocus } from './current.ts';

/** The one row of its screen that Tab reaches. */
const reachedId = computed(() => {
  const { value: ids } = shownIds;
  const { value: last } = focusedId;
  return last !== undefined && ids.includes(last) ? last : ids[0];
});

/** For the link of a task: takes the focus when it should, and is the one of its screen that Tab reaches. */
export function useRowFocus(id: string): { ref: RefObject<HTMLAnchorElement | null>; tabIndex: number } {
  const ref = useRef<HTMLAnchorElement>(null);
  // Of all rows only those render for which the answer changes.
  const isWanted = useComputed(() => wantedFocus.value === id).value;
  const isReached = useComputed(() => reachedId.value === id).value;
  useLayoutEffect(() => {
    if (!isWanted) return;
    if (ref.current) takeFocus(ref.current);
    wantedFocus.value = undefined;
  }, [isWanted]);
  return { ref, tabIndex: isReached ? 0 : -1 };
}
