import { useLayoutEffect, useRef } from 'preact/hooks';
import { takeHeadingFocus } from '../shell/navigation.ts';

/** The one h1 of a screen: names the window, and has the focus after a navigation. */
export function ScreenHeading({ title }: { title: string }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · Errand`;
  }, [title]);
  useLayoutEffect(() => {
    if (takeHeadingFocus()) ref.current?.focus();
  }, []);
  return (
    <h1 ref={ref} tabIndex={-1} dir="auto">
      {title}
    </h1>
  );
}
