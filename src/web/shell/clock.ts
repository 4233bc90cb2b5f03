import { computed, effect, signal } from '@preact/signals';
import { WEEKDAYS, type Weekday } from '../text/days.ts';
import { dayIn, deviceZone, isZone, untilMidnight } from '../text/zones.ts';
import { me } from './session.ts';
import { userData } from './store.ts';

/** The person's time zone; the device's until there is one. */
export const zone = computed(() => {
  const chosen = me.value?.timezone;
  return chosen && isZone(chosen) ? chosen : deviceZone();
});

export const weekStart = computed<Weekday>(
  () => WEEKDAYS.find((day) => day === me.value?.weekStart) ?? 'monday',
);

const instant = signal(Date.now());

/** The present day of the person. Screens of days follow it. */
export const today = computed(() => dayIn(instant.value, zone.value));

/** The present instant, as it is looked at on a screen: moved each minute. */
export const now = computed(() => instant.value);

/** Moves the day at midnight, and whenever the page is seen again. */
export function startClock(): void {
  const tick = () => {
    instant.value = Date.now();
  };
  document.addEventListener('visibilitychange', tick);
  setInterval(tick, 60_000);
  effect(() => {
    const timer = setTimeout(() => {
      tick();
      userData.peek()?.store.refresh();
    }, untilMidnight(instant.value, zone.value) + 50);
    return () => clearTimeout(timer);
  });
}
