import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Task } from '../../data/rows.ts';
import { call } from '../../shell/api.ts';
import { now, today, zone } from '../../shell/clock.ts';
import { type Command, useCommands } from '../../shell/commands.ts';
import { isPhone } from '../../shell/device.ts';
import { mayWriteIn } from '../../shell/frame-view.ts';
import { address, hrefOf, setQuery } from '../../shell/navigation.ts';
import { withQuery } from '../../shell/router.ts';
import { useShelf } from '../../shell/store.ts';
import { setDate, tasksOf } from '../../tasks/changes.ts';
import { besideId, focusedId, focusRow, targets } from '../../tasks/current.ts';
import { compareDue, dueOf, isLate, plainTime } from '../../tasks/dates.ts';
import { filters, passes } from '../../tasks/filters.ts';
import { newTaskOn } from '../../tasks/new-task.ts';
import { useRowFocus } from '../../tasks/row-focus.ts';
import { StatusMark } from '../../tasks/task-box.tsx';
import { useFollowedFocus } from '../../tasks/task-groups.tsx';
import { useTasks } from '../../tasks/use-tasks.ts';
import { addDays, type Day, dayOfMonth, isoWeek, weekdayIndex } from '../../text/days.ts';
import { SHORT_MONTHS, SHORT_WEEKDAYS } from '../../text/say-dates.ts';
import { Icon } from '../../ui/icon.tsx';
import { dayTitle } from '../days/days.tsx';
import type { Period } from './period.tsx';

interface Occurrence {
  recurringTaskId: string;
  title: string;
  listId: string;
  at: string;
  local: string;
  taskId: string | null;
}

interface Props {
  period: Period;
  workspaceId: string;
  listId?: string;
}

/** Tasks by the day they are due on; coming occurrences pale. */
export function Grid({ period, workspaceId, listId }: Props) {
  const { store, userId } = useShelf();
  const days = period.rows.flat();
  const [first = '', last = ''] = [days[0], days.at(-1)];
  const wanted = filters.value;
  const around = {
    userId,
    today: today.value,
    zone: zone.value,
    statusOf: (id: string) => store.view.status(id),
  };
  const tasks = useTasks(
    (task) => {
      if (task.workspaceId !== workspaceId || (listId !== undefined && task.listId !== listId)) return false;
      const due = dueOf(task, zone.peek())?.day;
      return due !== undefined && due >= first && due <= last && passes(task, wanted, around);
    },
    compareDue(zone.value),
    [workspaceId, listId, first, last, JSON.stringify(wanted), zone.value, around.today],
  );
  useDayKeys();
  const coming = useComing(workspaceId, first, last, listId);
  const ids = useMemo(() => tasks.map(({ id }) => id), [tasks]);
  useFollowedFocus(ids);
  const byDay = useMemo(() => {
    const found = new Map<Day, Task[]>();
    for (const task of tasks) {
      const day = dueOf(task, zone.peek())?.day ?? '';
      found.set(day, [...(found.get(day) ?? []), task]);
    }
    return found;
  }, [tasks]);
  const comingOn = (day: Day) => coming.filter(({ local }) => local.startsWith(day));
  const may = mayWriteIn(workspaceId);
  if (isPhone.value) return <Agenda days={days} byDay={byDay} comingOn={comingOn} />;
  const most = period.isWeek ? 30 : 4;
  return (
    <div class="scroll calendar">
      <table class="month">
        <caption class="hidden">Tasks by due date</caption>
        <thead>
          <tr>
            {period.rows[0]?.map((day) => (
              <th key={day} scope="col">
                {SHORT_WEEKDAYS[weekdayIndex(day)]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {period.rows.map((row) => (
            <tr key={row[0]}>
              {row.map((day) => {
                const own = byDay.get(day) ?? [];
                const pale = comingOn(day);
                const isOut = !period.isWeek && !day.startsWith(period.month);
                return (
                  <td
                    key={day}
                    data-day={day}
                    class={isOut ? 'out' : undefined}
                    aria-current={day === today.value ? 'date' : undefined}
                    onDragOver={(event) => {
                      if (may && event.dataTransfer?.types.includes('application/x-errand-task'))
                        event.preventDefault();
                    }}
                    onDrop={(event) => {
                      event.preventDefault();
                      const id = event.dataTransfer?.getData('application/x-errand-task') ?? '';
                      const [moved] = tasksOf([id]);
                      if (moved) setDate([moved], 'due', day, dueOf(moved, zone.peek())?.time ?? null);
                    }}
                    onDblClick={() => may && newTaskOn(day)}
                  >
                    <time class="day" dateTime={day}>
                      {dayOfMonth(day) === 1
                        ? `1 ${SHORT_MONTHS[Number(day.slice(5, 7)) - 1]}`
                        : dayOfMonth(day)}
                    </time>
                    <ul>
                      {own.slice(0, most).map((task) => (
                        <Entry key={task.id} task={task} mayDrag={may} />
                      ))}
                      {pale.slice(0, Math.max(0, most - own.length)).map((one) => (
                        <Coming key={`${one.recurringTaskId} ${one.at}`} occurrence={one} />
                      ))}
                    </ul>
                    {own.length + pale.length > most && (
                      <button
                        type="button"
                        class="more link"
                        onClick={() => setQuery({ week: isoWeek(day), month: undefined })}
                      >
                        {own.length + pale.length - most} more
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

/** Occurrences that have no task yet: asked of the server. */
function useComing(
  workspaceId: string,
  first: Day,
  last: Day,
  listId: string | undefined,
): readonly Occurrence[] {
  const [found, setFound] = useState<readonly Occurrence[]>([]);
  useEffect(() => {
    let isWanted = true;
    const parameters = new URLSearchParams({ from: first, to: addDays(last, 1) });
    void call<{ items: Occurrence[] }>('GET', `/workspaces/${workspaceId}/occurrences?${parameters}`).then(
      (reply) => {
        if (isWanted && reply.kind === 'ok') setFound(reply.body.items);
      },
    );
    return () => {
      isWanted = false;
    };
  }, [workspaceId, first, last]);
  return found.filter((one) => one.taskId === null && (listId === undefined || one.listId === listId));
}

/** Alt and arrows move the focused task by days and weeks, as dragging does. */
function useDayKeys(): void {
  useCommands(() => {
    const shift = (id: string, title: string, binding: string, days: number): Command => ({
      id,
      title,
      group: 'Here',
      keys: [binding],
      isKeyOnly: true,
      run: () => {
        const [task] = targets();
        const due = task && dueOf(task, zone.peek());
        if (!due) return;
        setDate([task], 'due', addDays(due.day, days), due.time);
        focusRow(task.id);
      },
    });
    return [
      shift('day-before', 'A day earlier', 'alt+ArrowLeft', -1),
      shift('day-after', 'A day later', 'alt+ArrowRight', 1),
      shift('week-before', 'A week earlier', 'alt+ArrowUp', -7),
      shift('week-after', 'A week later', 'alt+ArrowDown', 7),
    ];
  }, []);
}

function Entry({ task, mayDrag }: { task: Task; mayDrag: boolean }) {
  const { view } = useShelf().store;
  const { id } = task;
  const due = dueOf(task, zone.value);
  const status = view.status(task.statusId);
  const isOver = status?.type === 'completed' || status?.type === 'canceled';
  const late = !isOver && isLate(task, today.value, now.value);
  const focus = useRowFocus(id);
  return (
    <li
      data-task={id}
      draggable={mayDrag}
      onDragStart={(event) => event.dataTransfer?.setData('application/x-errand-task', id)}
    >
      <a
        {...focus}
        class={`entry${isOver ? ' closed' : ''}${late ? ' late' : ''}`}
        href={hrefOf(withQuery(address.value, { task: id }))}
        aria-current={besideId.value === id ? 'true' : undefined}
        onFocus={() => {
          focusedId.value = id;
        }}
      >
        <StatusMark status={status} />
        {late && <Icon name="late" small />}
        {late && <span class="hidden">Overdue: </span>}
        <span dir="auto">{task.title}</span>
        {due?.time && !isOver && <time class="push">{plainTime(due.time)}</time>}
      </a>
    </li>
  );
}

const Coming = ({ occurrence: { title } }: { occurrence: Occurrence }) => (
  <li>
    <span class="entry coming">
      <Icon name="repeat" />
      <span class="hidden">Coming: </span>
      <span dir="auto">{title}</span>
    </span>
  </li>
);

interface AgendaProps {
  days: readonly Day[];
  byDay: ReadonlyMap<Day, readonly Task[]>;
  comingOn(day: Day): readonly Occurrence[];
}

/** On phones: the same, as a list of days. */
function Agenda({ days, byDay, comingOn }: AgendaProps) {
  const filled = days.filter((day) => byDay.has(day) || comingOn(day).length > 0);
  return (
    <div class="scroll">
      {filled.length === 0 && <p class="quiet">Nothing is due in this time.</p>}
      {filled.map((day) => (
        <section key={day} class="group" data-day={day} aria-label={dayTitle(day, today.value)}>
          <div class="group-head">
            <h2>
              <time dateTime={day}>{dayTitle(day, today.value)}</time>
            </h2>
          </div>
          <ul>
            {(byDay.get(day) ?? []).map((task) => (
              <Entry key={task.id} task={task} mayDrag={false} />
            ))}
            {comingOn(day).map((one) => (
              <Coming key={`${one.recurringTaskId} ${one.at}`} occurrence={one} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
