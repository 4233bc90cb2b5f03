import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Command, useCommands } from '../shell/commands.ts';
import { isPhone } from '../shell/device.ts';
import { Lazy } from '../shell/lazy.tsx';
import { Back } from '../ui/back.tsx';
import { Tool } from '../ui/button.tsx';
import type { IconName } from '../ui/icons.ts';
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
  /** A board has its columns. */
  hasGroups?: boolean;
  menu?: readonly MenuItem[];
}

const loadFilter = async () => (await import('./view-dialogs.tsx')).FilterDialog;
const loadDisplay = async () => (await import('./view-dialogs.tsx')).DisplayDialog;

const viewing = (id: string, title: string, icon: IconName, run: () => void): Command => ({
  id,
  title,
  group: 'View',
  icon,
  run,
});

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
  hasGroups = false,
  menu = [],
}: Props) {
  const [open, setOpen] = useState<'filter' | 'display'>();
  const count = Object.keys(filters.value).length;
  const isDisplayed = hasDisplay && (sort.value !== 'position' || (hasGroups && grouping.value !== 'status'));
  const close = () => setOpen(undefined);
  useCommands(() => {
    const all = [viewing('filter', 'Filter…', 'filter', () => setOpen('filter'))];
    if (count > 0) all.push(viewing('clear-filters', 'Clear filters', 'filter', clearFilters));
    if (hasDisplay)
      all.push(
        viewing('display', hasGroups ? 'Display: sort and group…' : 'Display: sort…', 'sliders', () =>
          setOpen('display'),
        ),
      );
    return all;
  }, [count > 0, hasDisplay, hasGroups]);
  const subtitle = note && <p class="quiet">{note}</p>;
  return (
    <header class="head">
      <Back />
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
        <Tool
          class={count > 0 ? 'chosen' : ''}
          icon="filter"
          label="Filter"
          aria-haspopup="dialog"
          aria-describedby={count > 0 ? 'filter-count' : undefined}
          onClick={() => setOpen('filter')}
        />
        {count > 0 && (
          <span id="filter-count" hidden>
            {count} set
          </span>
        )}
        {hasDisplay && (
          <Tool
            class={isDisplayed ? 'chosen' : ''}
            icon="sliders"
            label="Display"
            aria-haspopup="dialog"
            onClick={() => setOpen('display')}
          />
        )}
        {menu.length > 0 && <MoreButton items={menu} />}
      </div>
      <FilterChips />
      {open === 'filter' && <Lazy load={loadFilter} props={{ onClose: close, listId, workspaceId, whose }} />}
      {open === 'display' && <Lazy load={loadDisplay} props={{ onClose: close, hasGroups }} />}
    </header>
  );
}
