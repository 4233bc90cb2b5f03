import { Button } from '../../ui/button.tsx';
import { Shape } from '../../ui/icon.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';

/** Where neither the server nor this device has what a screen needs. */
export const Unreachable = () => (
  <div class="alone">
    <header class="line brand">
      <Shape name="logo" class="logo" />
      Errand
    </header>
    <main class="sheet">
      <ScreenHeading title="Server unreachable" />
      <p>Errand's server does not respond. Your changes on this device are kept.</p>
      <Button class="main" onClick={() => location.reload()}>
        Try again
      </Button>
    </main>
  </div>
);
