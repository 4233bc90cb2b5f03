import type { TargetedKeyboardEvent } from 'preact';
import { useState } from 'preact/hooks';
import { now, today, weekStart, zone } from '../shell/clock.ts';
import { isPhone } from '../shell/device.ts';
import { readDate } from '../text/date-words.ts';
import { addDays, type Day, isDay, nextWeek, weekdayIndex } from '../text/days.ts';
import { dayOrderOf } from '../text/quick-add-dates.ts';
import { plainTime, SHORT_WEEKDAYS, sayDate, sayDay } from '../text/say-dates.ts';
import { Dialog, DialogButtons } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icons.ts';
import { submits } from '../ui/submits.ts';
import { saying, setDate, tasksOf } from './changes.ts';
import { dateOf } from './dates.ts';
import { DayGrid } from './day-grid.tsx';
import { type DateKind, dateDialog } from './pickers.ts';

const NOT_UNDERSTOOD = 'These words are no day and no time.';
const REPEATS = 'A repeat is set in “Repeat…”, not here.';

/** The dialog of a date, where one is open. */
export function DateDialogView() {
  const open = dateDialog.value;
  return open ? <DateDialog key={`${open.kind} ${open.ids.join()}`} {...open} /> : null;
}

/** What all of these have; undefined where they differ. */
const shared = (values: readonly string[]): string | undefined =>
  new Set(values).size > 1 ? undefined : (values[0] ?? '');

/** Arrows lead from the words to the days that are offered below, and back. */
function moveAmongChoices(event: TargetedKeyboardEvent<HTMLFormElement>): void {
  const { key, currentTarget } = event;
  const by = { ArrowDown: 1, ArrowUp: -1 }[key];
  const stops = [...currentTarget.querySelectorAll<HTMLElement>('[name="words"], .date-choices button')];
  const at = stops.indexOf(event.target as HTMLElement);
  if (by === undefined || at === -1) return;
  event.preventDefault();
  stops[at + by]?.focus();
}

/** When tasks are due or start: a day, and a time where it matters, in words or in fields. */
function DateDialog({ kind, ids }: { kind: DateKind; ids: readonly string[] }) {
  const dates = tasksOf(ids).map((task) => dateOf(task, kind, zone.peek()));
  // Where tasks differ, each keeps its own until something is given.
  const [before] = useState<{ day: string | undefined; time: string | undefined }>({
    day: shared(dates.map((date) => date?.day ?? '')),
    time: shared(dates.map((date) => date?.time ?? '')),
  });
  const [given, setGiven] = useState(before);
  const [words, setWords] = useState('');
  const [problem, setProblem] = useState<{ words?: string; day?: string }>({});
  const said = readDate(words, {
    now: now.value,
    zone: zone.value,
    weekStart: weekStart.value,
    dayOrder: dayOrderOf(navigator.language),
  });
  const day = said?.day ?? given.day;
  const time = said?.time ?? given.time;
  const name = kind === 'due' ? 'Due' : 'Starts';
  const close = () => {
    dateDialog.value = undefined;
  };
  const save = (chosen: Day | null | undefined) => {
    close();
    if (chosen === undefined && time === undefined) return;
    setDate(tasksOf(ids), kind, chosen, time === undefined ? undefined : time || null);
  };
  const give = (changed: Partial<typeof given>) => {
    setGiven({ day, time, ...changed });
    setWords('');
    setProblem({});
  };
  const isRepeat = /^\s*every\b/i.test(words);
  const giveDay = (chosen: string) => give({ day: chosen });
  const saveFields = () => {
    if (!said && words.trim() !== '') setProblem({ words: isRepeat ? REPEATS : NOT_UNDERSTOOD });
    else if (day === before.day && time === before.time) close();
    else if (day === '') save(time ? today.value : null);
    else if (day === undefined || isDay(day)) save(day);
    else setProblem({ day: 'There is no such day.' });
  };
  let hint = 'As “tomorrow”, “fri 15:00”, “in 3 days”';
  if (said) hint = `${name}: ${sayDate(said.day, today.value)}${time ? ` ${plainTime(time)}` : ''}`;
  else if (words.trim() !== '') hint = isRepeat ? REPEATS : 'Not understood yet';
  const choices: [string, IconName, Day][] = [
    ['Today', 'sun', today.value],
    ['Tomorrow', 'sunrise', addDays(today.value, 1)],
    ['Next week', 'upcoming', nextWeek(today.value, weekStart.value)],
  ];
  const chosenDay = day !== undefined && isDay(day) ? day : undefined;
  return (
    <Dialog label={name} class="small dates-dialog" onClose={close}>
      <form class="date-form" noValidate onSubmit={submits(saveFields)} onKeyDown={moveAmongChoices}>
        <h2>
          {name} <span class="quiet cut">{dates.length > 0 && saying(tasksOf(ids))}</span>
        </h2>
        <div aria-live="polite">
          <Field
            label="In words"
            name="words"
            autocomplete="off"
            autoFocus={!isPhone.peek()}
            value={words}
            hint={hint}
            error={problem.words}
            onInput={(typed) => {
              setWords(typed);
              setProblem({});
            }}
          />
        </div>
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
          <Field
            label="Day"
            name="day"
            type="date"
            autoFocus={isPhone.peek()}
            value={day ?? ''}
            error={problem.day}
            onInput={giveDay}
          />
          <Field
            label="Time"
            name="time"
            type="time"
            value={time ?? ''}
            onInput={(chosen) => give({ time: chosen })}
          />
        </div>
        <div class="line actions">
          <DialogButtons onCancel={close} />
        </div>
      </form>
    </Dialog>
  );
}
