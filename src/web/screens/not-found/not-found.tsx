import type { ComponentChildren } from 'preact';
import { addressOf } from '../../shell/addresses.ts';
import { hrefOf } from '../../shell/navigation.ts';
import type { IconName } from '../../ui/icons.ts';
import { Nothing } from '../../ui/nothing.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';

interface Props {
  class?: string;
  title?: string;
  icon?: IconName;
  /** In place of the way to Today. */
  action?: ComponentChildren;
  below?: ComponentChildren;
  children?: string | undefined;
}

/** An address that leads to no screen, or as `children` say it. */
export const NotFound = ({
  class: className = '',
  title = 'Not found',
  icon = 'link',
  action,
  below,
  children,
}: Props) => (
  <main class={`sheet ${className}`}>
    <header class="head">
      <ScreenHeading title={title} />
    </header>
    <Nothing
      icon={icon}
      action={
        <>
          {action ?? (
            <a class="button" href={hrefOf(addressOf('today'))}>
              Today
            </a>
          )}
          {below}
        </>
      }
    >
      {children ?? 'There is nothing at this address, or it is not yours to see.'}
    </Nothing>
  </main>
);
