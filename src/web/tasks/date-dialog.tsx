import { useState } from 'preact/hooks';
import { today, weekStart, zone } from '../shell/clock.ts';
import { addDays, type Day, isDay, nextWeek, weekdayIndex } from '../text/days.ts';
import { SHORT_WEEKDAYS, sayDay } from '../text/say-dates.ts';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { submits } from '../ui/submits.ts';
import { saying, setDate, tasksOf } from './changes.ts';
import { dateOf } from './dates.ts';
import { DayGrid } from './day-grid.tsx';
import { type DateKind, dateDialog } from './pickers.ts';

/** The dialog of a date, where one is open. */
export function DateDialogView() {
  const open = dateDialog.value;
  return open ? <DateDialog key={`${open.kind} ${open.ids.join()}`} {...open} /> : null;
}

/** When tasks are due or start: a day, and a time where it matters. */
function DateDialog({ kind, ids }: { kind: DateKind; ids: readonly string[] }) {
  const dates = tasksOf(ids).map((task) => dateOf(task, kind, zone.peek()));
  const days = new Set(dates.map((date) => date?.day ?? ''));
  const times = new Set(dates.map((date) => date?.time ?? ''));
  const [day, setDay] = useState<string>(days.size === 1 ? ([...days][0] ?? '') : '');
  const [time, setTime] = useState<string>(times.size === 1 ? ([...times][0] ?? '') : '');
  // Where tasks differ, each keeps its own until something is given.
  const [keepsDays, setKeepsDays] = useState(days.size > 1);
  const [keepsTimes, setKeepsTimes] = useState(times.size > 1);
  const [problem, setProblem] = useState<string>();
  const name = kind === 'due' ? 'Due' : 'Starts';
  const close = () => {
    dateDialog.value = undefined;
  };
  const save = (chosen: Day | null | undefined) => {
    close();
    if (chosen === undefined && keepsTimes) return;
    setDate(tasksOf(ids), kind, chosen, keepsTimes ? undefined : time || null);
  };
  const giveDay = (given: string) => {
    setKeepsDays(false);
    setDay(given);
  };
  const saveFields = () => {
    if (keepsDays) save(undefined);
    else if (day === '') save(time === '' ? null : today.value);
    else if (isDay(day)) save(day);
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
          {name} <span class="quiet cut">{dates.length > 0 && saying(tasksOf(ids))}</span>
        </h2>
        <div class="date-when">
          <div class="date-choices">
            {choices.map(([title, icon, chosen]) => (
              <button key={title} type="button" class="option" onClick={() => save(chosen)}>
                <Icon name={icon} />
                {title}
                <span class="push" aria-hidden="true">
                  {title === 'Next week' ? sayDay(chosen, today.value) : SHORT_WEEKDAYS[weekdayIndex(chosen)]}
                </span>
              </button>
            ))}
            <button type="button" class="option" onClick={() => save(null)}>
              <Icon name="close" />
              No date
            </button>
          </div>
          {/* Another component for each month that is typed or chosen. */}
          <DayGrid key={chosenDay?.slice(0, 7)} chosen={chosenDay} onChoose={giveDay} />
        </div>
        <div class="date-fields">
          <Field label="Day" name="day" type="date" autoFocus value={day} error={problem} onInput={giveDay} />
          <Field
            label="Time"
            name="time"
            type="time"
            value={time}
            onInput={(given) => {
              setKeepsTimes(false);
              setTime(given);
            }}
          />
        </div>
        <div class="line actions">
          <DialogButtons onCancel={close} />
        </div>
      </form>
    </Dialog>
  );
}
