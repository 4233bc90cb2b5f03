import { useState } from 'preact/hooks';
import { today, weekStart, zone } from '../shell/clock.ts';
import { addDays, type Day, isDay, nextWeek, weekdayIndex } from '../text/days.ts';
import { SHORT_WEEKDAYS, sayDay } from '../text/say-dates.ts';
import type { Time } from '../text/zones.ts';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { submits } from '../ui/submits.ts';
import { saying, setDate, tasksOf } from './changes.ts';
import { dueOf, startOf } from './dates.ts';
import { DayGrid } from './day-grid.tsx';
import { type DateKind, dateDialog } from './pickers.ts';

/** The dialog of a date, where one is open. */
export function DateDialogView() {
  const open = dateDialog.value;
  return open ? <DateDialog key={`${open.kind} ${open.ids.join()}`} {...open} /> : null;
}

/** When tasks are due or start: a day, and a time where it matters. */
function DateDialog({ kind, ids }: { kind: DateKind; ids: readonly string[] }) {
  const [first] = tasksOf(ids);
  const present = first && (kind === 'due' ? dueOf(first, zone.peek()) : startOf(first, zone.peek()));
  const [day, setDay] = useState<string>(present?.day ?? '');
  const [time, setTime] = useState<string>(present?.time ?? '');
  const [problem, setProblem] = useState<string>();
  const name = kind === 'due' ? 'Due' : 'Starts';
  const close = () => {
    dateDialog.value = undefined;
  };
  const save = (chosen: Day | null, at: Time | null) => {
    close();
    setDate(tasksOf(ids), kind, chosen, at);
  };
  const saveFields = () => {
    if (day === '') save(time === '' ? null : today.value, time || null);
    else if (isDay(day)) save(day, time || null);
    else setProblem('There is no such day.');
  };
  const choices: [string, IconName, Day][] = [
    ['Today', 'sun', today.value],
    ['Tomorrow', 'sunrise', addDays(today.value, 1)],
    ['Next week', 'upcoming', nextWeek(today.value, weekStart.value)],
  ];
  const chosenDay = isDay(day) ? day : undefined;
  return (
    <Dialog label={name} class="small dates-dialog" onClose={close} onSave={saveFields}>
      <form class="date-form" noValidate onSubmit={submits(saveFields)}>
        <h2>
          {name} <span class="quiet cut">{first && saying(tasksOf(ids))}</span>
        </h2>
        <div class="date-when">
          <div class="date-choices">
            {choices.map(([title, icon, chosen]) => (
              <button key={title} type="button" class="option" onClick={() => save(chosen, time || null)}>
                <Icon name={icon} />
                {title}
                <span class="push" aria-hidden="true">
                  {title === 'Next week' ? sayDay(chosen, today.value) : SHORT_WEEKDAYS[weekdayIndex(chosen)]}
                </span>
              </button>
            ))}
            <button type="button" class="option" onClick={() => save(null, null)}>
              <Icon name="close" />
              No date
            </button>
          </div>
          {/* Another component for each month that is typed or chosen. */}
          <DayGrid key={chosenDay?.slice(0, 7)} chosen={chosenDay} onChoose={setDay} />
        </div>
        <div class="date-fields">
          <Field label="Day" name="day" type="date" autoFocus value={day} error={problem} onInput={setDay} />
          <Field label="Time" name="time" type="time" value={time} onInput={setTime} />
        </div>
        <div class="line actions">
          <DialogButtons onCancel={close} />
        </div>
      </form>
    </Dialog>
  );
}
