import type { Notification } from '../../../notifications/schema.ts';
import { call } from '../../shell/api.ts';
import { now, zone } from '../../shell/clock.ts';
import { isPhone } from '../../shell/device.ts';
import { notified, workspaces } from '../../shell/frame-view.ts';
import { useItemKeys } from '../../shell/item-keys.ts';
import { hrefOf } from '../../shell/navigation.ts';
import { showToast } from '../../shell/toasts.ts';
import { useItems } from '../../shell/use-items.ts';
import { sayInstant } from '../../text/say-dates.ts';
import { Back } from '../../ui/back.tsx';
import { Button } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icons.ts';
import { Nothing } from '../../ui/nothing.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';
import { leadsTo } from './leads-to.ts';

const ICONS: Partial<Record<Notification['type'], IconName>> = {
  'task.assigned': 'person',
  'task.due': 'late',
  'comment.added': 'comment',
  'comment.mentioned': 'comment',
  'token.expiring': 'key',
  'workspace.invited': 'mail',
  'workspace.member_added': 'people',
  'workspace.owner_changed': 'people',
};

/** What happened that concerns the person, newest first. */
export function Notifications() {
  useItemKeys();
  const { items, setItems, isMissing, load, more } = useItems<Notification>(
    '/me/notifications',
    notified.value,
  );
  const markRead = (notification: Notification) => {
    if (notification.readAt !== null) return;
    void call('POST', `/me/notifications/${notification.id}/read`);
    const readAt = new Date().toISOString();
    setItems((before) => before?.map((one) => (one.id === notification.id ? { ...one, readAt } : one)));
  };
  const markAll = async () => {
    const reply = await call('POST', '/me/notifications/read-all');
    if (reply.kind === 'ok') await load();
    else showToast('They could not be marked. Try again.');
  };
  const workspaceIds = workspaces.value.map(({ id }) => id);
  const hasUnread = items?.some(({ readAt }) => readAt === null) ?? false;
  return (
    <main class="sheet">
      <header class="head">
        <Back />
        <ScreenHeading title="Notifications" />
        {hasUnread && (
          <div class="tools">
            <Button onClick={markAll}>Mark all read</Button>
          </div>
        )}
      </header>
      {isMissing && <Nothing icon="offline">Notifications are shown once the server can be reached.</Nothing>}
      {items?.length === 0 && !isMissing && (
        <Nothing icon="notifications">
          Nothing yet. What others assign to you, and what falls due, shows here.
          {!isPhone.value && (
            <>
              {' '}
              Press <kbd>G</kbd> <kbd>N</kbd> to come back.
            </>
          )}
        </Nothing>
      )}
      <div class="scroll" hidden={isMissing || items?.length === 0} aria-busy={items === undefined}>
        <ul class="notifications">
          {items?.map((notification) => (
            <li key={notification.id} class={notification.readAt === null ? 'unread' : undefined}>
              <a
                class="link-row"
                href={hrefOf(leadsTo(notification, workspaceIds))}
                onClick={() => markRead(notification)}
              >
                <Icon name={ICONS[notification.type] ?? 'notifications'} />
                <span class="notification-text">
                  <span dir="auto">
                    {notification.readAt === null && <span class="hidden">Unread: </span>}
                    {notification.title}
                  </span>
                  {notification.data.taskId ? (
                    <span class="quiet cut" dir="auto">
                      {notification.body}
                    </span>
                  ) : (
                    <span class="quiet">{notification.body}</span>
                  )}
                  <time class="quiet" dateTime={notification.createdAt}>
                    {sayInstant(notification.createdAt, zone.value, now.value)}
                  </time>
                </span>
              </a>
            </li>
          ))}
        </ul>
        {more && <Button onClick={more}>Show older</Button>}
      </div>
    </main>
  );
}
