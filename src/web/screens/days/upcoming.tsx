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
import { DaysEmpty, dayTitle, RestOfDays, useDayFilter } from './days.tsx';

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
  const groups = useMemo(() => {
    const byDay = new Map<string, TaskGroup & { ids: string[] }>();
    for (const task of tasks) {
      const due = dueOf(task, zone.peek())?.day ?? '';
      const isLate = due < day;
      const key = isLate ? 'late' : due;
      const known = byDay.get(key);
      if (known) known.ids.push(task.id);
      else {
        const title = isLate ? 'Overdue' : dayTitle(due, day);
        byDay.set(key, { key, title, ids: [task.id], ...(!isLate && { day: due }) });
      }
    }
    return [...byDay.values()];
  }, [tasks, day]);
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
