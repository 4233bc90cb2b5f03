import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isPhone } from '../shell/device.ts';
import { Lazy } from '../shell/lazy.tsx';
import { Icon } from '../ui/icon.tsx';
import { MenuButton, type MenuItem } from '../ui/menu.tsx';
import { ScreenHeading } from '../ui/screen-heading.tsx';
import { filters } from './filters.ts';

interface Props {
  title: string;
  /** The title's words, where some of them look different. */
  heading?: ComponentChildren;
  /** Beside or above the title. */
  note?: string;
  /** Between the title and the tools: the views of a list. */
  children?: ComponentChildren;
  /** Whose statuses and labels the filters offer; none: those of every workspace. */
  listId?: string;
  workspaceId?: string | undefined;
  /** Sorting and grouping are for lists; days have theirs. */
  hasDisplay?: boolean;
  menu?: readonly MenuItem[];
}

const loadDialogs = () => import('./view-dialogs.tsx');

/** The head of a screen of tasks: its title, views, filters, display, menu. */
export function ScreenHead({
  title,
  heading = title,
  note,
  children,
  listId,
  workspaceId,
  hasDisplay,
  menu = [],
}: Props) {
  const [open, setOpen] = useState<'filter' | 'display'>();
  const count = Object.keys(filters.value).length;
  const close = () => setOpen(undefined);
  const subtitle = note && <p class="quiet">{note}</p>;
  return (
    <header class="head">
      {isPhone.value ? (
        <div>
          {subtitle}
          <ScreenHeading title={title}>{heading}</ScreenHeading>
        </div>
      ) : (
        <>
          <ScreenHeading title={title}>{heading}</ScreenHeading>
          {subtitle}
        </>
      )}
      <div class="tools">
        {children}
        <button
          type="button"
          class={count > 0 ? 'tool chosen' : 'tool'}
          aria-label="Filter"
          aria-haspopup="dialog"
          aria-describedby={count > 0 ? 'filter-count' : undefined}
          onClick={() => setOpen('filter')}
        >
          <Icon name="filter" />
        </button>
        {count > 0 && (
          <span id="filter-count" hidden>
            {count} set
          </span>
        )}
        {hasDisplay && (
          <button
            type="button"
            class="tool"
            aria-label="Display"
            aria-haspopup="dialog"
            onClick={() => setOpen('display')}
          >
            <Icon name="sliders" />
          </button>
        )}
        {menu.length > 0 && (
          <MenuButton class="tool" label="More" items={menu}>
            <Icon name="more" />
          </MenuButton>
        )}
      </div>
      {open === 'filter' && (
        <Lazy
          load={async () => (await loadDialogs()).FilterDialog}
          props={{ onClose: close, listId, workspaceId }}
        />
      )}
      {open === 'display' && (
        <Lazy load={async () => (await loadDialogs()).DisplayDialog} props={{ onClose: close }} />
      )}
    </header>
  );
}
