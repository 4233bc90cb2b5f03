import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { workspace } from '../shell/frame-view.ts';
import { query, setQuery } from '../shell/navigation.ts';
import { useShelf } from '../shell/store.ts';
import { PRIORITY_NAMES } from '../text/priorities.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { statusesIn } from './changes.ts';
import {
  clearFilters,
  DUES,
  FILTER_NAMES,
  type FilterName,
  filters,
  GROUPINGS,
  grouping,
  SORTS,
  sort,
} from './filters.ts';

interface Choice {
  value: string;
  title: string;
}

const choicesOf = (names: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(names).map(([value, title]) => ({ value, title }));

interface FilterProps {
  onClose(): void;
  listId?: string | undefined;
  workspaceId?: string | undefined;
}

/** What of a screen is shown; it takes effect at once, and stands in the address. */
export function FilterDialog({ onClose, listId, workspaceId = workspace.value?.id }: FilterProps) {
  const { labels, membersIn } = useShelf();
  const isDays = listId === undefined;
  const people = workspaceId === undefined ? [] : membersIn(workspaceId).rows;
  const statuses = isDays
    ? choicesOf({ unstarted: 'Not started', started: 'Started' })
    : [
        { value: 'open', title: 'Open' },
        ...statusesIn(listId).map(({ id, title }) => ({ value: id, title })),
      ];
  const choices: Record<FilterName, { title: string; none: string; options: Choice[] }> = {
    priority: { title: 'Priority', none: 'Any', options: choicesOf(PRIORITY_NAMES).reverse() },
    assignee: {
      title: 'Assignee',
      none: isDays ? 'Me and no one' : 'Anyone',
      options: [
        ...(isDays ? [{ value: 'everyone', title: 'Everyone' }] : []),
        { value: 'me', title: 'Me' },
        { value: 'none', title: 'No one' },
        ...people.map(({ userId, name }) => ({ value: userId, title: name })),
      ],
    },
    label: {
      title: 'Label',
      none: 'Any',
      options: [
        { value: 'none', title: 'No label' },
        ...labels.rows
          .filter((label) => workspaceId === undefined || label.workspaceId === workspaceId)
          .map(({ id, title }) => ({ value: id, title })),
      ],
    },
    status: { title: 'Status', none: 'Any', options: statuses },
    due: { title: 'Due', none: 'Any', options: choicesOf(DUES) },
  };
  return (
    <ViewDialog title="Filter" onClose={onClose}>
      {FILTER_NAMES.map((name) => {
        const { title, none, options } = choices[name];
        const value = filters.value[name] ?? '';
        return (
          <Select
            key={name}
            label={title}
            value={value}
            options={[{ value: '', title: none }, ...options]}
            onChange={(chosen) => setQuery({ [name]: chosen })}
          />
        );
      })}
      <div class="line actions">
        <button type="button" class="button plain" onClick={clearFilters}>
          Clear
        </button>
        <button type="button" class="button main push" onClick={onClose}>
          Done
        </button>
      </div>
    </ViewDialog>
  );
}

/** How a list is sorted and grouped. */
export function DisplayDialog({ onClose }: { onClose(): void }) {
  const isSorted = query.value.has('sort') && sort.value !== 'position';
  return (
    <ViewDialog title="Display" onClose={onClose}>
      <Select
        label="Sort by"
        value={sort.value}
        options={choicesOf(SORTS)}
        onChange={(chosen) => setQuery({ sort: chosen === 'position' ? undefined : chosen })}
      />
      {isSorted && <p class="quiet">While a list is sorted, its own order cannot be changed.</p>}
      <Select
        label="Group by"
        value={grouping.value}
        options={choicesOf(GROUPINGS)}
        onChange={(chosen) => setQuery({ group: chosen === 'status' ? undefined : chosen })}
      />
      <div class="line actions">
        <button type="button" class="button main push" onClick={onClose}>
          Done
        </button>
      </div>
    </ViewDialog>
  );
}

function ViewDialog({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose(): void;
  children: ComponentChildren;
}) {
  return (
    <Dialog label={title} class="small" onClose={onClose} onSave={onClose}>
      <div class="view-form">
        <h2>{title}</h2>
        {children}
      </div>
    </Dialog>
  );
}

interface SelectProps {
  label: string;
  value: string;
  options: readonly Choice[];
  onChange(value: string): void;
}

/** A labelled choice of one. */
export function Select({ label, value, options, onChange }: SelectProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="name" for={id}>
        {label}
      </label>
      <span class="input">
        <select id={id} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value} selected={option.value === value}>
              {option.title}
            </option>
          ))}
        </select>
        <Icon name="down" small />
      </span>
    </div>
  );
}
