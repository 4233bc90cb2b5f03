import { useMemo } from 'preact/hooks';
import { today, zone } from '../../shell/clock.ts';
import { isFirstLoad } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { isOpen, useShelf } from '../../shell/store.ts';
import { lingering } from '../../tasks/act.ts';
import { compareDue, dueOf } from '../../tasks/dates.ts';
import { KeyLine } from '../../tasks/key-line.tsx';
import { ScreenHead } from '../../tasks/screen-head.tsx';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { type TaskGroup, TaskGroups } from '../../tasks/task-groups.tsx';
import { useTasks } from '../../tasks/use-tasks.ts';
import { DaysEmpty, RestOfDays, useDayFilter } from './days.tsx';

const TITLES = { late: 'Overdue', today: 'Today', later: 'Later', never: 'No date' };

/** Everything that was given to me, by when it is due. */
export function Mine({ params }: ScreenProps) {
  const { store } = useShelf();
  const day = today.value;
  const where = useDayFilter(params.w, { onlyMine: true });
  const tasks = useTasks(
    (task) => where.passes(task) && (isOpen(store, task) || lingering.peek().has(task.id)),
    compareDue(zone.value),
    [...where.inputs, zone.value],
  );
  useTaskCommands();
  const groups = useMemo(() => {
    const ids: Record<keyof typeof TITLES, string[]> = { late: [], today: [], later: [], never: [] };
    for (const task of tasks) {
      const due = dueOf(task, zone.peek())?.day;
      const key = due === undefined ? 'never' : due < day ? 'late' : due === day ? 'today' : 'later';
      ids[key].push(task.id);
    }
    return (Object.keys(TITLES) as (keyof typeof TITLES)[]).flatMap((key): TaskGroup[] =>
      ids[key].length === 0
        ? []
        : [{ key, title: TITLES[key], ids: ids[key], ...(key === 'today' && { day }) }],
    );
  }, [tasks, day]);
  return (
    <main class="sheet">
      <ScreenHead title="My tasks" workspaceId={params.w} whose="Me" />
      {tasks.length === 0 && !isFirstLoad.value ? (
        <DaysEmpty isFiltered={where.isFiltered}>No open task is yours.</DaysEmpty>
      ) : (
        <div class="scroll" aria-busy={isFirstLoad.value}>
          <TaskGroups groups={groups} showsList isMine />
        </div>
      )}
      <RestOfDays workspaceId={params.w} tasks={tasks} onlyMine />
      <KeyLine />
    </main>
  );
}
