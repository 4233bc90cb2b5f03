import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Cut } from '../ui/cut.tsx';
import { Icon, Shape } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { Keycaps } from '../ui/keycaps.tsx';
import { MenuButton } from '../ui/menu.tsx';
import { ToastRegion } from '../ui/toast-region.tsx';
import { addressOf, type ScreenName } from './addresses.ts';
import { keyShortcuts } from './commands.ts';
import { isPhone } from './device.ts';
import { ZoneOffer } from './first-visit.tsx';
import {
  canWrite,
  countOf,
  counts,
  hasUpdate,
  inbox,
  isFirstLoad,
  sync,
  unread,
  workspace,
} from './frame-view.ts';
import { hrefOf, match, path, upperScreen } from './navigation.ts';
import { isQuickAddOpen, openQuickAdd, workspaceItems } from './overlays.tsx';
import { SyncStatus } from './sync-status.tsx';
import { update } from './update.ts';

/** What stands around every screen of someone who is signed in. */
export function Frame({ children }: { children: ComponentChildren }) {
  return (
    <>
      <div class="app">
        {isPhone.value ? <PhoneMain /> : <Side />}
        {children}
      </div>
      <ZoneOffer />
      {!isQuickAddOpen.value && <ToastRegion />}
    </>
  );
}

function Side() {
  const { today, mine } = counts.value;
  const current = workspace.value;
  const w = current?.id;
  // What is still on its way has its place.
  const isComing = !w && isFirstLoad.value;
  return (
    <nav class="side" aria-label="Main">
      <WorkspaceMenu />
      {(canWrite.value || isComing) && (
        <button type="button" class="new" aria-keyshortcuts={keyShortcuts('c q')} onClick={openQuickAdd}>
          <Icon name="plus" />
          New task
          <span class="push">
            <Keycaps binding="c" />
          </span>
        </button>
      )}
      <ul>
        {(w || isComing) && (
          <SideLink to={w && addressOf('search', { w })} icon="search" title="Search" binding="/" />
        )}
        <SideLink
          to={addressOf('today')}
          icon="sun"
          title="Today"
          count={today}
          alsoAt={['workspaceToday']}
        />
        <SideLink
          to={addressOf('upcoming')}
          icon="upcoming"
          title="Upcoming"
          alsoAt={['workspaceUpcoming', 'calendar']}
        />
        <SideLink to={addressOf('mine')} icon="me" title="My tasks" count={mine} alsoAt={['workspaceMine']} />
        {w && inbox.value && <ListLink w={w} listId={inbox.value.id} title="Inbox" isInbox />}
      </ul>
      <section aria-label="Lists">
        {current?.spaces.map((space) => (
          <div key={space.id}>
            <h2 dir="auto">{space.title}</h2>
            <ul>
              {space.lists.map(({ id, title }) => (
                <ListLink key={id} w={current.id} listId={id} title={title} />
              ))}
            </ul>
          </div>
        ))}
      </section>
      {w && (
        <ul>
          <SideLink to={addressOf('recurring', { w })} icon="repeat" title="Recurring" />
          <SideLink to={addressOf('trash', { w })} icon="trash" title="Trash" />
        </ul>
      )}
      <div class="foot">
        <ul>
          <NotificationsLink />
          <SideLink to={addressOf('profile')} icon="settings" title="Settings" isCurrent={isInSettings()} />
        </ul>
        <UpdateButton />
        <SyncStatus />
      </div>
    </nav>
  );
}

const isInSettings = (): boolean => path.value.includes('/settings/');

function WorkspaceMenu() {
  return (
    <MenuButton class="switch" items={workspaceItems()}>
      <Shape name="logo" class="logo" />
      <Cut>{workspace.value?.title ?? 'Errand'}</Cut>
      <Icon name="down" small />
    </MenuButton>
  );
}

interface ListLinkProps {
  w: string;
  listId: string;
  title: string;
  isInbox?: boolean;
}

/** By itself, since its count changes often. */
function ListLink({ w, listId, title, isInbox = false }: ListLinkProps) {
  const count = countOf(listId);
  return isInbox ? (
    <SideLink to={addressOf('inbox', { w })} icon="inbox" title={title} count={count} />
  ) : (
    <SideLink to={addressOf('list', { w, listId })} title={title} count={count} />
  );
}

function isOutOfSight(link: HTMLElement): boolean {
  const { scrollMarginTop, scrollMarginBottom } = getComputedStyle(link);
  const { top, bottom } = link.getBoundingClientRect();
  return (
    top - Number.parseFloat(scrollMarginTop) < 0 ||
    bottom + Number.parseFloat(scrollMarginBottom) > innerHeight
  );
}

interface LinkProps {
  /** Leads nowhere as long as this is undefined. */
  to: string | undefined;
  title: string;
  icon?: IconName;
  count?: number | undefined;
  binding?: string;
  /** Other screens that this link stands for. */
  alsoAt?: readonly ScreenName[];
  isCurrent?: boolean;
}

function SideLink({ to, title, icon, count, binding, alsoAt = [], ...given }: LinkProps) {
  const isCurrent =
    given.isCurrent ?? (path.value === to || alsoAt.some((name) => name === match.value?.name));
  const link = useRef<HTMLAnchorElement>(null);
  // Among many lists the present one may be out of sight. Only then: Tab goes on from where was scrolled to.
  useLayoutEffect(() => {
    if (isCurrent && link.current && isOutOfSight(link.current))
      link.current.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  return (
    <li>
      <a ref={link} {...(to && { href: hrefOf(to) })} aria-current={isCurrent ? 'page' : undefined}>
        {icon && <Icon name={icon} />}
        <Cut>{title}</Cut>
        {count !== undefined && count > 0 && <span class="count">{count}</span>}
        {binding && (
          <span class="push">
            <Keycaps binding={binding} />
          </span>
        )}
      </a>
    </li>
  );
}

/** The count describes the link, and is no part of its name. */
function NotificationsLink() {
  const count = unread.value;
  const to = addressOf('notifications');
  return (
    <li>
      <a
        href={hrefOf(to)}
        aria-current={path.value === to ? 'page' : undefined}
        aria-describedby={count > 0 ? 'unread' : undefined}
      >
        <Icon name="notifications" />
        <span>Notifications</span>
        {count > 0 && (
          <span class="count" aria-hidden="true">
            {count}
          </span>
        )}
      </a>
      {count > 0 && (
        <span id="unread" hidden>
          {count} unread
        </span>
      )}
    </li>
  );
}

function UpdateButton() {
  if (!hasUpdate.value) return null;
  return (
    <Button class="update" onClick={() => void update()}>
      Update
    </Button>
  );
}

/** The same on phones: above the screen what there is to say, below it the bar, which gives way to the tools of a task. */
function PhoneMain() {
  const isQuiet = sync.value.text === 'Synced';
  return (
    <nav class="phone-main" aria-label="Main">
      {!(isQuiet && !hasUpdate.value) && (
        <div class="phone-sync">
          {!isQuiet && <SyncStatus />}
          <UpdateButton />
        </div>
      )}
      <PhoneBar />
    </nav>
  );
}

function PhoneBar() {
  const w = workspace.value?.id;
  const upper = upperScreen.value?.name;
  // Keys keep a link from becoming another one under the finger once the workspace is there.
  return (
    <div class="bar">
      <BarLink
        to={addressOf('today')}
        icon="sun"
        title="Today"
        isCurrent={match.value?.name === 'workspaceToday'}
      />
      <BarLink to={addressOf('lists')} icon="list" title="Lists" isCurrent={upper === 'lists'} />
      {canWrite.value ? (
        <button type="button" class="new" aria-label="New task" onClick={openQuickAdd}>
          <span>
            <Icon name="plus" />
          </span>
        </button>
      ) : (
        !w && <span key="new" />
      )}
      {w ? (
        <BarLink key="search" to={addressOf('search', { w })} icon="search" title="Search" />
      ) : (
        <span key="search" />
      )}
      <BarLink
        key="me"
        to={addressOf('me')}
        icon="me"
        title="Me"
        count={unread.value}
        isCurrent={upper === 'me' || upper === 'settings'}
      />
    </div>
  );
}

interface BarProps {
  to: string;
  icon: IconName;
  title: string;
  count?: number;
  isCurrent?: boolean;
}

function BarLink({ to, icon, title, count = 0, isCurrent = false }: BarProps) {
  return (
    <a href={hrefOf(to)} aria-current={isCurrent || path.value === to ? 'page' : undefined}>
      <Icon name={icon} />
      {count > 0 ? `${title} ${count}` : title}
    </a>
  );
}
