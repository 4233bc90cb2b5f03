import { addressOf } from '../../shell/addresses.ts';
import { countOf, counts, inbox, workspace } from '../../shell/frame-view.ts';
import { workspaceItems } from '../../shell/overlays.tsx';
import { Cut } from '../../ui/cut.tsx';
import { Icon } from '../../ui/icon.tsx';
import { LinkRow } from '../../ui/link-row.tsx';
import { MenuButton } from '../../ui/menu.tsx';
import { ScreenHeading } from '../../ui/screen-heading.tsx';

/** On phones: what the left side holds elsewhere. */
export function Lists() {
  const current = workspace.value;
  return (
    <main class="sheet">
      <header class="head">
        <ScreenHeading title="Lists" />
        <MenuButton class="button push" items={workspaceItems()}>
          <Cut>{current?.title ?? 'Errand'}</Cut>
          <Icon name="down" small />
        </MenuButton>
      </header>
      <div class="scroll">
        <ul class="links">
          <LinkRow to={addressOf('upcoming')} icon="upcoming" title="Upcoming" />
          <LinkRow to={addressOf('mine')} icon="me" title="My tasks" count={counts.value.mine} />
          {current && inbox.value && (
            <LinkRow
              to={addressOf('inbox', { w: current.id })}
              icon="inbox"
              title="Inbox"
              count={countOf(inbox.value.id)}
            />
          )}
          {current && (
            <>
              <LinkRow to={addressOf('calendar', { w: current.id })} icon="upcoming" title="Calendar" />
              <LinkRow to={addressOf('recurring', { w: current.id })} icon="repeat" title="Recurring" />
              <LinkRow to={addressOf('trash', { w: current.id })} icon="trash" title="Trash" />
            </>
          )}
        </ul>
        {current?.spaces.map((space) => (
          <section key={space.id} aria-labelledby={`space-${space.id}`}>
            <div class="group-head">
              <h2 id={`space-${space.id}`} dir="auto">
                {space.title}
              </h2>
            </div>
            <ul class="links">
              {space.lists.map(({ id, title }) => (
                <LinkRow
                  key={id}
                  to={addressOf('list', { w: current.id, listId: id })}
                  icon="list"
                  title={title}
                  count={countOf(id)}
                />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </main>
  );
}
