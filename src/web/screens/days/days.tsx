import type { ComponentChildren } from 'preact';
import type { Task } from '../../data/rows.ts';
import { today, zone } from '../../shell/clock.ts';
import { useShelf } from '../../shell/store.ts';
import { isMineOrNobodys } from '../../tasks/dates.ts';
import { Empty, NothingPasses } from '../../tasks/empty.tsx';
import { clearFilters, filters, passes } from '../../tasks/filters.ts';
import { type Day, daysBetween, weekdayIndex, yearOf } from '../../text/days.ts';
import { MONTHS, SHORT_MONTHS, WEEKDAY_NAMES } from '../../text/say-dates.ts';

/** Whose tasks a screen of days shows: mine and nobody's, unless the address names someone. */
export function useDayFilter(workspaceId: string | undefined, { onlyMine = false } = {}) {
  const { store, userId } = useShelf();
  const wanted = filters.value;
  const around = {
    userId,
    today: today.value,
    zone: zone.value,
    statusOf: (id: string) => store.view.status(id),
  };
  return {
    isFiltered: Object.keys(wanted).length > 0,
    inputs: [workspaceId, JSON.stringify(wanted), userId, around.today],
    passes: (task: Task): boolean => {
      if (workspaceId !== undefined && task.workspaceId !== workspaceId) return false;
      if (wanted.assignee === undefined) {
        if (onlyMine ? task.assigneeId !== userId : !isMineOrNobodys(task, userId)) return false;
      }
      return passes(task, wanted, around);
    },
  };
}

/** `Monday 23 November`. */
export function sayLongDay(day: Day): string {
  const [, month, date] = day.split('-').map(Number);
  return `${WEEKDAY_NAMES[weekdayIndex(day)]} ${date} ${MONTHS[(month ?? 1) - 1]}`;
}

/** The heading of a day: `Today`, `Tomorrow`, `Wednesday 25 Nov`. */
export function dayTitle(day: Day, present: Day): string {
  const distance = daysBetween(present, day);
  if (distance === 0) return 'Today';
  if (distance === 1) return 'Tomorrow';
  const [year, month, date] = day.split('-').map(Number);
  const text = `${WEEKDAY_NAMES[weekdayIndex(day)]} ${date} ${SHORT_MONTHS[(month ?? 1) - 1]}`;
  return year === yearOf(present) ? text : `${text} ${year}`;
}

interface EmptyProps {
  isFiltered: boolean;
  children: ComponentChildren;
}

/** Nothing to do, or nothing that passes. */
export const DaysEmpty = ({ isFiltered, children }: EmptyProps) =>
  isFiltered ? <NothingPasses onClear={clearFilters} /> : <Empty>{children}</Empty>;
