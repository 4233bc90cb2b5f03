import { signal } from '@preact/signals';
import { GROUND } from '../ground.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

/** The one thing that stays on a device after signing out. */
const KEY = 'errand.theme';

export const theme = signal<Theme>('system');

/** Reads the choice made on this device, and follows it in other tabs. */
export function startTheme(): void {
  apply(read());
  addEventListener('storage', ({ key }) => {
    if (key === KEY || key === null) apply(read());
  });
}

/** Chooses for this device; where it cannot store, for this page. */
export function chooseTheme(chosen: Theme): void {
  apply(chosen);
  try {
    if (chosen === 'system') localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, chosen);
  } catch {
    // Without storage it holds until the page goes.
  }
}

function read(): Theme {
  try {
    const stored = localStorage.getItem(KEY);
    return THEMES.find((known) => known === stored) ?? 'system';
  } catch {
    return 'system';
  }
}

function apply(chosen: Theme): void {
  theme.value = chosen;
  const { dataset } = document.documentElement;
  if (chosen === 'system') delete dataset.theme;
  else dataset.theme = chosen;
  // The browser's own bars too.
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = GROUND[chosen !== 'system' ? chosen : meta.media.includes('dark') ? 'dark' : 'light'];
}
