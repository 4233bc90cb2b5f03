import { useMemo } from 'preact/hooks';
import { today, zone } from '../../shell/clock.ts';
import { useCommands } from '../../shell/commands.ts';
import { Examples } from '../../shell/first-visit.tsx';
import { mayWriteIn } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { moveToToday } from '../../tasks/changes.ts';
import { dueOf } from '../../tasks/dates.ts';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { addDays } from '../../text/days.ts';
import { sayLongDay } from '../../text/say-dates.ts';
import { Keycaps } from '../../ui/keycaps.tsx';
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
  const late = tasks.filter((task) => (dueOf(task, zone.value)?.day ?? '') < day);
  useCommands(
    () => [
      {
        id: 'all-to-today',
        title: 'Move all overdue to today',
        group: 'Here',
        keys: ['t'],
        icon: 'sun',
        writes: true,
        run: () => moveToToday(late),
      },
    ],
    [late.map(({ id }) => id).join()],
  );
  useTaskCommands();
  const groups = useMemo(() => {
    const action = late.some(({ workspaceId }) => mayWriteIn(workspaceId)) && (
      <button type="button" class="button plain push" aria-keyshortcuts="t" onClick={() => moveToToday(late)}>
        Move to today <Keycaps binding="t" />
      </button>
    );
    return groupsOfDays(tasks, day).map((group) => (group.key === 'late' ? { ...group, action } : group));
  }, [tasks, day]);
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
