import { useLayoutEffect } from 'preact/hooks';
import type { Task } from '../../data/rows.ts';
import { today } from '../../shell/clock.ts';
import { isFirstLoad } from '../../shell/frame-view.ts';
import { newTaskOn } from '../../tasks/new-task.ts';
import type { Day } from '../../text/days.ts';
import { dayTitle } from '../../text/say-dates.ts';
import { Tool } from '../../ui/button.tsx';
import { Nothing } from '../../ui/nothing.tsx';
import { newTaskLabel } from './day-number.tsx';
import { Coming, Entry, type Occurrence } from './entry.tsx';
import { scrollToToday } from './period.tsx';

interface Props {
  days: readonly Day[];
  tasksOn(day: Day): readonly Task[];
  comingOn(day: Day): readonly Occurrence[];
  mayAdd: boolean;
}

/** On phones: the same, as a list of days. Empty ones are there from today on, for those who may add to them. */
export function Agenda({ days, tasksOn, comingOn, mayAdd }: Props) {
  const isFilled = (day: Day) => tasksOn(day).length > 0 || comingOn(day).length > 0;
  const shown = days.filter((day) => isFilled(day) || (mayAdd && day >= today.value));
  useLayoutEffect(scrollToToday, [days[0], isFirstLoad.value]);
  if (shown.length === 0) return <Nothing icon="upcoming">Nothing is due in this time.</Nothing>;
  return (
    <div class="scroll">
      {shown.map((day) => (
        <section key={day} class="group" data-day={day} aria-label={dayTitle(day, today.value)}>
          <div class="group-head">
            <h2>
              <time dateTime={day}>{dayTitle(day, today.value)}</time>
            </h2>
            {mayAdd && (
              <Tool class="push" icon="plus" label={newTaskLabel(day)} onClick={() => newTaskOn(day)} />
            )}
          </div>
          {isFilled(day) && (
            <ul>
              {tasksOn(day).map((task) => (
                <Entry key={task.id} task={task} mayDrag={false} />
              ))}
              {comingOn(day).map((one) => (
                <Coming key={`${one.recurringTaskId} ${one.at}`} occurrence={one} />
              ))}
            </ul>
          )}
        </section>
      ))}
    </div>
  );
}
