import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { addressOf, type ScreenName } from '../../shell/addresses.ts';
import { isPhone } from '../../shell/device.ts';
import { isFirstLoad, workspace, workspaces } from '../../shell/frame-view.ts';
import { hrefOf, navigate, path } from '../../shell/navigation.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { me } from '../../shell/session.ts';
import { Back } from '../../ui/back.tsx';
import { Coming } from '../../ui/coming.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icons.ts';
import { LinkRow } from '../../ui/link-row.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';
import { NotFound } from '../not-found/not-found.tsx';

type Page = readonly [ScreenName, string, IconName];

const OF_WORKSPACE: readonly Page[] = [
  ['settingsGeneral', 'General', 'settings'],
  ['settingsSpaces', 'Spaces and lists', 'layers'],
  ['settingsStatuses', 'Statuses', 'status'],
  ['settingsLabels', 'Labels', 'label'],
  ['settingsPeople', 'People', 'people'],
];
const OF_ACCOUNT: readonly Page[] = [
  ['profile', 'Profile', 'me'],
  ['security', 'Security', 'shield'],
  ['tokens', 'API tokens', 'key'],
  ['data', 'Your data', 'download'],
];

/** Said where fields are disabled. */
export const ONLY_ADMINS = 'Only the owner and admins can change this.';

interface Props {
  title: string;
  /** The workspace that the page is about. */
  w?: string;
  /** One sentence below the title. */
  note?: ComponentChildren;
  /** What the page is for, beside its title. */
  tools?: ComponentChildren;
  children: ComponentChildren;
}

/**
 * On phones: all pages of the settings. Elsewhere they stand beside each of them, and those of a workspace begin with
 * General.
 */
export function SettingsIndex({ params: { w } }: ScreenProps) {
  useEffect(() => {
    if (w !== undefined) navigate(addressOf('settingsGeneral', { w }), { replace: true });
    else if (!isPhone.value) navigate(addressOf('profile'), { replace: true });
  }, [w, isPhone.value]);
  return (
    <main class="sheet settings">
      <header class="head">
        <Back />
        <ScreenHeading title="Settings" />
      </header>
      <nav class="scroll" aria-label="Settings">
        {groupsOfPages().map(({ title, pages, params }) => (
          <section key={pages[0]?.[0]} aria-label={title}>
            <div class="group-head">
              <h2 dir="auto" class="cut">
                {title}
              </h2>
            </div>
            <ul class="links">
              {pages.map(([name, words, icon]) => (
                <LinkRow key={name} to={addressOf(name, params)} icon={icon} title={words} />
              ))}
            </ul>
          </section>
        ))}
      </nav>
    </main>
  );
}

interface Group {
  title: string;
  pages: readonly Page[];
  params: Record<string, string>;
}

/** The pages of the workspace, then those of the account. */
function groupsOfPages(): readonly Group[] {
  const current = workspace.value;
  const account = { title: me.value?.name ?? 'Account', pages: OF_ACCOUNT, params: {} };
  return current
    ? [{ title: current.title, pages: OF_WORKSPACE, params: { w: current.id } }, account]
    : [account];
}

/** A page of the settings, with all others beside it; on phones with the way back to them. */
export function SettingsPage({ title, w, note, tools, children }: Props) {
  if (w !== undefined && !workspaces.value.some(({ id }) => id === w))
    return isFirstLoad.value ? <Coming /> : <NotFound />;
  return (
    <main class="sheet settings">
      <div class="settings-frame">
        {!isPhone.value && (
          <nav class="settings-nav" aria-label="Settings">
            {groupsOfPages().map((group) => (
              <Pages key={group.pages[0]?.[0]} {...group} />
            ))}
          </nav>
        )}
        <header class="head">
          <Back />
          <ScreenHeading title={title} />
          {tools && !isPhone.value && <div class="tools">{tools}</div>}
        </header>
        <div class="scroll">
          <div class="settings-content">
            {note && <p class="quiet settings-note">{note}</p>}
            {tools && isPhone.value && <div class="line settings-tools">{tools}</div>}
            {children}
          </div>
        </div>
      </div>
    </main>
  );
}

/** Beside the page a column, where there is little room a line that scrolls. */
function Pages({ title, pages, params }: Group) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const chosen = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (list.current && chosen) list.current.scrollLeft = chosen.offsetLeft - list.current.clientWidth / 3;
  }, []);
  return (
    <div>
      <p class="settings-of quiet cut" dir="auto">
        {title}
      </p>
      <ul ref={list} aria-label={title}>
        {pages.map(([name, words, icon]) => {
          const to = addressOf(name, params);
          return (
            <li key={name}>
              <a href={hrefOf(to)} aria-current={path.value === to ? 'page' : undefined}>
                <Icon name={icon} />
                {words}
              </a>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface PartProps {
  title: string;
  /** One sentence below the heading. */
  note?: ComponentChildren;
  tools?: ComponentChildren;
  children?: ComponentChildren;
}

/** A part of a page under a heading of its own. */
export const Part = ({ title, note, tools, children }: PartProps) => (
  <section class="settings-part" aria-label={title}>
    <div class="part-line">
      <h2 class="cut" dir="auto">
        {title}
      </h2>
      {tools && <div class="line push">{tools}</div>}
    </div>
    {note && <p class="quiet">{note}</p>}
    {children}
  </section>
);
