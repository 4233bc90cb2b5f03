import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { painted } from './visit.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in both themes, as theme, rule and place. */
export async function violations(page: Page): Promise<string[]> {
  // Playwright evaluates outside of the page's policy. The file is large: it is sent once for each document.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe);
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await painted(page);
    const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
      `axe.run({ resultTypes: ['violations'] })`,
    );
    found.push(...violations.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html.slice(0, 160)}`));
  }
  return found;
}
