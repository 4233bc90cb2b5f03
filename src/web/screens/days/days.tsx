import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { Task } from '../../data/rows.ts';
import { zone } from '../../shell/clock.ts';
import { acting, keyShortcuts, useCommands, writing } from '../../shell/commands.ts';
import { isFirstLoad, mayWriteIn } from '../../shell/frame-view.ts';
import { cutWorkspaces } from '../../shell/server-counts.ts';
import { isOpen, useUserData } from '../../shell/store.ts';
import { lingering } from '../../tasks/act.ts';
import { moveToToday, tasksOf } from '../../tasks/changes.ts';
import { compareDue, dueOf, isMineOrNobodys } from '../../tasks/dates.ts';
import { Empty, NothingPasses } from '../../tasks/empty.tsx';
import { filters } from '../../tasks/filters.ts';
import { KeyLine } from '../../tasks/key-line.tsx';
import { ScreenHead } from '../../tasks/screen-head.tsx';
import { type TaskGroup, TaskGroups } from '../../tasks/task-groups.tsx';
import { UnloadedTasks } from '../../tasks/unloaded-tasks.tsx';
import { useFilters } from '../../tasks/use-filters.ts';
import { useTasks } from '../../tasks/use-tasks.ts';
import type { Day } from '../../text/days.ts';
import { dayTitle } from '../../text/say-dates.ts';
import { Button } from '../../ui/button.tsx';
import { Keycaps } from '../../ui/keycaps.tsx';

interface Shown {
  /** None: of every workspace. */
  workspaceId: string | undefined;
  /** Without those that are nobody's. */
  onlyMine?: boolean;
  where?(task: Task): boolean;
  /** What `where` depends on besides the task. */
  inputs?: readonly unknown[];
}

/** The open tasks of a screen of days, by due date: mine and nobody's, unless the address names someone. */
export function useDayTasks({ workspaceId, onlyMine = false, where, inputs = [] }: Shown): readonly Task[] {
  const { store, userId } = useUserData();
  const { wanted, passes, inputs: filterInputs } = useFilters();
  const isMeant = (task: Task): boolean => {
    if (wanted.assignee !== undefined) return true;
    return onlyMine ? task.assigneeId === userId : isMineOrNobodys(task, userId);
  };
  return useTasks(
    (task) =>
      (workspaceId === undefined || task.workspaceId === workspaceId) &&
      (isOpen(store, task) || lingering.peek().has(task.id)) &&
      isMeant(task) &&
      where?.(task) !== false &&
      passes(task),
    compareDue(zone.value),
    [workspaceId, zone.value, ...filterInputs, ...inputs],
  );
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

/** Lets everything overdue be moved to today: by a key, and at the heading of that group. */
function useMoveToToday(groups: readonly TaskGroup[]): readonly TaskGroup[] {
  const { store } = useUserData();
  const late = groups.find(({ key }) => key === 'late')?.ids ?? [];
  const move = () => moveToToday(tasksOf(late).filter((task) => isOpen(store, task)));
  useCommands(
    () => writing([acting('all-to-today', 'Move all overdue to today', 'sun', ['t'], move)]),
    [groups],
  );
  return useMemo(() => {
    const action = tasksOf(late).some(({ workspaceId }) => mayWriteIn(workspaceId)) && (
      <Button class="plain push" aria-keyshortcuts={keyShortcuts('t')} onClick={move}>
        Move to today <Keycaps binding="t" />
      </Button>
    );
    return groups.map((group) => (group.key === 'late' ? { ...group, action } : group));
  }, [groups]);
}

interface Props extends Pick<Shown, 'workspaceId' | 'onlyMine'> {
  title: string;
  note?: string;
  tasks: readonly Task[];
  groups: readonly TaskGroup[];
  /** What is said where there are none. */
  empty: string;
  /** The first day that the screen does not show. */
  until?: Day;
  /** Other views of them. */
  views?: ComponentChildren;
  /** Between the head and the tasks. */
  children?: ComponentChildren;
}

/** A screen of tasks by their days. */
export function DaysScreen({ workspaceId, onlyMine = false, title, note, ...more }: Props) {
  const { tasks, empty, until, views, children } = more;
  const groups = useMoveToToday(more.groups);
  return (
    <main class="sheet">
      <ScreenHead
        title={title}
        note={note}
        workspaceId={workspaceId}
        whose={onlyMine ? 'Me' : 'Me and no one'}
      >
        {views}
      </ScreenHead>
      {children}
      {tasks.length > 0 || isFirstLoad.value ? (
        <div class="scroll" aria-busy={isFirstLoad.value}>
          <TaskGroups
            groups={groups}
            showsList
            showsWorkspace={tasks.some((task) => task.workspaceId !== tasks[0]?.workspaceId)}
            isMine={filters.value.assignee === undefined}
            hidesMe={!onlyMine}
          />
        </div>
      ) : Object.keys(filters.value).length > 0 ? (
        <NothingPasses />
      ) : (
        <Empty>{empty}</Empty>
      )}
      <RestOfDays workspaceId={workspaceId} tasks={tasks} until={until} onlyMine={onlyMine} />
      <KeyLine />
    </main>
  );
}

interface RestProps extends Pick<Props, 'workspaceId' | 'tasks'> {
  until: Day | undefined;
  onlyMine: boolean;
}

/** What a screen of days should show and this device does not hold. */
function RestOfDays({ workspaceId, tasks, until, onlyMine }: RestProps) {
  const { store } = useUserData();
  const { assignee, ...others } = filters.value;
  const isPlain = assignee === undefined && Object.keys(others).length === 0;
  const inCut = tasks.filter((task) => cutWorkspaces.value.includes(task.workspaceId) && isOpen(store, task));
  return (
    <UnloadedTasks
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
