import type { ComponentChildren, ComponentProps } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { addressOf, returnTo, type ScreenName } from '../../shell/addresses.ts';
import { hrefOf, query } from '../../shell/navigation.ts';
import { takeNotice } from '../../shell/notice.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { Icon, Shape } from '../../ui/icon.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';
import { authOptions, loadOptions } from './options.ts';

/** A link to another of these screens, which keeps where the person wanted to go. */
export function hrefAside(name: ScreenName): string {
  const to = query.value.get('to');
  return hrefOf(addressOf(name)) + (to === null ? '' : `?${new URLSearchParams({ to: returnTo(to) })}`);
}

/** Says what is on its way, in place of the form that asked for it. */
export const Mailed = ({ onBack, children, ...alone }: Props & { onBack?(): void }) => (
  <Alone {...alone}>
    <p role="status">{children}</p>
    {onBack && (
      <Button class="plain" onClick={onBack}>
        Back
      </Button>
    )}
  </Alone>
);

interface Props {
  title: string;
  /** Below the sheet: the other ways. */
  footer: ComponentChildren;
  children: ComponentChildren;
}

/** Asks for the address of an account. */
export const EmailField = (field: Omit<ComponentProps<typeof Field>, 'label'>) => (
  <Field label="Email" type="email" autocomplete="username" required {...field} />
);

/** A screen for someone who is not signed in: one small sheet. */
export function Alone({ title, footer, children }: Props) {
  const [notice] = useState(takeNotice);
  useEffect(() => {
    void loadOptions();
  }, []);
  return (
    <div class="alone">
      <header class="line brand">
        <Shape name="logo" class="logo" />
        Errand
      </header>
      <main class="sheet">
        <ScreenHeading title={title} />
        {notice !== undefined && <p role="status">{notice}</p>}
        {children}
      </main>
      <footer class="quiet">
        {footer}
        {authOptions.value?.mail === 'console' && (
          <p class="line">
            <Icon name="info" small />
            This server prints its mails where it runs.
          </p>
        )}
      </footer>
    </div>
  );
}
