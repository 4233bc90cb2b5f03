import type { Task } from '../data/rows.ts';
import { today, zone } from '../shell/clock.ts';
import { useUserData } from '../shell/store.ts';
import type { Filters } from '../text/say-filters.ts';
import { filters, passes } from './filters.ts';

interface FiltersInUse {
  wanted: Filters;
  isFiltered: boolean;
  /** What `passes` depends on besides the task. */
  inputs: readonly unknown[];
  passes(task: Task): boolean;
}

/** The filters in the address, for this user, today and here. */
export function useFilters(): FiltersInUse {
  const { store, userId } = useUserData();
  const wanted = filters.value;
  const context = {
    userId,
    today: today.value,
    zone: zone.value,
    statusOf: (id: string) => store.view.status(id),
  };
  return {
    wanted,
    isFiltered: Object.keys(wanted).length > 0,
    inputs: [JSON.stringify(wanted), userId, context.today, context.zone],
    passes: (task) => passes(task, wanted, context),
  };
}
