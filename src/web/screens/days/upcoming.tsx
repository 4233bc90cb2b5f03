import { useMemo } from 'preact/hooks';
import { today } from '../../shell/clock.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { DaysScreen, groupsOfDays, useDayTasks } from './days.tsx';

const LAST_DAY = '9999-12-31';

/** Everything that has a date, by day. */
export function Upcoming({ params }: ScreenProps) {
  const day = today.value;
  const tasks = useDayTasks({
    workspaceId: params.w,
    where: ({ dueDate, dueDay }) => dueDate !== null || dueDay !== null,
  });
  useTaskCommands();
  const groups = useMemo(() => groupsOfDays(tasks, day), [tasks, day]);
  return (
    <DaysScreen
      title="Upcoming"
      workspaceId={params.w}
      tasks={tasks}
      groups={groups}
      until={LAST_DAY}
      empty="Nothing has a date yet."
    />
  );
}
