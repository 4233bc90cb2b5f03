import { GROUND } from '../ground.ts';
import { deviceStorage } from './browser-storage.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

/** The one thing that stays on a device after signing out. */
export const THEME_KEY = 'errand.theme';

/** The theme chosen on this device. */
export function storedTheme(): Theme {
  const stored = deviceStorage.get(THEME_KEY);
  return THEMES.find((known) => known === stored) ?? 'system';
}

/** Shows a theme, in the browser's own bars too. */
export function showTheme(chosen: Theme): void {
  const { dataset } = document.documentElement;
  if (chosen === 'system') delete dataset.theme;
  else dataset.theme = chosen;
  for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]'))
    meta.content = GROUND[chosen !== 'system' ? chosen : meta.media.includes('dark') ? 'dark' : 'light'];
}
