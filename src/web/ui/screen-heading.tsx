import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { takeHeadingFocus } from '../shell/navigation.ts';

interface Props {
  title: string;
  /** The same words, where some of them look different. */
  children?: ComponentChildren;
}

/** The h1 of the screen, and that of a task which covers it on a phone. */
const named = { screen: '', cover: '' };

/** Names the window by what is shown. */
export function nameWindow(layer: keyof typeof named, title: string): void {
  named[layer] = title;
  const shown = named.cover || named.screen;
  if (shown) document.title = `${shown} · Errand`;
}

/** The one h1 of a screen: names the window, and has the focus after a navigation, but where a form begins at once. */
export function ScreenHeading({ title, children = title }: Props) {
  const ref = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const isCover = ref.current?.closest('.panel');
    nameWindow(isCover ? 'cover' : 'screen', title);
    return () => isCover && nameWindow('cover', '');
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
