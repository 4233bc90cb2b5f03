import { signal } from '@preact/signals';

const narrow = matchMedia('(width < 48rem)');

/** Whether the window is as narrow as a phone. */
export const isPhone = signal(narrow.matches);

narrow.addEventListener('change', () => {
  isPhone.value = narrow.matches;
});

const { visualViewport } = window;

// A keyboard on the screen that does not make the window smaller: dialogs end above it.
visualViewport?.addEventListener('resize', () => {
  const covered = Math.round(innerHeight - visualViewport.height * visualViewport.scale);
  document.documentElement.style.setProperty('--covered', `${Math.max(0, covered)}px`);
});
