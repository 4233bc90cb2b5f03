import { useMemo } from 'preact/hooks';
import type { Task } from '../../data/rows.ts';
import { today, zone } from '../../shell/clock.ts';
import { moving, useCommands, writing } from '../../shell/commands.ts';
import { isPhone } from '../../shell/device.ts';
import { mayWriteIn } from '../../shell/frame-view.ts';
import { moveDue, setDate } from '../../tasks/changes.ts';
import { focusRow, rowOf, targetIds, targets } from '../../tasks/current.ts';
import { compareDue, dueOf, startOf } from '../../tasks/dates.ts';
import { dragsTasks, droppedTasks, hasLeft } from '../../tasks/dragging.ts';
import { newTaskOn } from '../../tasks/new-task.ts';
import { useFollowedFocus } from '../../tasks/task-groups.tsx';
import { UnloadedTasks } from '../../tasks/unloaded-tasks.tsx';
import { useFilters } from '../../tasks/use-filters.ts';
import { useTasks } from '../../tasks/use-tasks.ts';
import { addDays, type Day, weekdayIndex } from '../../text/days.ts';
import { SHORT_WEEKDAYS } from '../../text/say-dates.ts';
import { dayIn } from '../../text/zones.ts';
import { useOver } from '../../ui/use-over.ts';
import { Agenda } from './agenda.tsx';
import { useComing } from './coming.ts';
import { DayNumber, useDayStop } from './day-number.tsx';
import { Coming, Entry } from './entry.tsx';
import { type DateRange, lanesOf } from './lanes.ts';
import { type Period, showWeekOf } from './period.tsx';

interface Props {
  period: Period;
  workspaceId: string;
  listId?: string;
}

/** The calendar, and what of it is not on this device. */
export function Grid(props: Props) {
  const days = props.period.rows.flat();
  const query = {
    ...(props.listId !== undefined && { listId: props.listId }),
    sortBy: 'dueDate',
    dueAfter: days[0] ?? '',
    dueBefore: addDays(days.at(-1) ?? '', 1),
    timezone: zone.value,
  };
  return (
    <>
      <DayGrid {...props} />
      <UnloadedTasks workspaceId={props.workspaceId} query={query} held={undefined} />
    </>
  );
}

/** Tasks by the day they are due on; coming occurrences pale. */
function DayGrid({ period, workspaceId, listId }: Props) {
  const days = period.rows.flat();
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const { inputs, passes } = useFilters();
  const tasks = useTasks(
    (task) => {
      if (task.workspaceId !== workspaceId || (listId !== undefined && task.listId !== listId)) return false;
      const range = rangeOf(task);
      return range !== undefined && range.start <= last && range.end >= first && passes(task);
    },
    compareDue(zone.value),
    [workspaceId, listId, first, last, ...inputs],
  );
  const { stop, onKeyDown } = useDayStop(days, period.month);
  const coming = useComing(workspaceId, first, last, listId);
  const most = isPhone.value ? Number.POSITIVE_INFINITY : period.isWeek ? 30 : 4;
  const { ranges, weeks, shown } = useMemo(() => {
    const ranges = tasks.flatMap((task) => rangeOf(task) ?? []);
    const weeks = period.rows.map((row) => ({ row, lanes: lanesOf(row, ranges, period.isWeek) }));
    const named = weeks.flatMap(({ lanes }) => lanes.flatMap((own) => own.slice(0, most)));
    const ids = new Set(named.flatMap((segment) => (segment?.isNamed ? segment.id : [])));
    return { ranges, weeks, shown: tasks.filter(({ id }) => ids.has(id)) };
  }, [tasks, most, first, last]);
  useDayKeys(shown);
  useFollowedFocus(useMemo(() => shown.map(({ id }) => id), [shown]));
  const taskOf = new Map(tasks.map((task) => [task.id, task]));
  // Of one with a time, as of a task, the day is that of the person and not of the rule.
  const comingOn = (day: Day) =>
    coming.filter(({ at, local }) => (local.length > 10 ? dayIn(at, zone.value) : local) === day);
  const may = mayWriteIn(workspaceId);
  const [over, setOver] = useOver<Day>();
  if (isPhone.value) {
    const on = (day: Day) => ranges.filter(({ start, end }) => start <= day && end >= day);
    const tasksOn = (day: Day) => on(day).flatMap(({ id }) => taskOf.get(id) ?? []);
    const isWithin = (day: Day) => period.isWeek || day.startsWith(period.month);
    return (
      <Agenda
        days={days.filter((day) => isWithin(day) || on(day).length > 0 || comingOn(day).length > 0)}
        tasksOn={tasksOn}
        comingOn={comingOn}
        mayAdd={may}
      />
    );
  }
  return (
    <div class="scroll calendar">
      <table class={period.isWeek ? 'month week' : 'month'} aria-label="Tasks by due date">
        <thead>
          <tr>
            {period.rows[0]?.map((day) => (
              <th key={day} scope="col">
                {SHORT_WEEKDAYS[weekdayIndex(day)]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={onKeyDown}>
          {weeks.map(({ row, lanes }) => (
            <tr key={row[0]}>
              {row.map((day, column) => {
                const own = lanes[column] ?? [];
                const pale = comingOn(day);
                const rest =
                  own.slice(most).filter(Boolean).length +
                  Math.max(0, pale.length - Math.max(0, most - own.length));
                const isOut = !period.isWeek && !day.startsWith(period.month);
                return (
                  <td
                    key={day}
                    data-day={day}
                    class={[isOut && 'out', day === over && 'over'].filter(Boolean).join(' ') || undefined}
                    aria-current={day === today.value ? 'date' : undefined}
                    onDragOver={(event) => {
                      if (!may || !dragsTasks(event)) return;
                      event.preventDefault();
                      setOver(day);
                    }}
                    onDragLeave={(event) => hasLeft(event) && setOver(undefined)}
                    onDrop={(event) => {
                      event.preventDefault();
                      setOver(undefined);
                      const moved = droppedTasks(event);
                      if (moved.length > 0) setDate(moved, 'due', day);
                    }}
                    onDblClick={({ target }) => {
                      if (may && !(target as Element).closest('a, button')) newTaskOn(day);
                    }}
                  >
                    <DayNumber day={day} isStop={may ? day === stop : undefined} />
                    <ul>
                      {own.slice(0, most).map((segment, lane) => {
                        const task = segment && taskOf.get(segment.id);
                        return task ? (
                          <Entry
                            key={task.id}
                            task={task}
                            segment={segment}
                            mayDrag={may && !segment.isSpan}
                          />
                        ) : (
                          <li key={`free ${lane}`} class="entry" aria-hidden="true" />
                        );
                      })}
                      {pale.slice(0, Math.max(0, most - own.length)).map((one) => (
                        <Coming key={`${one.recurringTaskId} ${one.at}`} occurrence={one} />
                      ))}
                    </ul>
                    {rest > 0 && (
                      <button type="button" class="more link" onClick={() => showWeekOf(day)}>
                        {rest} more
                      </button>
                    )}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** From the day a task starts to the day it is due; of one without a start, the day it is due. */
function rangeOf(task: Task): DateRange | undefined {
  const end = dueOf(task, zone.peek())?.day;
  if (end === undefined) return undefined;
  const start = startOf(task, zone.peek())?.day ?? end;
  return { id: task.id, start: start < end ? start : end, end };
}

/** Alt and arrows move the focused task by days and weeks, as dragging does; arrows move the focus to other days. */
function useDayKeys(tasks: readonly Task[]): void {
  useCommands(() => {
    const dayOf = (task: Task | undefined): Day => (task && dueOf(task, zone.peek())?.day) ?? '';
    const side = (by: number) => () => {
      const id = rowOf(document.activeElement);
      const from = dayOf(tasks.find((task) => task.id === id));
      const isBeyond = (task: Task) => (by > 0 ? dayOf(task) > from : dayOf(task) < from);
      const nearest = dayOf(by > 0 ? tasks.find(isBeyond) : tasks.findLast(isBeyond));
      focusRow(tasks.find((task) => dayOf(task) === nearest)?.id);
    };
    const shifting = (id: string, title: string, key: string, days: number) =>
      moving(id, title, key, () => {
        const moved = targets();
        const [first] = moved;
        const due = first && dueOf(first, zone.peek());
        if (!due) return;
        if (moved.length > 1) return moveDue(moved, days, title.toLowerCase());
        setDate(moved, 'due', addDays(due.day, days));
        focusRow(first.id);
      });
    return [
      ...writing([
        shifting('day-before', 'A day earlier', 'alt+ArrowLeft', -1),
        shifting('day-after', 'A day later', 'alt+ArrowRight', 1),
        shifting('week-before', 'A week earlier', 'alt+ArrowUp', -7),
        shifting('week-after', 'A week later', 'alt+ArrowDown', 7),
      ]).map((command) => ({ ...command, appliesNow: () => targetIds().length > 0 })),
      moving('entry-left', 'Day before', 'ArrowLeft', side(-1)),
      moving('entry-right', 'Next day', 'ArrowRight', side(1)),
    ];
  }, [tasks]);
}
