import { isFirstLoad, workspaces } from '../shell/frame-view.ts';
import { setQuery } from '../shell/navigation.ts';
import { useUserData } from '../shell/store.ts';
import { FILTER_NAMES, FILTER_TITLES, type FilterName, sayFilter } from '../text/say-filters.ts';
import { Button } from '../ui/button.tsx';
import { Cut } from '../ui/cut.tsx';
import { Icon } from '../ui/icon.tsx';
import { clearFilters, filters } from './filters.ts';

/** Says the value of a filter in words; follows the names of people, labels and statuses. */
export function useFilterWords(): (name: FilterName, value: string) => string {
  const { store, labels, lists, membersIn } = useUserData();
  const { view } = store;
  const people = workspaces.value.map(({ id }) => membersIn(id));
  for (const list of [labels, lists, ...people]) list.revision.value;
  const titleOf = (name: FilterName, id: string): string | undefined => {
    if (name === 'label') return view.row('label', id)?.title;
    if (name === 'status') return view.status(id)?.title;
    return people.flatMap(({ rows }) => rows).find(({ userId }) => userId === id)?.name;
  };
  return (name, value) =>
    sayFilter(name, value, (of, id) => titleOf(of, id) ?? (isFirstLoad.value ? '…' : undefined));
}

/** The filters of the address by name and value, each a button that removes it. */
export function FilterChips() {
  const say = useFilterWords();
  const given = FILTER_NAMES.flatMap((name) => {
    const value = filters.value[name];
    return value === undefined ? [] : [[name, say(name, value)] as const];
  });
  if (given.length === 0) return null;
  /** The focus goes on before what has it is gone. */
  const leave = (from: HTMLElement, next: Element | null) => {
    const filter = from.closest('.head')?.querySelector<HTMLElement>('[aria-label="Filter"]');
    if (given.length > 1 && next instanceof HTMLElement) next.focus();
    else filter?.focus();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of buttons
    <div class="chips filters" role="group" aria-label="Filters">
      {given.map(([name, words]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-label={`${FILTER_TITLES[name]}: ${words}; remove filter`}
          onClick={({ currentTarget }) => {
            leave(currentTarget, currentTarget.nextElementSibling);
            setQuery({ [name]: undefined });
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Delete' && event.key !== 'Backspace') return;
            event.preventDefault();
            event.stopPropagation();
            event.currentTarget.click();
          }}
        >
          <span class="quiet">{FILTER_TITLES[name]}:</span>
          <Cut>{words}</Cut>
          <Icon name="close" />
        </button>
      ))}
      <Button
        class="plain clear"
        onClick={({ currentTarget }) => {
          leave(currentTarget, null);
          clearFilters();
        }}
      >
        Clear filters
      </Button>
    </div>
  );
}
