import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Command, useCommands } from '../shell/commands.ts';
import { isPhone } from '../shell/device.ts';
import { Lazy } from '../shell/lazy.tsx';
import { Icon } from '../ui/icon.tsx';
import { type MenuItem, MoreButton } from '../ui/menu.tsx';
import { ScreenHeading } from '../ui/screen-heading.tsx';
import { FilterChips } from './filter-chips.tsx';
import { clearFilters, filters, grouping, sort } from './filters.ts';

interface Props {
  title: string;
  /** The title's words, where some of them look different. */
  heading?: ComponentChildren;
  /** Beside or above the title. */
  note?: string | undefined;
  /** Between the title and the tools: the views of a list. */
  children?: ComponentChildren;
  /** Whose statuses and labels the filters offer; none: those of every workspace. */
  listId?: string;
  workspaceId?: string | undefined;
  /** Whose tasks are shown while no filter says it; none: everyone's. */
  whose?: string;
  /** Sorting and grouping are for lists; days have theirs. */
  hasDisplay?: boolean;
  menu?: readonly MenuItem[];
}

const loadFilter = async () => (await import('./view-dialogs.tsx')).FilterDialog;
const loadDisplay = async () => (await import('./view-dialogs.tsx')).DisplayDialog;

/** The head of a screen of tasks: its title, views, filters, display, menu. */
export function ScreenHead({
  title,
  heading = title,
  note,
  children,
  listId,
  workspaceId,
  whose,
  hasDisplay,
  menu = [],
}: Props) {
  const [open, setOpen] = useState<'filter' | 'display'>();
  const count = Object.keys(filters.value).length;
  const isDisplayed = hasDisplay && (sort.value !== 'position' || grouping.value !== 'status');
  const close = () => setOpen(undefined);
  useCommands(() => {
    const all: (Command | false | undefined)[] = [
      { id: 'filter', title: 'Filter…', group: 'View', icon: 'filter', run: () => setOpen('filter') },
      count > 0 && {
        id: 'clear-filters',
        title: 'Clear filters',
        group: 'View',
        icon: 'filter',
        run: clearFilters,
      },
      hasDisplay && {
        id: 'display',
        title: 'Display: sort and group…',
        group: 'View',
        icon: 'sliders',
        run: () => setOpen('display'),
      },
    ];
    return all.filter((command) => typeof command === 'object');
  }, [count > 0, hasDisplay]);
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
            class={isDisplayed ? 'tool chosen' : 'tool'}
            aria-label="Display"
            aria-haspopup="dialog"
            onClick={() => setOpen('display')}
          >
            <Icon name="sliders" />
          </button>
        )}
        {menu.length > 0 && <MoreButton items={menu} />}
      </div>
      <FilterChips />
      {open === 'filter' && <Lazy load={loadFilter} props={{ onClose: close, listId, workspaceId, whose }} />}
      {open === 'display' && <Lazy load={loadDisplay} props={{ onClose: close }} />}
    </header>
  );
}
