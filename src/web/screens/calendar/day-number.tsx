import { useState } from 'preact/hooks';
import { today } from '../../shell/clock.ts';
import { newTaskOn } from '../../tasks/new-task.ts';
import { addDays, type Day, dayOfMonth, weekdayIndex } from '../../text/days.ts';
import { SHORT_MONTHS, SHORT_WEEKDAYS, sayShortDay } from '../../text/say-dates.ts';

const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

/** Of all the days one is a stop of Tab: today, else the first; arrows lead from there to the others. */
export function useDayStop(days: readonly Day[], month: string) {
  const [moved, setMoved] = useState<Day>('');
  const first = days.find((day) => day.startsWith(month)) ?? days[0];
  const stop = [moved, today.value].find((day) => days.includes(day)) ?? first;
  const onKeyDown = (event: KeyboardEvent & { currentTarget: HTMLElement }) => {
    const { key, target, currentTarget, altKey, ctrlKey, metaKey, shiftKey } = event;
    const by = STEPS[key];
    const day = target instanceof HTMLElement && target.matches('.day') && dayOf(target);
    if (!day || by === undefined || altKey || ctrlKey || metaKey || shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = addDays(day, by);
    if (!days.includes(next)) return;
    setMoved(next);
    currentTarget.querySelector<HTMLElement>(`[data-day="${next}"] .day`)?.focus();
  };
  return { stop, onKeyDown };
}

const dayOf = (element: HTMLElement): Day | undefined =>
  element.closest<HTMLElement>('[data-day]')?.dataset.day;

/** `Add a task on Fri 27 Nov`. */
export const newTaskLabel = (day: Day): string =>
  `Add a task on ${SHORT_WEEKDAYS[weekdayIndex(day)]} ${sayShortDay(day, today.value)}`;

/** The number of a day; for those who may write a button that makes a task on it. */
export function DayNumber({ day, isStop }: { day: Day; isStop: boolean | undefined }) {
  const number = dayOfMonth(day);
  const words = number === 1 ? `1 ${SHORT_MONTHS[Number(day.slice(5, 7)) - 1]}` : number;
  if (isStop === undefined) {
    return (
      <time class="day" dateTime={day}>
        {words}
      </time>
    );
  }
  return (
    <button
      type="button"
      class="day"
      aria-label={newTaskLabel(day)}
      tabIndex={isStop ? 0 : -1}
      onClick={() => newTaskOn(day)}
    >
      <time dateTime={day}>{words}</time>
    </button>
  );
}
