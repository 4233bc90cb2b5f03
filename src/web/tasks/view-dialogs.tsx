import { workspace } from '../shell/frame-view.ts';
import { query, setQuery } from '../shell/navigation.ts';
import { useUserData } from '../shell/store.ts';
import { PRIORITY_NAMES } from '../text/priorities.ts';
import { DUES, FILTER_NAMES, FILTER_TITLES, type FilterName, STATUS_TYPES } from '../text/say-filters.ts';
import { Button } from '../ui/button.tsx';
import { TitledDialog } from '../ui/dialog.tsx';
import { type Choice, choicesOf, Select } from '../ui/select.tsx';
import { statusesIn } from './changes.ts';
import { useFilterWords } from './filter-chips.tsx';
import { clearFilters, filters, GROUPINGS, grouping, SORTS, sort } from './filters.ts';

interface FilterProps {
  onClose(): void;
  listId?: string | undefined;
  workspaceId?: string | undefined;
  whose?: string | undefined;
}

/** What of a screen is shown; it takes effect at once, and stands in the address. */
export function FilterDialog({ onClose, listId, whose, workspaceId = workspace.value?.id }: FilterProps) {
  const { labels, membersIn } = useUserData();
  const say = useFilterWords();
  const people = workspaceId === undefined ? [] : membersIn(workspaceId).rows;
  const its = listId && statusesIn(listId).map(({ id, title }) => ({ value: id, title }));
  const statuses =
    whose === undefined
      ? [{ value: 'open', title: 'Open' }, ...(its || choicesOf(STATUS_TYPES))]
      : // Those of days are open.
        choicesOf({ unstarted: STATUS_TYPES.unstarted, started: STATUS_TYPES.started });
  const choices: Record<FilterName, { none: string; options: Choice[] }> = {
    priority: { none: 'Any', options: choicesOf(PRIORITY_NAMES).reverse() },
    assignee: {
      none: whose ?? 'Anyone',
      options: [
        ...(whose === undefined ? [] : [{ value: 'everyone', title: 'Everyone' }]),
        { value: 'me', title: 'Me' },
        { value: 'none', title: 'No one' },
        ...people.map(({ userId, name }) => ({ value: userId, title: name })),
      ],
    },
    label: {
      none: 'Any',
      options: [
        { value: 'none', title: 'No label' },
        ...labels.rows
          .filter((label) => workspaceId === undefined || label.workspaceId === workspaceId)
          .map(({ id, title }) => ({ value: id, title })),
      ],
    },
    status: { none: 'Any', options: statuses },
    due: { none: 'Any', options: choicesOf(DUES) },
  };
  return (
    <TitledDialog title="Filter" onClose={onClose} onSave={onClose}>
      {FILTER_NAMES.map((name) => {
        const { none, options } = choices[name];
        const value = filters.value[name] ?? '';
        // Of several values, or of what is not offered here, as a link may have them.
        const isOther = value !== '' && !options.some((option) => option.value === value);
        return (
          <Select
            key={name}
            label={FILTER_TITLES[name]}
            value={value}
            options={[
              { value: '', title: none },
              ...options,
              ...(isOther ? [{ value, title: say(name, value) }] : []),
            ]}
            onChange={(chosen) => setQuery({ [name]: chosen })}
          />
        );
      })}
      <div class="line actions">
        <Button class="plain" onClick={clearFilters}>
          Clear
        </Button>
        <Button class="main push" onClick={onClose}>
          Done
        </Button>
      </div>
    </TitledDialog>
  );
}

/** How a list is sorted and grouped. */
export function DisplayDialog({ hasGroups, onClose }: { hasGroups: boolean; onClose(): void }) {
  const isSorted = query.value.has('sort') && sort.value !== 'position';
  return (
    <TitledDialog title="Display" onClose={onClose} onSave={onClose}>
      <Select
        label="Sort by"
        value={sort.value}
        options={choicesOf(SORTS)}
        onChange={(chosen) => setQuery({ sort: chosen === 'position' ? undefined : chosen })}
      />
      {isSorted && <p class="quiet">While a list is sorted, its own order cannot be changed.</p>}
      {hasGroups && (
        <Select
          label="Group by"
          value={grouping.value}
          options={choicesOf(GROUPINGS)}
          onChange={(chosen) => setQuery({ group: chosen === 'status' ? undefined : chosen })}
        />
      )}
      <div class="line actions">
        <Button class="main push" onClick={onClose}>
          Done
        </Button>
      </div>
    </TitledDialog>
  );
}
