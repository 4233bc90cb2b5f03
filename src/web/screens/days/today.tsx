import { useMemo } from 'preact/hooks';
import { today, zone } from '../../shell/clock.ts';
import { Examples } from '../../shell/first-visit.tsx';
import type { ScreenProps } from '../../shell/screens.ts';
import { dueOf } from '../../tasks/dates.ts';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { addDays } from '../../text/days.ts';
import { sayLongDay } from '../../text/say-dates.ts';
import { DaysScreen, groupsOfDays, useDayTasks } from './days.tsx';

/** What is overdue, today by time, then seven days. */
export function Today({ params }: ScreenProps) {
  const day = today.value;
  const until = addDays(day, 8);
  const tasks = useDayTasks({
    workspaceId: params.w,
    where: (task) => (dueOf(task, zone.peek())?.day ?? until) < until,
    inputs: [until],
  });
  useTaskCommands();
  const groups = useMemo(() => groupsOfDays(tasks, day), [tasks, day]);
  return (
    <DaysScreen
      title="Today"
      note={sayLongDay(day)}
      workspaceId={params.w}
      tasks={tasks}
      groups={groups}
      until={until}
      empty="Nothing is due in the next seven days."
    >
      <Examples />
    </DaysScreen>
  );
}
