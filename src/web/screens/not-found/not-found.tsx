import { addressOf } from '../../shell/addresses.ts';
import { hrefOf } from '../../shell/navigation.ts';
import { ScreenHeading } from '../../ui/screen-heading.tsx';

/** An address that leads to no screen. */
export const NotFound = () => (
  <main class="sheet">
    <header class="head">
      <ScreenHeading title="Not found" />
    </header>
    <div class="empty">
      <p>There is nothing at this address, or it is not yours to see.</p>
      <a class="button" href={hrefOf(addressOf('today'))}>
        Today
      </a>
    </div>
  </main>
);
