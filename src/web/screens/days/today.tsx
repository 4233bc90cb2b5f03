import { useMemo } from 'preact/hooks';
import { today, zone } from '../../shell/clock.ts';
import { useCommands } from '../../shell/commands.ts';
import { Examples } from '../../shell/first-visit.tsx';
import { isFirstLoad, mayWriteIn } from '../../shell/frame-view.ts';
import type { ScreenProps } from '../../shell/screens.ts';
import { isOpen, useShelf } from '../../shell/store.ts';
import { lingering } from '../../tasks/act.ts';
import { moveToToday } from '../../tasks/changes.ts';
import { compareDue, dueOf } from '../../tasks/dates.ts';
import { KeyLine } from '../../tasks/key-line.tsx';
import { ScreenHead } from '../../tasks/screen-head.tsx';
import { useTaskCommands } from '../../tasks/task-commands.ts';
import { TaskGroups } from '../../tasks/task-groups.tsx';
import { useTasks } from '../../tasks/use-tasks.ts';
import { addDays } from '../../text/days.ts';
import { Keycaps } from '../../ui/keycaps.tsx';
import { DaysEmpty, groupsOfDays, RestOfDays, sayLongDay, useDayFilter } from './days.tsx';

/** What is overdue, today by time, then seven days. */
export function Today({ params }: ScreenProps) {
  const { store } = useShelf();
  const day = today.value;
  const last = addDays(day, 7);
  const where = useDayFilter(params.w);
  const tasks = useTasks(
    (task) => {
      if (!where.passes(task)) return false;
      if (!isOpen(store, task) && !lingering.peek().has(task.id)) return false;
      const due = dueOf(task, zone.peek());
      return due !== null && due.day <= last;
    },
    compareDue(zone.value),
    [...where.inputs, day, zone.value],
  );
  const late = tasks.filter((task) => (dueOf(task, zone.value)?.day ?? '') < day);
  useCommands(
    () => [
      {
        id: 'all-to-today',
        title: 'Move all overdue to today',
        group: 'Here',
        keys: ['t'],
        icon: 'sun',
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
    <main class="sheet">
      <ScreenHead title="Today" note={sayLongDay(day)} workspaceId={params.w} whose="Me and no one" />
      <Examples />
      {tasks.length === 0 && !isFirstLoad.value ? (
        <DaysEmpty isFiltered={where.isFiltered}>Nothing is due in the next seven days.</DaysEmpty>
      ) : (
        <div class="scroll" aria-busy={isFirstLoad.value}>
          <TaskGroups groups={groups} showsList hidesMe />
        </div>
      )}
      <RestOfDays workspaceId={params.w} tasks={tasks} until={addDays(last, 1)} />
      <KeyLine />
    </main>
  );
}
