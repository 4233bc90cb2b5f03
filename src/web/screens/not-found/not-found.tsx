import { addressOf } from '../../shell/addresses.ts';
import { hrefOf } from '../../shell/navigation.ts';
import { Nothing } from '../../ui/nothing.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';

/** An address that leads to no screen, or as `children` say it. */
export const NotFound = ({ children }: { children?: string }) => (
  <main class="sheet">
    <header class="head">
      <ScreenHeading title="Not found" />
    </header>
    <Nothing
      icon="link"
      action={
        <a class="button" href={hrefOf(addressOf('today'))}>
          Today
        </a>
      }
    >
      {children ?? 'There is nothing at this address, or it is not yours to see.'}
    </Nothing>
  </main>
);
