import { useMemo } from 'preact/hooks';
import { today, zone } from '../../shell/clock.ts';
import { isFirstLoad } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { isOpen, useShelf } from '../../shell/store.ts';
import { lingering } from '../../tasks/act.ts';
import { compareDue } from '../../tasks/dates.ts';
import { KeyLine } from '../../tasks/key-line.tsx';
import { ScreenHead } from '../../tasks/screen-head.tsx';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { TaskGroups } from '../../tasks/task-groups.tsx';
import { useTasks } from '../../tasks/use-tasks.ts';
import { DaysEmpty, groupsOfDays, RestOfDays, useDayFilter } from './days.tsx';

const LAST_DAY = '9999-12-31';

/** Everything that has a date, by day. */
export function Upcoming({ params }: ScreenProps) {
  const { store } = useShelf();
  const day = today.value;
  const where = useDayFilter(params.w);
  const tasks = useTasks(
    (task) => {
      if (!where.passes(task) || (task.dueDate === null && task.dueDay === null)) return false;
      return isOpen(store, task) || lingering.peek().has(task.id);
    },
    compareDue(zone.value),
    [...where.inputs, zone.value],
  );
  useTaskCommands();
  const groups = useMemo(() => groupsOfDays(tasks, day), [tasks, day]);
  return (
    <main class="sheet">
      <ScreenHead title="Upcoming" workspaceId={params.w} whose="Me and no one" />
      {tasks.length === 0 && !isFirstLoad.value ? (
        <DaysEmpty isFiltered={where.isFiltered}>Nothing has a date yet.</DaysEmpty>
      ) : (
        <div class="scroll" aria-busy={isFirstLoad.value}>
          <TaskGroups groups={groups} showsList hidesMe />
        </div>
      )}
      <RestOfDays workspaceId={params.w} tasks={tasks} until={LAST_DAY} />
      <KeyLine />
    </main>
  );
}
