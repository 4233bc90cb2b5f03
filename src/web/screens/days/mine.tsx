import { useMemo } from 'preact/hooks';
import { today, zone } from '../../shell/clock.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { dueOf } from '../../tasks/dates.ts';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import type { TaskGroup } from '../../tasks/task-groups.tsx';
import { DaysScreen, useDayTasks } from './days.tsx';

const TITLES = { late: 'Overdue', today: 'Today', later: 'Later', never: 'No date' };

/** Everything that was given to me, by when it is due. */
export function Mine({ params }: ScreenProps) {
  const day = today.value;
  const tasks = useDayTasks({ workspaceId: params.w, onlyMine: true });
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
    <DaysScreen
      title="My tasks"
      workspaceId={params.w}
      onlyMine
      tasks={tasks}
      groups={groups}
      empty="No open task is yours."
    />
  );
}
