import { addressOf } from '../../shell/addresses.ts';
import { unread } from '../../shell/frame-view.ts';
import { openSignOut } from '../../shell/overlays.tsx';
import { me } from '../../shell/session.ts';
import { undo } from '../../tasks/act.ts';
import { Avatar } from '../../ui/avatar.tsx';
import { Cut } from '../../ui/cut.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LinkRow } from '../../ui/link-row.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';

/** On phones: oneself, and what concerns oneself. */
export function MeScreen() {
  const person = me.value;
  return (
    <main class="sheet me">
      <header class="head">
        <ScreenHeading title="Me" />
      </header>
      <div class="scroll">
        {person && (
          <div class="person">
            <Avatar id={person.id} name={person.name} large isDecoration />
            <div>
              <p class="line">
                <Cut>{person.name}</Cut>
              </p>
              <p class="quiet cut">{person.email}</p>
            </div>
          </div>
        )}
        <ul class="links">
          <LinkRow
            to={addressOf('notifications')}
            icon="notifications"
            title="Notifications"
            count={unread.value}
          />
          <LinkRow to={addressOf('settings')} icon="settings" title="Settings" />
          <li>
            <button type="button" class="link-row" onClick={() => void undo()}>
              <Icon name="undo" />
              Undo the last change
            </button>
          </li>
          <li>
            <button type="button" class="link-row" onClick={openSignOut}>
              <Icon name="sign-out" />
              Sign out
            </button>
          </li>
        </ul>
      </div>
    </main>
  );
}
