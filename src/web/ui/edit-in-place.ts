import { useLayoutEffect, useRef } from 'preact/hooks';
import { isComposing } from './composing.ts';

/**
 * For a field that changes a text in place: Enter, leaving it and its end save, Escape does not. `end` is called once.
 */
export function useEditInPlace(end: (saves: boolean, isByKey: boolean) => void) {
  const isOver = useRef(false);
  const latest = useRef(end);
  latest.current = end;
  const endOnce = (saves: boolean, isByKey: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    latest.current(saves, isByKey);
  };
  // Of a focused field that goes, as someone becomes a viewer, Firefox and WebKit tell no blur.
  useLayoutEffect(() => () => endOnce(true, false), []);
  return {
    onKeyDown: (event: KeyboardEvent) => {
      if (isComposing(event) || (event.key !== 'Enter' && event.key !== 'Escape')) return;
      event.preventDefault();
      event.stopPropagation();
      endOnce(event.key === 'Enter', true);
    },
    onBlur: () => endOnce(true, false),
  };
}
