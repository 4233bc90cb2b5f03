import type { ComponentChildren } from 'preact';
import type { Task } from '../../data/rows.ts';
import { zone } from '../../shell/clock.ts';
import { cutWorkspaces } from '../../shell/server-counts.ts';
import { isOpen, useShelf } from '../../shell/store.ts';
import { dueOf, isMineOrNobodys } from '../../tasks/dates.ts';
import { Empty, NothingPasses } from '../../tasks/empty.tsx';
import { clearFilters, filters } from '../../tasks/filters.ts';
import { Rest } from '../../tasks/rest.tsx';
import type { TaskGroup } from '../../tasks/task-groups.tsx';
import { useFilters } from '../../tasks/use-filters.ts';
import { type Day, daysBetween, weekdayIndex, yearOf } from '../../text/days.ts';
import { MONTHS, SHORT_MONTHS, WEEKDAY_NAMES } from '../../text/say-dates.ts';

/** Whose tasks a screen of days shows: mine and nobody's, unless the address names someone. */
export function useDayFilter(workspaceId: string | undefined, { onlyMine = false } = {}) {
  const { userId } = useShelf();
  const { wanted, isFiltered, inputs, passes } = useFilters();
  return {
    isFiltered,
    inputs: [workspaceId, ...inputs],
    passes: (task: Task): boolean => {
      if (workspaceId !== undefined && task.workspaceId !== workspaceId) return false;
      if (wanted.assignee === undefined) {
        if (onlyMine ? task.assigneeId !== userId : !isMineOrNobodys(task, userId)) return false;
      }
      return passes(task);
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

/** Tasks by the day they are due; those before `present` are one group. */
export function groupsOfDays(tasks: readonly Task[], present: Day): TaskGroup[] {
  const byDay = Map.groupBy(tasks, (task) => {
    const due = dueOf(task, zone.peek())?.day ?? '';
    return due < present ? 'late' : due;
  });
  return [...byDay].map(([key, its]) => {
    const ids = its.map(({ id }) => id);
    return key === 'late'
      ? { key, title: 'Overdue', ids }
      : { key, title: dayTitle(key, present), ids, day: key };
  });
}

interface EmptyProps {
  isFiltered: boolean;
  children: ComponentChildren;
}

/** Nothing to do, or nothing that passes. */
export const DaysEmpty = ({ isFiltered, children }: EmptyProps) =>
  isFiltered ? <NothingPasses onClear={clearFilters} /> : <Empty>{children}</Empty>;

interface RestProps {
  workspaceId: string | undefined;
  tasks: readonly Task[];
  /** The first day that the screen does not show. */
  until?: Day;
  onlyMine?: boolean;
}

/** What a screen of days should show and this device does not hold. */
export function RestOfDays({ workspaceId, tasks, until, onlyMine = false }: RestProps) {
  const { store } = useShelf();
  const { assignee, ...others } = filters.value;
  const isPlain = assignee === undefined && Object.keys(others).length === 0;
  const inCut = tasks.filter((task) => cutWorkspaces.value.includes(task.workspaceId) && isOpen(store, task));
  return (
    <Rest
      workspaceId={workspaceId}
      query={{
        sortBy: 'dueDate',
        ...(assignee === undefined && { assigneeId: onlyMine ? 'me' : 'me,none' }),
        ...(until && { dueBefore: until, timezone: zone.value }),
      }}
      held={isPlain ? inCut.length : undefined}
    />
  );
}
