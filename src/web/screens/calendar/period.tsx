import { today, weekStart } from '../../shell/clock.ts';
import { isPhone } from '../../shell/device.ts';
import { query, setPeriod } from '../../shell/navigation.ts';
import {
  addDays,
  addMonths,
  type Day,
  isoWeek,
  mondayOfIsoWeek,
  monthGrid,
  startOfWeek,
  weekFrom,
} from '../../text/days.ts';
import { sayMonth } from '../../text/say-dates.ts';
import { Button, Tool } from '../../ui/button.tsx';

/** What a calendar shows: the month, or the week, of the address. */
export function usePeriod() {
  const week = query.value.get('week');
  const monday = week === null ? null : mondayOfIsoWeek(week);
  const isWeek = monday !== null;
  const asked = query.value.get('month') ?? '';
  const month = /^\d{4}-(0[1-9]|1[0-2])$/.test(asked) ? asked : today.value.slice(0, 7);
  const start = monday === null ? null : startOfWeek(addDays(monday, 3), weekStart.value);
  const middle = start === null ? `${month}-01` : addDays(start, 3);
  const show = (day: Day) => (isWeek ? showWeekOf(day) : setPeriod({ month: day.slice(0, 7) }));
  const rows = start === null ? monthGrid(month, weekStart.value) : [weekFrom(start)];
  const isTodayShown = rows[0]?.includes(today.value);
  return {
    title: sayMonth(middle.slice(0, 7)),
    rows,
    month,
    isWeek,
    go: (by: number) => show(isWeek ? addDays(middle, by * 7) : addMonths(middle, by)),
    goToday: () => {
      show(today.peek());
      scrollToToday();
    },
    showWeek: () => showWeekOf(today.peek().startsWith(month) ? today.peek() : middle),
    showMonth: () => setPeriod({ month: (isTodayShown ? today.peek() : middle).slice(0, 7) }),
  };
}

/** Shows the week that has a day; its middle is in the week of ISO 8601 that stands for it in the address. */
export const showWeekOf = (day: Day): void =>
  setPeriod({ week: isoWeek(addDays(startOfWeek(day, weekStart.peek()), 3)) });

/** Brings today into sight, where it is shown. */
export function scrollToToday(): void {
  const day = document.querySelector(`main [data-day="${today.peek()}"]`);
  const days = day?.closest('.scroll');
  if (!day || !days) return;
  // Among the days alone: in a low window the screen scrolls too, and its head stays in sight.
  const { top, bottom } = day.getBoundingClientRect();
  const frame = days.getBoundingClientRect();
  if (isPhone.peek() || top < frame.top || bottom > frame.bottom) days.scrollTop += top - frame.top;
}

export type Period = ReturnType<typeof usePeriod>;

/** Back, today, forward; month or week. */
export function Steps({ period }: { period: Period }) {
  const unit = period.isWeek ? 'week' : 'month';
  return (
    <div class="steps">
      <Tool icon="left" label={`Previous ${unit}`} onClick={() => period.go(-1)} />
      <Button class="plain" onClick={period.goToday}>
        Today
      </Button>
      <Tool icon="right" label={`Next ${unit}`} onClick={() => period.go(1)} />
      <div class="tabs" role="radiogroup" aria-label="Period">
        <label class={period.isWeek ? undefined : 'chosen'}>
          <input type="radio" name="period" checked={!period.isWeek} onChange={period.showMonth} />
          Month
        </label>
        <label class={period.isWeek ? 'chosen' : undefined}>
          <input type="radio" name="period" checked={period.isWeek} onChange={period.showWeek} />
          Week
        </label>
      </div>
    </div>
  );
}
