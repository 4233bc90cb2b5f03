import { useMemo } from 'preact/hooks';
import { addressOf } from '../../shell/addresses.ts';
import { today } from '../../shell/clock.ts';
import { isPhone } from '../../shell/device.ts';
import { workspace } from '../../shell/frame-view.ts';
import { hrefOf } from '../../shell/navigation.ts';
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
  const w = params.w ?? workspace.value?.id;
  const groups = useMemo(() => groupsOfDays(tasks, day), [tasks, day]);
  return (
    <DaysScreen
      title="Upcoming"
      workspaceId={params.w}
      tasks={tasks}
      groups={groups}
      until={LAST_DAY}
      views={
        // On phones it is among the lists.
        w !== undefined &&
        !isPhone.value && (
          <div class="tabs">
            <a href={hrefOf(addressOf('calendar', { w }))}>Calendar</a>
          </div>
        )
      }
      empty="Nothing has a date yet."
    />
  );
}
