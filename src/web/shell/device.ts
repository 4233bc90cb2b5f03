import { signal } from '@preact/signals';

const narrow = matchMedia('(width < 48rem)');

/** Whether the window is as narrow as a phone. */
export const isPhone = signal(narrow.matches);

narrow.addEventListener('change', () => {
  isPhone.value = narrow.matches;
});
