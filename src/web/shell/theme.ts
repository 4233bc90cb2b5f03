import { signal } from '@preact/signals';
import { deviceStorage } from './browser-storage.ts';
import { showTheme, storedTheme, THEME_KEY, type Theme } from './stored-theme.ts';

export const theme = signal<Theme>('system');

/** Takes the choice made on this device, which `early.ts` has shown, and follows it in other tabs. */
export function startTheme(): void {
  theme.value = storedTheme();
  addEventListener('storage', ({ key }) => {
    if (key === THEME_KEY || key === null) apply(storedTheme());
  });
}

/** Chooses for this device; where it cannot store, for this page. */
export function chooseTheme(chosen: Theme): void {
  apply(chosen);
  deviceStorage.set(THEME_KEY, chosen === 'system' ? null : chosen);
}

function apply(chosen: Theme): void {
  theme.value = chosen;
  showTheme(chosen);
}
