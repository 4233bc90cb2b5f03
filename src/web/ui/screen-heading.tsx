import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { takeHeadingFocus } from '../shell/navigation.ts';

interface Props {
  title: string;
  /** The same words, where some of them look different. */
  children?: ComponentChildren;
}

/** The one h1 of a screen: names the window, and has the focus after a navigation, but where a form begins at once. */
export function ScreenHeading({ title, children = title }: Props) {
  const ref = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = `${title} · Errand`;
  }, [title]);
  useLayoutEffect(() => {
    if (!takeHeadingFocus()) return;
    const field = ref.current?.closest('main')?.querySelector<HTMLElement>('[autofocus]');
    (field ?? ref.current)?.focus();
  }, []);
  return (
    <h1 ref={ref} tabIndex={-1} dir="auto">
      {children}
    </h1>
  );
}
