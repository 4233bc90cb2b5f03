import { useState } from 'preact/hooks';
import { today, weekStart } from '../shell/clock.ts';
import { addMonths, type Day, dayOfMonth, monthGrid, weekdayIndex } from '../text/days.ts';
import { SHORT_WEEKDAYS, sayMonth } from '../text/say-dates.ts';
import { Tool } from '../ui/button.tsx';

interface Props {
  chosen: Day | undefined;
  onChoose(day: Day): void;
}

/** The days of a month, for pointers: the field beside it does the same by keys, so none is a stop of Tab. */
export function DayGrid({ chosen, onChoose }: Props) {
  const [month, setMonth] = useState((chosen ?? today.value).slice(0, 7));
  const rows = monthGrid(month, weekStart.value);
  const title = sayMonth(month);
  const turn = (by: number) => setMonth(addMonths(`${month}-01`, by).slice(0, 7));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of buttons
    <div class="day-grid" role="group" aria-label={title}>
      <div class="line">
        <strong aria-hidden="true">{title}</strong>
        <Tool class="push" icon="left" label="Month before" tabIndex={-1} onClick={() => turn(-1)} />
        <Tool icon="right" label="Month after" tabIndex={-1} onClick={() => turn(1)} />
      </div>
      <div class="days">
        {rows[0]?.map((day) => (
          <span key={day} class="quiet" aria-hidden="true">
            {SHORT_WEEKDAYS[weekdayIndex(day)]?.slice(0, 2)}
          </span>
        ))}
        {rows.flat().map((day) => (
          <button
            key={day}
            type="button"
            class={day.startsWith(month) ? undefined : 'out'}
            aria-label={`${dayOfMonth(day)} ${sayMonth(day.slice(0, 7))}`}
            aria-pressed={day === chosen}
            aria-current={day === today.value ? 'date' : undefined}
            tabIndex={-1}
            onClick={() => onChoose(day)}
          >
            {dayOfMonth(day)}
          </button>
        ))}
      </div>
    </div>
  );
}
