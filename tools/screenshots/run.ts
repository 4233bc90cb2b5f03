// Makes the pictures of the documentation: `npm run screenshots [-- FOLDER]`, docs by default.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { buildWeb } from '../../src/web/build.mjs';
import { signedInAs } from '../../test/browser/studio.ts';
import { launchBrowser, startVisit } from '../../test/browser/visit.ts';
import { openWorld } from '../../test/world.ts';
import { type Content, fill, NOW, ZONE } from './content.ts';

/** Until rows, counts and lazy parts are there. */
const SETTLE_MS = 1500;

interface Picture {
  name: string;
  address(content: Content): string;
  /** What is done before it is taken. */
  before?(page: Page): Promise<void>;
  options?: BrowserContextOptions;
}

const DESKTOP: BrowserContextOptions = { viewport: { width: 1200, height: 750 } };
const DARK: BrowserContextOptions = { ...DESKTOP, colorScheme: 'dark' };
const PHONE: BrowserContextOptions = {
  viewport: { width: 390, height: 780 },
  isMobile: true,
  hasTouch: true,
};

const listOf =
  (title: string, query: string) =>
  ({ workspaceId, listIds }: Content) =>
    `/w/${workspaceId}/lists/${listIds[title]}${query}`;

const PICTURES: readonly Picture[] = [
  { name: 'today', address: () => '/today' },
  {
    name: 'task',
    address: (content) => listOf('Website relaunch', `?task=${content.taskIds.notes}`)(content),
  },
  { name: 'board', address: listOf('Website relaunch', '?view=board'), options: DARK },
  { name: 'calendar', address: ({ workspaceId }) => `/w/${workspaceId}/calendar` },
  {
    name: 'recurring',
    address: ({ workspaceId }) => `/w/${workspaceId}/recurring`,
    before: async (page) => {
      await page
        .getByRole('listitem')
        .filter({ hasText: 'Restore test of the backup' })
        .getByRole('button', { name: 'Edit' })
        .click();
      await page.getByRole('dialog').waitFor();
      await page.getByRole('region', { name: 'Next five' }).getByRole('listitem').first().waitFor();
    },
    options: DARK,
  },
  { name: 'phone', address: () => '/today', options: PHONE },
];

const [folder = join(import.meta.dirname, '../../docs'), ...names] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
await buildWeb();
const browser = await launchBrowser();
const world = await openWorld({ start: NOW });
const content = await fill(world);
for (const { name, address, before, options = DESKTOP } of PICTURES) {
  if (names.length > 0 && !names.includes(name)) continue;
  const visit = await startVisit(browser, signedInAs(world.app, content.mara), {
    ...options,
    timezoneId: ZONE,
  });
  const { page, origin } = visit;
  await page.clock.setFixedTime(NOW);
  await page.goto(`${origin}/app${address(content)}`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main:not([aria-busy="true"])').first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  await before?.(page);
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: 'disabled' });
  console.log(path);
  await visit.end();
}
await browser.close();
await world.close();
