import { useRef } from 'preact/hooks';
import { isComposing } from './composing.ts';

/** For a field that changes a text in place: Enter and leaving it save, Escape does not. `end` is called once. */
export function useEditInPlace(end: (saves: boolean, isByKey: boolean) => void) {
  const isOver = useRef(false);
  const endOnce = (saves: boolean, isByKey: boolean) => {
    if (isOver.current) return;
    isOver.current = true;
    end(saves, isByKey);
  };
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
